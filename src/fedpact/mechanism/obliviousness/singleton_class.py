"""Recognise the class that Lemma 1 and Lemma 5 of the paper are about.

One hypothesis is the base (all-negative, in the paper), and every other one differs from it at a single point
of its own. Labels may be any two numbers and points may stand in any order; at points that belong to nobody all
hypotheses agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.errors import FederationError
from fedpact.mechanism.claims import table_of

_RULE = "the singletons and the all-negative hypothesis over three points or more"


@dataclass(frozen=True, slots=True, kw_only=True)
class SingletonClass:
    """Which points tell one hypothesis from the base, and which tell none."""

    own: tuple[int, ...]
    common: tuple[int, ...]


def _find_odd_rows(labels: NDArray[np.integer]) -> list[int] | None:
    """Row that alone labels each point differently, -1 where all agree; None if a point splits them otherwise."""
    odd = []
    for column in labels.T:
        _, first, counts = np.unique(column, return_index=True, return_counts=True)
        if len(counts) > 2 or (len(counts) == 2 and counts.min() > 1):
            return None
        odd.append(-1 if len(counts) == 1 else int(first[counts.argmin()]))
    return odd


def find_singletons(labels: NDArray[np.integer]) -> SingletonClass | None:
    """Find the points of each hypothesis in (H, n) labels; None if it is not that class.

    Examples
    --------
    >>> find_singletons(np.array([[0, 1, 0, 5], [0, 1, 1, 5], [1, 1, 0, 5]]))
    SingletonClass(own=(0, 2), common=(1, 3))
    """
    odd = _find_odd_rows(labels) if len(labels) >= 3 else None
    if odd is None:
        return None
    own = [point for point, row in enumerate(odd) if row >= 0]
    if len({odd[point] for point in own}) != len(own) or len(own) != len(labels) - 1:
        return None
    return SingletonClass(own=tuple(own), common=tuple(x for x, row in enumerate(odd) if row < 0))


def read_singletons(fed: Federation) -> SingletonClass:
    """Return the points of a federation over that class with room for two rare points, or say what is wrong."""
    found = find_singletons(table_of(fed, "a construction of local obliviousness").labels)
    if found is None or len(found.own) + len(found.common) < 3:
        raise FederationError(
            f"m can be given only for {_RULE}; {fed.name!r} has another class: leave m out to search around its "
            "own plan"
        )
    if fed.k != 2:
        raise FederationError(f"m can be given only for two agents; {fed.name!r} has {fed.k}: leave m out")
    return found
