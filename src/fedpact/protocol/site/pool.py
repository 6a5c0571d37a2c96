"""What a site draws its samples from: different points of its own, or a distribution over points.

*Points.* The sample is a prefix of one random order of all points, so that a second request goes on where the
first ended and no point is labelled twice. A draw of m different points sees at least what m independent draws
see: let the independent ones pass over what they have seen until m different points are found, which are then
a uniform choice of m. So whatever a plan promises of independent draws holds, with m up to the number of points.

*A distribution* (a federation given as a table): independent draws, in one sequence.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.predicted import Predicted
from fedpact.errors import FederationError

_MOST_PARTS = 10**6
_FINE = 2**40
_TOTAL_TOL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """A site's points, seen through what each candidate predicts there.

    Examples
    --------
    >>> from fedpact.describe.candidate_list import CandidateList
    >>> names = CandidateList.from_names(["never", "always"])
    >>> pool = Pool(predicted=Predicted(labels=np.array([[0] * 5, [1] * 5]), candidates=names, classes=(0, 1)))
    >>> sorted(draw(pool, 0, 3, seed=1).tolist() + draw(pool, 3, 5, seed=1).tolist())
    [0, 1, 2, 3, 4]
    """

    predicted: Predicted
    masses: NDArray[np.float64] | None = None
    """(n,) how likely each point is, where samples are drawn from a distribution over the points."""

    def __post_init__(self) -> None:
        masses = self.masses
        if masses is None:
            return
        if masses.shape != (self.predicted.n,) or masses.dtype.kind not in "fiu":
            raise FederationError(
                f"masses must be a number for each of {self.predicted.n} points; they are {masses.dtype} of shape "
                f"{masses.shape}"
            )
        if not (masses >= 0).all() or not abs(masses.sum() - 1) <= _TOTAL_TOL:
            raise FederationError(f"masses must be 0 or more and sum to 1; their sum is {masses.sum():g}")

    @property
    def size(self) -> int | None:
        """Different samples that can be labelled; None if there is no limit."""
        return self.predicted.n if self.masses is None else None


def draw(pool: Pool, start: int, stop: int, *, seed: int) -> NDArray[np.intp]:
    """Return which points samples ``start`` to ``stop`` are; the same seed gives the same sequence."""
    rng = np.random.default_rng(seed)
    if pool.masses is None:
        return rng.permutation(pool.predicted.n)[start:stop]
    edges = np.cumsum(pool.masses)
    places = np.searchsorted(edges / edges[-1], rng.random(stop)[start:], side="right")
    return np.asarray(places, dtype=np.intp)


def whole_weights(masses: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers in the proportion of the masses: exactly if these are simple fractions, else to 12 digits.

    Examples
    --------
    >>> whole_weights(np.array([0.8, 0.2])), whole_weights(np.array([1 / 3, 2 / 3]))
    (array([4, 1]), array([1, 2]))
    """
    parts = [Fraction(mass).limit_denominator(_MOST_PARTS) for mass in masses.tolist()]
    scale = lcm(*(part.denominator for part in parts))
    is_exact = max(abs(float(part) - mass) for part, mass in zip(parts, masses.tolist(), strict=True)) < 1e-15
    if is_exact and scale <= _FINE and sum(parts) == 1:
        return np.array([int(part * scale) for part in parts], dtype=np.int64)
    return np.rint(masses * _FINE).astype(np.int64)
