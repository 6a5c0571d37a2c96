"""On how many points any two of H hypotheses disagree, exactly, for any number of classes and points.

Labels are *bit-sliced*: word w of plane b holds bit b of the labels of 64 points. Two hypotheses differ where

    (a_0 xor b_0) or (a_1 xor b_1) or ...

has a one, for all 64 points at once, and a population count adds them up. With C classes that is log2 C exclusive
ors for 64 points, where comparing bytes takes 64 comparisons. A point of weight w counts w times: the ones are
counted under one mask for each bit of the weights.

Points are taken in blocks, so that there may be more of them than fit into memory; nothing is ever as large as
H x H x n.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Ints
from fedpact.describe.condensed import count_pairs
from fedpact.describe.progress import Spread, all_cores
from fedpact.errors import FederationError

# Points of a block, at most: few enough that a row stays in the cache. With few hypotheses a block is smaller, so
# that it takes no more memory than the counts, but not so small that the cost of a call shows.
_POINTS = 8192
_ROWS = 32
_MOST = 2**53


def _encode(block: NDArray[Any]) -> NDArray[Any]:
    """Labels of a block (H, n) as small whole numbers from 0 on; only equality keeps its meaning."""
    low, high = int(block.min()), int(block.max())
    if high - low >= 2**16:
        return np.unique(block, return_inverse=True)[1].reshape(block.shape).astype(np.uint32)
    if low == 0 and block.dtype in (np.uint8, np.uint16):
        return block
    return (block.astype(np.int64) - low).astype(np.uint8 if high - low < 2**8 else np.uint16)


def _mask(weights: NDArray[Any]) -> NDArray[np.uint64]:
    """(Q, W) which points have bit q in their weight."""
    bits = max(1, int(weights.max()).bit_length())
    rows = np.array([(weights >> bit) & 1 for bit in range(bits)], dtype=np.uint8)
    packed = np.zeros((bits, -(-len(weights) // 64) * 8), dtype=np.uint8)
    found = np.packbits(rows, axis=1, bitorder="little")
    packed[:, : found.shape[1]] = found
    return packed.view("<u8").astype(np.uint64)


def _read_weights(weights: Any, n: int) -> Ints:
    given = np.asarray(weights)
    if given.shape != (n,) or given.dtype.kind not in "iu" or (n and given.min() < 0):
        raise FederationError(
            f"weights must be one whole number >= 0 for each of the {n} points (how many data rows it stands for)"
        )
    if int(given.sum(dtype=object) if n else 0) > _MOST:
        raise FederationError("weights must sum to 2^53 at most")
    return given.astype(np.int64)


class DisagreementCounter:
    """Counts that grow block by block of points.

    Examples
    --------
    >>> counter = DisagreementCounter(3)
    >>> counter.add(np.array([[0, 1], [0, 2], [5, 1]]))
    >>> counter.add(np.array([[7], [7], [7]]), weights=np.array([10]))
    >>> counter.counts.tolist(), counter.n
    ([1, 1, 2], 12)
    """

    def __init__(self, H: int) -> None:
        self.H, self.n = H, 0
        self.counts: NDArray[Any] = np.zeros(count_pairs(H), dtype=np.uint32)
        self._rows = [(start, min(start + _ROWS, H)) for start in range(0, H, _ROWS)]

    def add(self, labels: NDArray[Any], weights: Any = None) -> None:
        """Count the points of a block of labels (H, n), each of them ``weights`` times."""
        if len(labels) != self.H:
            raise FederationError(
                f"every block must have {self.H} rows, one per hypothesis; one has {len(labels)}"
            )
        n = labels.shape[1]
        own: NDArray[Any] = np.ones(n, dtype=np.int8) if weights is None else _read_weights(weights, n)
        self.n += int(own.sum())
        if self.n >= 2**32 and self.counts.dtype == np.uint32:
            self.counts = self.counts.astype(np.uint64)
        step = max(_POINTS // 4, min(_POINTS, 4 * self.H))
        starts = range(0, n, step)
        with all_cores(len(starts) * len(self._rows)) as spread:
            for start in starts:
                self._count(spread, labels[:, start : start + step], own[start : start + step])

    def _count(self, spread: Spread[Any, None], block: NDArray[Any], weights: NDArray[Any]) -> None:
        from fedpact.statistics.kernels import count_rows, slice_rows

        codes, masks = _encode(block), _mask(weights)
        bits = max(1, int(codes.max()).bit_length())
        planes = np.empty((self.H, bits, masks.shape[1]), dtype=np.uint64)
        list(spread(lambda some: slice_rows(codes, planes, *some), self._rows))
        list(spread(lambda some: count_rows(planes, masks, self.counts, *some), self._rows))


def count_disagreements(labels: NDArray[Any], weights: Any = None) -> NDArray[Any]:
    """(H(H-1)/2,) on how many points each pair of the labels (H, n) differs, in the order of ``pdist``.

    Parameters
    ----------
    labels
        Any whole numbers; a memory-mapped array is read block by block.
    weights
        How many data rows each point stands for, (n,) whole numbers.

    Examples
    --------
    >>> count_disagreements(np.array([[0, 0, 3], [0, 1, 3], [2, 1, 3]]))
    array([1, 2, 1], dtype=uint32)
    """
    counter = DisagreementCounter(len(labels))
    counter.add(labels, weights)
    return counter.counts
