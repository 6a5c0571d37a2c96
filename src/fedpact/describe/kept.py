"""Keep what was worked out about a federation with it, so that it is worked out once.

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


def kept(function: OfFederation[P, T]) -> OfFederation[P, T]:
    """Let a function of a federation, and of arguments that can be hashed, be computed once per federation."""
    return _keep(function, "memo")


def kept_with_evidence(function: OfFederation[P, T]) -> OfFederation[P, T]:
    """Let a function of a federation's evidence alone be computed once per evidence."""
    return _keep(function, "evidence_memo")


def remember(fed: Federation, function: Callable[[Federation], T], value: T) -> None:
    """Let a function that is kept with the evidence have this value for a federation."""
    fed.evidence_memo[function.__wrapped__, (), ()] = value  # type: ignore[attr-defined]


def _keep(function: OfFederation[P, T], where: str) -> OfFederation[P, T]:
    @wraps(function)
    def look_up(fed: Federation, /, *args: P.args, **options: P.kwargs) -> T:
        memo, key = getattr(fed, where), (function, args, tuple(sorted(options.items())))
        if key not in memo:
            memo[key] = function(fed, *args, **options)
        found: T = memo[key]
        return found

    return look_up
