"""The compiled loop of :func:`fedpact.statistics.pairs.tree_bound`; importing this module imports numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.compiled import compiled


@compiled
def sum_tree(q: NDArray[np.float64], both: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Sum weighted misses, each less its likeliest coincidence with one that was taken before it (Prim).

    Weights fall; within a weight the best linked is taken next, and the likeliest where nothing is linked.
    """
    s = len(q)
    link, is_waiting = np.zeros(s), np.ones(s, dtype=np.bool_)
    total, first = 0.0, 0
    for _ in range(s):
        while not is_waiting[first]:
            first += 1
        taken, best = first, -1.0
        for a in range(first, s):
            if weights[a] != weights[first]:
                break
            if is_waiting[a] and link[a] + 1e-300 * q[a] > best:
                taken, best = a, link[a] + 1e-300 * q[a]
        total += weights[taken] * (q[taken] - link[taken])
        is_waiting[taken] = False
        for a in range(s):
            link[a] = max(link[a], min(both[taken, a], q[a]))
    return total
