"""What several experiments count with: ties, blocks of seeds, grids of masses, and limits of shares."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

TIE = 1e-9
"""Numbers nearer than this are equal."""


def exceeds(value: ArrayLike, threshold: ArrayLike) -> Any:
    """Whether ``value`` lies strictly above ``threshold``, ties counting as equal, as fedpact has it.

    Examples
    --------
    >>> bool(exceeds(0.1 + 1e-12, 0.1)), bool(exceeds(0.11, 0.1))
    (False, True)
    """
    threshold = np.asarray(threshold, dtype=np.float64)
    return np.asarray(value, dtype=np.float64) > threshold + np.minimum(TIE, threshold * 1e-3)


def cut_seeds(seeds: int, size: int = 100) -> list[list[int]]:
    """First and end of every block of seeds, so that more seeds leave the cells that are known as they are.

    Examples
    --------
    >>> cut_seeds(250)
    [[0, 100], [100, 200], [200, 250]]
    """
    return [[first, min(first + size, seeds)] for first in range(0, seeds, size)]


def list_grid(n: int, points: tuple[int, ...], parts: int) -> Iterator[NDArray[np.float64]]:
    """Every distribution over ``n`` points whose masses are multiples of 1/parts on ``points`` and 0 elsewhere.

    Examples
    --------
    >>> [report.tolist() for report in list_grid(3, (0, 2), 2)]
    [[0.0, 0.0, 1.0], [0.5, 0.0, 0.5], [1.0, 0.0, 0.0]]
    """
    for bars in itertools.combinations(range(parts + len(points) - 1), len(points) - 1):
        edges = np.array([-1, *bars, parts + len(points) - 1])
        report = np.zeros(n)
        report[list(points)] = (np.diff(edges) - 1) / parts
        yield report


def wilson(count: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's limits of a share that was seen in ``count`` of ``trials``.

    Examples
    --------
    >>> [round(limit, 4) for limit in wilson(0, 100)], [round(limit, 4) for limit in wilson(50, 100)]
    ([0.0, 0.037], [0.4038, 0.5962])
    """
    z2, share = float(ndtri((1 + level) / 2)) ** 2, count / trials
    middle = share + z2 / (2 * trials)
    reach = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2)))
    low, high = (middle - reach) / (1 + z2 / trials), (middle + reach) / (1 + z2 / trials)
    return (0.0 if count == 0 else low), (1.0 if count == trials else high)


def clopper_pearson(count: int, trials: int, risk: float) -> tuple[float, float]:
    """Clopper and Pearson's limits of a share, each wrong with probability ``risk`` at most.

    Examples
    --------
    >>> [round(limit, 4) for limit in clopper_pearson(0, 100, 0.025)]
    [0.0, 0.0362]
    """
    low = float(betaincinv(count, trials - count + 1, risk)) if count else 0.0
    high = float(betaincinv(count + 1, trials - count, 1 - risk)) if count < trials else 1.0
    return low, high
