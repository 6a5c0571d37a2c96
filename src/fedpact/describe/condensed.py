"""Pairs of hypotheses in the condensed order of ``scipy.spatial.distance.pdist``: (1,2), (1,3), ..., (2,3), ..."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

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


def to_square(values: NDArray[N], H: int) -> NDArray[N]:
    """(H, H) symmetric matrix of condensed values (P,), zero on the diagonal, of the same type.

    Examples
    --------
    >>> to_square(np.array([2, 5, 3], dtype=np.uint8), 3).tolist()
    [[0, 2, 5], [2, 0, 3], [5, 3, 0]]
    """
    square = np.zeros((H, H), dtype=values.dtype)
    start = 0
    for row in range(H - 1):
        square[row, row + 1 :] = square[row + 1 :, row] = values[start : start + H - 1 - row]
        start += H - 1 - row
    return square


def to_condensed(square: NDArray[N]) -> NDArray[N]:
    """(P,) the values above the diagonal of an (H, H) matrix."""
    return np.asarray(square[np.triu_indices(len(square), k=1)])
