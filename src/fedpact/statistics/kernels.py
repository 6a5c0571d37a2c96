"""The loops that numba compiles; importing this module imports numba.

- ``slice_rows``, ``count_rows``: on how many points hypotheses differ
  (:mod:`fedpact.statistics.count_disagreements`);
- ``fill_answers``: that one set is missed and none of a few others (:mod:`fedpact.statistics.bounds`);
- ``sum_tree``: the spanning tree of Hunter and Worsley (:mod:`fedpact.statistics.pairs`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Ints
from fedpact.describe.progress import compiled

Words = NDArray[np.uint64]


@intrinsic
def popcount(context: Any, word: Any) -> Any:
    """Count the ones of a word in one instruction."""

    def emit(_context: Any, builder: Any, _signature: Any, words: Any) -> Any:
        return builder.ctpop(words[0])

    return types.uint64(types.uint64), emit


@compiled
def slice_rows(codes: NDArray[Any], planes: Words, start: int, stop: int) -> None:
    """Write the bits of codes (H, n), for some rows, to planes (H, B, W)."""
    n = codes.shape[1]
    for h in range(start, stop):
        own = codes[h]
        for w in range(planes.shape[2]):
            points = own[64 * w : min(64 * w + 64, n)]
            for b in range(planes.shape[1]):
                word = np.uint64(0)
                for x in range(len(points)):
                    word |= ((np.uint64(points[x]) >> np.uint64(b)) & np.uint64(1)) << np.uint64(x)
                planes[h, b, w] = word


@compiled
def count_rows(planes: Words, masks: Words, counts: NDArray[Any], start: int, stop: int) -> None:
    """Add to the condensed counts (P,), for some rows, the points under the masks (Q, W) where a pair differs.

    The points under mask q count 2^q times.
    """
    H, bits, words = planes.shape
    differ = np.empty(words, dtype=np.uint64)
    for h in range(start, stop):
        before = h * H - h * (h + 1) // 2 - h - 1
        own = planes[h]
        for g in range(h + 1, H):
            other = planes[g]
            for w in range(words):
                differ[w] = own[0, w] ^ other[0, w]
            for b in range(1, bits):
                for w in range(words):
                    differ[w] |= own[b, w] ^ other[b, w]
            total = np.uint64(0)
            for q in range(len(masks)):
                ones = np.uint64(0)
                for w in range(words):
                    ones += popcount(differ[w] & masks[q, w])  # type: ignore[call-arg]
                total += ones << np.uint64(q)
            counts[before + g] += total


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
def _multiply_in(outside: Floats, r: int, exponent: int, rounding: float, product: Floats, slope: Floats) -> None:
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
def _sum_signed(product: Floats, r: int) -> float:
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
    others: Ints,
    counts: Ints,
    sets: Bools,
    mass: Floats,
    m: Ints,
    rounding: float,
    value: Floats,
    error: Floats,
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


@compiled
def sum_tree(q: Floats, both: Floats, weights: Floats) -> float:
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
