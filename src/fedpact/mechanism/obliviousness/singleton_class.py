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


def find_singletons(labels: NDArray[np.integer]) -> SingletonClass | None:
    """Find the points of each hypothesis in (H, n) labels; None if it is not that class.

    Examples
    --------
    >>> find_singletons(np.array([[0, 1, 0, 5], [0, 1, 1, 5], [1, 1, 0, 5]]))
    SingletonClass(own=(0, 2), common=(1, 3))
    """
    differs = labels != np.median(labels, axis=0)  # from the base, which most hypotheses agree with at every point
    is_class = (differs.sum(axis=0) <= 1).all() and sorted(differs.sum(axis=1)) == [0] + [1] * (len(labels) - 1)
    if len(labels) < 3 or not is_class:
        return None
    own = differs.any(axis=0)
    return SingletonClass(own=tuple(np.flatnonzero(own).tolist()), common=tuple(np.flatnonzero(~own).tolist()))


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
