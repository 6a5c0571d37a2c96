"""What a computation makes of an erratum, and the exact numbers that several of them need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import fedpact as fp


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An erratum, computed."""

    printed: str
    """What the paper says."""
    found: str
    """What is true."""
    is_confirmed: bool
    """Whether the computation bears the erratum out."""
    values: Mapping[str, Any]
    """The numbers, plain values by name; exact ones are fractions in strings."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"values": dict(self.values)}


def as_exact(value: float) -> Fraction:
    """Read a mass, an epsilon or a delta as the fraction that it was given as.

    Examples
    --------
    >>> as_exact(0.06)
    Fraction(3, 50)
    """
    return Fraction(value).limit_denominator(10_000)


def one_agent(labels: Any, masses: Any, **targets: Any) -> fp.Federation:
    """Make a federation of a single agent."""
    return fp.Federation.from_table(labels, [masses], **targets)


def is_near(value: float, exact: Fraction | float) -> bool:
    """Whether the engine's number is the exact one."""
    return abs(value - float(exact)) < 1e-9
