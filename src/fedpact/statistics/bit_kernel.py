"""The compiled loops of :mod:`fedpact.statistics.count_disagreements`; importing this module imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from fedpact.describe.compiled import compiled

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
