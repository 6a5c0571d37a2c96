"""The compiled loops of :mod:`fedpact.statistics.missed_alone`; importing this module imports numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.compiled import compiled


@compiled
def _power(base: float, exponent: int) -> float:
    power = 1.0
    while exponent > 0:
        if exponent & 1:
            power *= base
        base *= base
        exponent >>= 1
    return power


@compiled
def _multiply_in(
    outside: NDArray[np.float64],
    r: int,
    exponent: int,
    rounding: float,
    product: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> None:
    """Multiply (2^r,) products by an agent's F(T)^m, given its masses by mask; T is what a place leaves out.

    Add to the slopes how much a product moves, for its size, when F moves.
    """
    half = 1
    for _ in range(r):
        for first in range(0, 1 << r, 2 * half):
            for mask in range(first, first + half):
                outside[mask + half] += outside[mask]
        half *= 2
    for mask in range(1 << r):
        mass = max(outside[mask], rounding)
        product[mask] *= _power(mass, exponent)
        slope[mask] += exponent / mass


@compiled
def _sum_signed(product: NDArray[np.float64], r: int) -> float:
    """Sum (2^r,) products, minus where an odd number of the r sets is left out."""
    half = 1 << r
    for _ in range(r):
        half >>= 1
        for mask in range(half):
            product[mask] = product[mask + half] - product[mask]
    return float(product[0])


@compiled
def fill_answers(
    union: NDArray[np.uint8],
    others: NDArray[np.int64],
    counts: NDArray[np.int64],
    sets: NDArray[np.bool_],
    mass: NDArray[np.float64],
    m: NDArray[np.int64],
    rounding: float,
    value: NDArray[np.float64],
    error: NDArray[np.float64],
) -> None:
    """Write (N,) probabilities that U is missed alone, and how far off they are if masses are by ``rounding``.

    The last column of ``mass`` is what lies in no set.
    """
    points = sets.shape[1]
    masks = np.empty(points, dtype=np.int64)
    widest = 1 << counts.max()
    outside, product, slope = np.empty(widest), np.empty(widest), np.empty(widest)
    for node in range(len(value)):
        r = counts[node]
        for x in range(points):
            masks[x] = -1
            if not (union[node, x >> 3] >> (7 - (x & 7))) & 1:
                masks[x] = 0
                for a in range(r):
                    masks[x] |= np.int64(sets[others[node, a], x]) << a
        product[: 1 << r] = 1.0
        slope[: 1 << r] = 1.0
        for agent in range(len(m)):
            outside[: 1 << r] = 0.0
            outside[0] = mass[agent, points]
            for x in range(points):
                if masks[x] >= 0:
                    outside[masks[x]] += mass[agent, x]
            _multiply_in(outside, r, m[agent], rounding, product, slope)
        error[node] = 2 * rounding * (product[: 1 << r] * slope[: 1 << r]).sum()
        value[node] = _sum_signed(product, r)
