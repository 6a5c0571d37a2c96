"""A lower bound on the value of a miss family from its likeliest sets alone, taken exactly.

The value of some of a family's sets is at most that of all of them: fewer can be missed. A dozen of them are one
level of :mod:`fedpact.statistics.bounds`, and when misses are likely their value is far above what pairs of sets
say (de Caen, Dawson and Sankoff), since it counts every coincidence. It refutes; it never proves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.statistics.bounds import NEIGHBOURS, bound
from fedpact.statistics.misses import MissFamily, log_miss

MOST_SETS = NEIGHBOURS + 1


def lower_bound_from_subset(family: MissFamily, m: NDArray[np.float64], most: int = MOST_SETS) -> float:
    """Lower bound on the value of a reduced family at ``m`` (k,).

    Examples
    --------
    Three sides, five throws: two of the sides are both seen less often than all three.

    >>> family = MissFamily(sets=np.eye(3, dtype=bool), weights=np.ones(3), mass=np.full((1, 3), 1 / 3))
    >>> [round(243 * lower_bound_from_subset(family, np.array([5.0]), most)) for most in (1, 2, 3)]
    [32, 63, 93]
    """
    logs = m @ log_miss(family.mass @ family.sets.T.astype(np.float64))
    with np.errstate(divide="ignore"):
        likeliest = np.argsort(-(logs + np.log(family.weights)), kind="stable")[:most]
    few = MissFamily(sets=family.sets[likeliest], weights=family.weights[likeliest], mass=family.mass)
    return bound(few, m, width=0.0).low
