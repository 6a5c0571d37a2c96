"""Which hypotheses have to be tried as the truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.statistics.domain import Domain


def _mix(codes: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """Mix 64 bits without collisions (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = (codes + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))


def find_targets(domain: Domain) -> NDArray[np.intp]:
    """Targets with different families of disagreement sets.

    For binary labels on at most 64 points a disagreement is the exclusive or of two codes; equal families
    have equal sums of a 128-bit mix of their codes. All labelings of n points have one family, not 2^n.
    """
    H, n = domain.labels.shape
    is_binary = H == 0 or all(len(np.unique(column)) <= 2 for column in domain.labels.T)
    if not is_binary or not 0 < n <= 64:
        return np.arange(H)
    codes = (domain.labels > 0).astype(np.uint64) @ (np.uint64(1) << np.arange(n, dtype=np.uint64))
    prints = np.array([[_mix(codes ^ code, seed).sum() for seed in (1, 2)] for code in codes])
    _, first = np.unique(prints, axis=0, return_index=True)
    return np.sort(first)
