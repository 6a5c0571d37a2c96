"""Pairs of hypotheses in the condensed order of ``scipy.spatial.distance.pdist``: (1,2), (1,3), ..., (2,3), ...

Disagreement is a distance: where h and g differ, a third hypothesis f differs from one of them.

So count(h, g) <= count(h, f) + count(f, g) for all triples, which no counts of a real data set break. A point
with two labels separates none or two of the three pairs of a triple, so with two labels besides

    count(h, g) + count(h, f) + count(f, g)  is even and at most 2 n.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.progress import compiled, parallel_map

N = TypeVar("N", bound=np.generic)


def count_pairs(H: int) -> int:
    """H(H-1)/2."""
    return H * (H - 1) // 2


def height_of(pairs: int) -> int:
    """Return the H that has that many pairs, or the one below if none has.

    Examples
    --------
    >>> [height_of(count_pairs(H)) for H in (1, 2, 3, 500)]
    [1, 2, 3, 500]
    """
    return (1 + math.isqrt(1 + 8 * pairs)) // 2


def pair_at(place: int, H: int) -> tuple[int, int]:
    """Hypotheses of the pair at a place of the order.

    Examples
    --------
    >>> [pair_at(place, 4) for place in range(6)]
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    from_end = count_pairs(H) - 1 - place
    rows = (math.isqrt(8 * from_end + 1) - 1) // 2
    first = H - 2 - rows
    return first, place - first * (2 * H - first - 1) // 2 + first + 1


def to_square(values: NDArray[N]) -> NDArray[N]:
    """(H, H) symmetric matrix of condensed values (P,), zero on the diagonal, of the same type.

    Examples
    --------
    >>> to_square(np.array([2, 5, 3], dtype=np.uint8)).tolist()
    [[0, 2, 5], [2, 0, 3], [5, 3, 0]]
    """
    H, start = height_of(len(values)), 0
    square = np.zeros((H, H), dtype=values.dtype)
    for row in range(H - 1):
        square[row, row + 1 :] = square[row + 1 :, row] = values[start : start + H - 1 - row]
        start += H - 1 - row
    return square


def to_condensed(square: NDArray[N]) -> NDArray[N]:
    """(P,) the values above the diagonal of an (H, H) matrix."""
    return np.asarray(square[np.triu_indices(len(square), k=1)])


# Rows h that are looked at together, so that row f is read from memory once for all of them.
_ROWS = 16
# Sums of two counts are exact in singles up to here.
_EXACT = 2**23


def _search(low: NDArray[Any], high: NDArray[Any], start: int, stop: int) -> tuple[int, int, int]:
    """Broken triple with h in a block of rows and g after h, or three times -1."""
    H = len(low)
    shortest = np.full((stop - start, H - start), np.inf, dtype=high.dtype)
    for f in range(H):
        onward = high[f, start:]
        for h in range(start, stop):
            to_f, best = high[h, f], shortest[h - start]
            for g in range(len(best)):
                way = to_f + onward[g]
                best[g] = way if way < best[g] else best[g]
    for h in range(start, stop):
        for g in range(h + 1, H):
            if low[h, g] > shortest[h - start, g - start]:
                for f in range(H):
                    if low[h, g] > high[h, f] + high[f, g]:
                        return h, g, f
    return -1, -1, -1


def find_broken_triangle(low: NDArray[Any], high: NDArray[Any]) -> tuple[int, int, int] | None:
    """Hypotheses (h, g, f) with low(h, g) > high(h, f) + high(f, g), of (H, H) matrices; None if there are none.

    Examples
    --------
    >>> counts = np.array([[0, 5, 1], [5, 0, 3], [1, 3, 0]])
    >>> find_broken_triangle(counts, counts)
    (0, 1, 2)
    """
    kind = np.float32 if high.max(initial=0) < _EXACT else np.float64
    sides = [np.ascontiguousarray(side, dtype=kind) for side in (low, high)]
    search, H = compiled(_search), len(low)
    found = parallel_map(lambda start: search(*sides, start, min(start + _ROWS, H)), range(0, H, _ROWS))
    return next((triple for triple in found if triple[0] >= 0), None)


def find_odd_triangle(counts: NDArray[Any]) -> tuple[int, int, int] | None:
    """Hypotheses with an odd sum of counts (H, H), which two labels cannot make; None if there are none.

    If the sum is even for all triples with the first hypothesis, the parity of a pair is the sum of those that
    its two hypotheses have with the first, and so it is even for all.

    Examples
    --------
    >>> find_odd_triangle(np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    (0, 1, 2)
    """
    odd = (counts & 1).astype(bool)
    broken = odd ^ odd[0] ^ odd[:, :1]
    np.fill_diagonal(broken, False)
    if not broken.any():
        return None
    g, f = np.unravel_index(int(broken.argmax()), broken.shape)
    return 0, int(g), int(f)
