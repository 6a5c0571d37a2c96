"""What the guarantee engine is asked, how much effort it may take, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Floats, Places
from fedpact.describe.ties import exceeds


class Values(NamedTuple):
    """Interval of every requirement at every contribution vector; exact where low equals high."""

    low: Floats
    """(B, R)"""
    high: Floats
    """(B, R)"""
    truth: Places
    """(B, R) the truth that is worst as far as known."""
    how: NDArray[np.str_]
    """(B, R) "exact", "bounds" or "estimate"."""


@dataclass(frozen=True, slots=True)
class IntervalQuery:
    """One requirement at one contribution vector, with what is known of every truth (arrays are updated)."""

    m: Floats
    requirement: int
    limit: float
    low: Floats
    """(T,)"""
    high: Floats
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
