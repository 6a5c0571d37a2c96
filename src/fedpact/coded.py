"""A finding as data: a short stable code, and the values that its words need.

Results, ledgers and messages keep findings in this form; :mod:`fedpact.explain` has the words. A :class:`Refusal`
is why part of a question has no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fedpact.errors import FedpactError


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What stood in the way."""

    code: str
    """As the error has it, such as "capacity" or "not-optimal"; "not-applicable" where it has none."""
    agents: tuple[str, ...] = ()
    """Whose targets cannot be met."""
    pair: tuple[str, str] | None = None
    """The truth, and the hypothesis that cannot be told from it."""
    values: dict[str, Any] | None = field(default=None, metadata={"is_optional": True})
    """Numbers and names that its words need."""


def refusal_of(error: FedpactError) -> Refusal:
    """Return what an error says, without its words.

    Examples
    --------
    >>> from fedpact.errors import InfeasibleError
    >>> refusal_of(InfeasibleError("no plan exists", agents=("alice",), code="capacity"))
    Refusal(code='capacity', agents=('alice',), pair=None, values=None)
    """
    values = None if error.values is None else dict(error.values)
    return Refusal(code=error.code, agents=error.agents, pair=error.pair, values=values)
