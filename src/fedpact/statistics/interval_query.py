"""What the guarantee engine is asked, how much effort it may take, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.ties import exceeds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Values:
    """Interval of every requirement at every contribution vector; exact where low equals high."""

    low: NDArray[np.float64]
    """(B, R)"""
    high: NDArray[np.float64]
    """(B, R)"""
    truth: NDArray[np.intp]
    """(B, R) the truth that is worst as far as known."""
    how: NDArray[np.str_]
    """(B, R) "exact", "bounds" or "estimate"."""


@dataclass(frozen=True, slots=True)
class IntervalQuery:
    """One requirement at one contribution vector, with what is known of every truth (arrays are updated)."""

    m: NDArray[np.float64]
    requirement: int
    limit: float
    low: NDArray[np.float64]
    """(T,)"""
    high: NDArray[np.float64]
    """(T,)"""
    work: float
    """How much a certified interval may take (see :mod:`fedpact.statistics.bounds`)."""

    @property
    def is_decided(self) -> bool:
        """Whether the requirement is known to be met or known to be missed."""
        return exceeds(float(self.low.max()), self.limit) or not exceeds(float(self.high.max()), self.limit)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much effort one requirement may take: work, randomness, draws, and a probability of being wrong."""

    work: float
    rng: np.random.Generator
    draws: int
    risk: float
