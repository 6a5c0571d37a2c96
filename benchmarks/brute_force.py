"""The failure probability of every agent by enumeration: what one writes first, made fast with numpy.

The probability of every set of seen points is followed draw by draw; then for every truth and agent the sets are
added up that leave some bad hypothesis standing. Work and memory double with every point.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from fedpact.describe.ties import exceeds


def follow_draws(distributions: NDArray[np.float64], m: Sequence[int]) -> NDArray[np.float64]:
    """(2^n,) probability of every set of seen points, one bit for each point."""
    n = distributions.shape[1]
    states = np.zeros(1 << n)
    states[0] = 1
    for masses in np.repeat(distributions, m, axis=0):
        after = np.zeros_like(states)
        for point, mass in enumerate(masses):
            before, seen = states.reshape(-1, 2, 1 << point), after.reshape(-1, 2, 1 << point)
            seen[:, 1] += mass * (before[:, 0] + before[:, 1])
        states = after
    return states


def enumerate_failures(fed: fp.Federation, m: Sequence[int]) -> NDArray[np.float64]:
    """(k,) probability that each agent misses its target, for the worst truth."""
    labels, distributions = np.asarray(fed.evidence.labels), np.asarray(fed.evidence.distributions)
    states, sets = follow_draws(distributions, m), np.arange(1 << labels.shape[1])
    worst = np.zeros(fed.k)
    for target in labels:
        differ = labels != target
        is_missed = [sets & int(mask) == 0 for mask in differ @ (1 << np.arange(labels.shape[1]))]
        for i, rates in enumerate(distributions @ differ.T):
            bad = np.flatnonzero(exceeds(rates, fed.epsilon[i]))
            if len(bad):
                fails = np.logical_or.reduce([is_missed[h] for h in bad])
                worst[i] = max(worst[i], states[fails].sum())
    return worst
