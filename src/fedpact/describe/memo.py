"""Memoize what is computed from a federation, on the federation itself.

What follows from the evidence alone is handed on by :meth:`~fedpact.Federation.replace` to the same federation
with other targets or costs; everything else is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from fedpact.describe.federation import Federation

P = ParamSpec("P")
T = TypeVar("T")
OfFederation = Callable[Concatenate[Federation, P], T]


def memoized(function: OfFederation[P, T]) -> OfFederation[P, T]:
    """Compute a function of a federation and hashable arguments once per federation."""
    return _memoize(function, "memo")


def memoized_by_evidence(function: OfFederation[P, T]) -> OfFederation[P, T]:
    """Compute a function of a federation's evidence alone once per evidence."""
    return _memoize(function, "evidence_memo")


def remember(fed: Federation, function: Callable[[Federation], T], value: T) -> None:
    """Store the value of a function that is memoized by evidence."""
    fed.evidence_memo[function.__wrapped__, (), ()] = value  # type: ignore[attr-defined]


def _memoize(function: OfFederation[P, T], where: str) -> OfFederation[P, T]:
    @wraps(function)
    def look_up(fed: Federation, /, *args: P.args, **options: P.kwargs) -> T:
        memo, key = getattr(fed, where), (function, args, tuple(sorted(options.items())))
        if key not in memo:
            memo[key] = function(fed, *args, **options)
        found: T = memo[key]
        return found

    return look_up
