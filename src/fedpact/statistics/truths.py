"""Which hypotheses have to be tried as the truth."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from fedpact.statistics.domain import Domain


def find_truths(domain: Domain) -> NDArray[np.intp]:
    """Truths with different families of disagreement sets.

    For binary labels on at most 64 points a disagreement is the exclusive or of two codes, and a family is
    the sorted list of them. All labelings of n points have one family, not 2^n.
    """
    H, n = domain.labels.shape
    is_binary = H == 0 or all(len(np.unique(column)) <= 2 for column in domain.labels.T)
    if not is_binary or not 0 < n <= 64:
        return np.arange(H)
    codes = (domain.labels > 0).astype(np.uint64) @ (np.uint64(1) << np.arange(n, dtype=np.uint64))
    first: dict[bytes, int] = {}
    for truth, code in enumerate(codes):
        family = np.sort(codes ^ code)
        first.setdefault(hashlib.blake2b(family.tobytes(), digest_size=16).digest(), truth)
    return np.array(list(first.values()), dtype=np.intp)
