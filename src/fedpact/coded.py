"""A finding as data: a short stable code, and the values that its words need.

Results, ledgers and messages keep findings in this form; :mod:`fedpact.explain` has the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """What was found."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """Plain values by name; ``detail`` holds what somebody else said, as it was said."""


def coded(code: str, /, **values: Any) -> Coded:
    """Make a finding.

    Examples
    --------
    >>> coded("late", seconds=60.0)
    Coded(code='late', values={'seconds': 60.0})
    """
    return Coded(code=code, values=values)
