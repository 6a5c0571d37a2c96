"""Worsley's bound with several links per set, for families whose sets are known.

Order the sets by falling weight. The value E[largest weight among missed sets] is at most

    sum_a w_a Pr[ a is missed and none of its links is ]

for any links of a among the sets before it: that a is the first missed set implies it. With one link each this
is Hunter's and Worsley's tree; more links cut off more, at the price of 2^links terms per set,

    Pr[ a is missed and none of L is ] = sum over T in L of (-1)^|T| Pr[ the union of a and T is missed ].

Links are chosen one after the other, each the one that cuts off most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.statistics.misses import log_miss


def link_bound(
    sets: NDArray[np.bool_],
    weights: NDArray[np.float64],
    mass: NDArray[np.float64],
    m: NDArray[np.float64],
    *,
    links: int,
) -> float:
    """Value of a family from above, by up to ``links`` links per set.

    Parameters
    ----------
    sets
        (s, n) which points each set holds.
    weights
        (s,) above zero, falling; the order of sets of equal weight is free.
    mass
        (k, n) mass of every agent on every point.
    m
        (k,) contributions.

    Examples
    --------
    Three sets of one point each: two links per set make it exact.

    >>> sets, mass = np.eye(3, dtype=bool), np.full((1, 3), 1 / 3)
    >>> bound = link_bound(sets, np.ones(3), mass, np.array([5.0]), links=2)
    >>> round(bound, 12) == round(93 / 243, 12)
    True
    """
    draws = np.flatnonzero(m)
    held = [sets.T * mass[agent][:, None] for agent in draws]
    signs, unions = [1.0], [sets]
    left = _miss(sets, mass[draws], m[draws])
    before = np.tri(len(sets), k=-1, dtype=bool)
    for _ in range(links):
        gain = np.zeros(before.shape)
        for sign, union in zip(signs, unions, strict=True):
            gain += sign * _miss_with(union, held, mass[draws], m[draws])
        gain[~before] = 0.0
        link = gain.argmax(axis=1)
        rows = np.arange(len(sets))
        left -= np.maximum(gain[rows, link], 0.0)
        before[rows, link] = False
        unions += [union | sets[link] for union in unions]
        signs += [-sign for sign in signs]
    return float(weights @ np.maximum(left, 0.0))


def _miss(sets: NDArray[np.bool_], mass: NDArray[np.float64], m: NDArray[np.float64]) -> NDArray[np.float64]:
    """(s,) probability that every set is missed."""
    return np.asarray(np.exp(m @ log_miss(mass @ sets.T)))


def _miss_with(
    unions: NDArray[np.bool_],
    held: list[NDArray[np.float64]],
    mass: NDArray[np.float64],
    m: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(s, s) probability that a set's union so far and another set are missed together."""
    outside = (~unions).astype(np.float64)
    logs = np.zeros((len(unions), len(unions)))
    for points, row, count in zip(held, mass, m, strict=True):
        logs += count * log_miss(np.minimum((unions @ row)[:, None] + outside @ points, 1.0))
    return np.exp(logs)
