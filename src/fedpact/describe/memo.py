"""Memoize what is computed from a federation, on the federation or on its evidence, out of sight.

What follows from the evidence alone is kept with the evidence, which a federation shares with those that
:meth:`~fedpact.Federation.replace` makes of it. Copies of either and what is pickled start with nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    from fedpact.describe.federation import Federation

P = ParamSpec("P")
T = TypeVar("T")
OfFederation: TypeAlias = "Callable[Concatenate[Federation, P], T]"


class Memory:
    """Something that what is computed of it is kept with: in a slot, which is no field of a dataclass."""

    __slots__ = ("_memo",)
    _memo: dict[Any, Any]


def _memo_of(thing: Memory) -> dict[Any, Any]:
    try:
        return thing._memo
    except AttributeError:
        object.__setattr__(thing, "_memo", {})
        return thing._memo


def memoized(function: OfFederation[P, T]) -> OfFederation[P, T]:
    """Compute a function of a federation and hashable arguments once per federation."""
    return _memoize(function, lambda fed: fed)


def memoized_by_evidence(function: OfFederation[P, T]) -> OfFederation[P, T]:
    """Compute a function of a federation's evidence alone once per evidence."""
    return _memoize(function, lambda fed: fed.evidence)


def remember(fed: Federation, function: Callable[[Federation], T], value: T) -> None:
    """Store the value of a function that is memoized by evidence."""
    _memo_of(fed.evidence)[function.__wrapped__, (), ()] = value  # type: ignore[attr-defined]


def _memoize(function: OfFederation[P, T], owner: Callable[[Federation], Memory]) -> OfFederation[P, T]:
    @wraps(function)
    def look_up(fed: Federation, /, *args: P.args, **options: P.kwargs) -> T:
        memo, key = _memo_of(owner(fed)), (function, args, tuple(sorted(options.items())))
        if key not in memo:
            memo[key] = function(fed, *args, **options)
        found: T = memo[key]
        return found

    return look_up
