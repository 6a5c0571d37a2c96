"""What a site sends instead of its data: how often any two candidates disagree on its points.

Counts stand in the condensed order of ``scipy.spatial.distance.pdist`` (:mod:`fedpact.describe.condensed`). Two
things may have been done to them before they were sent. *Suppression*: a count below ``minimum_count`` is sent as
0 and one above n - minimum_count as n, so that a sent 0 or n stands for a range. *Noise*: a number
drawn for each count was added to it, as :class:`Noise` says; a noisy count is cut to 0 and n.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.condensed import count_pairs, height_of, to_square
from fedpact.describe.hypothesis_class import number_names
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import read_chance, read_in, read_whole_number, shorten
from fedpact.errors import FederationError
from fedpact.plain import to_plain
from fedpact.result import Shown
from fedpact.rows import Column

MECHANISMS = ("discrete-gaussian",)
_SLACK = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Independent noise on every count, and the differential privacy that it gives.

    Examples
    --------
    >>> Noise(scale=10.0, privacy_epsilon=1.0, privacy_delta=1e-6).reach(0.001)
    37
    """

    mechanism: str = "discrete-gaussian"
    scale: float
    """Noise z has a chance in proportion to exp(-z^2 / 2 scale^2); its standard deviation is at most this."""
    privacy_epsilon: float
    privacy_delta: float
    """The report is (epsilon, delta)-differentially private if one point is exchanged for another."""

    def __post_init__(self) -> None:
        read_choice(self.mechanism, "noise: mechanism", MECHANISMS)
        for field in ("scale", "privacy_epsilon"):
            value = read_in("(]", 0, sys.float_info.max, getattr(self, field), f"noise: {field}")
            object.__setattr__(self, field, value)
        object.__setattr__(self, "privacy_delta", read_chance(self.privacy_delta, "noise: privacy_delta"))

    def reach(self, risk: float) -> int:
        """Whole number that the noise of one count exceeds, in a given direction, with at most this chance.

        A discrete Gaussian Z is subgaussian as the continuous one is, E exp(a Z) <= exp(a^2 scale^2 / 2)
        (Canonne, Kamath and Steinke 2020), so that Pr[Z >= t] <= exp(-t^2 / 2 scale^2). To exceed the reach is
        to be at least the reach + 1. For a small scale the bound is nearly an equality, hence the slack for
        rounding.
        """
        tail = self.scale * math.sqrt(2 * math.log(1 / risk)) * (1 + _SLACK)
        return max(0, math.ceil(tail) - 1)


LARGEST = 2**53


def hide_counts(counts: NDArray[np.integer], n: int, minimum_count: int) -> NDArray[np.integer]:
    """Set counts below the minimum to 0 and those of less than that below n to n, as they are sent.

    Examples
    --------
    >>> hide_counts(np.array([0, 3, 7, 47, 50]), 50, 5)
    array([ 0,  0,  7, 50, 50])
    """
    return np.where(counts < minimum_count, 0, np.where(counts > n - minimum_count, n, counts))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Report(Shown):
    """Pairwise disagreement counts of H hypotheses on n points of one site.

    :func:`fedpact.report` makes one from predictions, :func:`fedpact.sites.read_report` reads a file.

    Examples
    --------
    >>> site = Report(name="alice", n=10, n_classes=2, counts=np.array([2, 5, 3]))
    >>> site.H
    3
    >>> site.square()
    array([[0, 2, 5],
           [2, 0, 3],
           [5, 3, 0]])
    """

    schema: ClassVar[int] = 1

    name: str
    n: int
    """Number of points that the site looked at."""
    n_classes: int
    """Number of different labels; 2 makes intersections of disagreements exact."""
    counts: NDArray[np.integer]
    """(H(H-1)/2,) on how many points the two hypotheses of a pair differ."""
    candidates: CandidateList | None = None
    """Which models were compared, if the site says."""
    minimum_count: int = 0
    """Counts below this, and of less than this below n, are not told apart."""
    noise: Noise | None = None
    """What was added to the counts, if anything was."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise FederationError(
                f"a report's name must be a string that is not empty; it is {shorten(self.name)}"
            )
        where = f"report {self.name!r}"
        for field, least in (("n", 1), ("n_classes", 1), ("minimum_count", 0)):
            value = read_whole_number(getattr(self, field), f"{where}: {field}", least=least, most=LARGEST)
            object.__setattr__(self, field, value)
        object.__setattr__(self, "counts", self._read_counts(where))
        if self.candidates is not None and self.candidates.H != self.H:
            raise FederationError(
                f"{where}: it names {self.candidates.H} candidates, but its counts are those of {self.H}"
            )

    def _read_counts(self, where: str) -> NDArray[np.integer]:
        counts = np.asarray(self.counts)
        if counts.ndim != 1 or counts.dtype.kind not in "iu":
            raise FederationError(f"{where}: counts must be one row of whole numbers")
        if len(counts) != count_pairs(height_of(len(counts))):
            raise FederationError(
                f"{where}: counts must have H(H-1)/2 entries for some H; there are {len(counts)}"
            )
        if len(counts) and not 0 <= counts.min() <= counts.max() <= self.n:
            raise FederationError(
                f"{where}: counts must lie between 0 and n = {self.n}; "
                f"they run from {counts.min()} to {counts.max()}"
            )
        if self.n_classes == 1 and counts.any():
            raise FederationError(f"{where}: with one label nothing differs, but some counts are above 0")
        if self.minimum_count and (hide_counts(counts, self.n, self.minimum_count) != counts).any():
            raise FederationError(
                f"{where}: counts below minimum_count = {self.minimum_count} must have been sent as 0"
            )
        counts = counts.astype(np.min_scalar_type(self.n))
        counts.flags.writeable = False
        return counts

    @property
    def H(self) -> int:
        """Number of hypotheses."""
        return height_of(len(self.counts))

    @property
    def is_exact(self) -> bool:
        """Whether every count is just what the site counted."""
        return self.minimum_count <= 1 and self.noise is None

    def square(self) -> NDArray[np.int64]:
        """(H, H) counts."""
        return to_square(self.counts.astype(np.int64))

    def ranges(self, sent: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Least and largest count, before suppression, that each of some counts may have been sent for.

        Examples
        --------
        >>> site = Report(name="alice", n=50, n_classes=2, counts=np.array([0, 7, 50]), minimum_count=5)
        >>> site.ranges(site.counts)
        (array([ 0,  7, 46]), array([ 4,  7, 50]))
        """
        least, most = sent.astype(np.int64), sent.astype(np.int64)
        if self.minimum_count > 1:
            most = np.where(sent == 0, min(self.minimum_count - 1, self.n), most)
            least = np.where(sent == self.n, max(self.minimum_count, self.n - self.minimum_count + 1), least)
        return least, most

    def own_columns(self) -> list[Column]:
        """List at which rates each candidate differs from the others: least, on average, most."""
        names = self.candidates.names if self.candidates else number_names("h", self.H)
        rates = (self.square() / self.n)[~np.eye(self.H, dtype=np.bool_)].reshape(self.H, -1)
        folds: dict[str, Callable[..., NDArray[Any]]] = {"least": np.min, "mean": np.mean, "most": np.max}
        found = {key: fold(rates, axis=1).tolist() if self.H > 1 else [None] for key, fold in folds.items()}
        return [Column("candidate", str, names), *(Column(key, float, tuple(own)) for key, own in found.items())]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, all but the counts: those are for the file that :meth:`save` writes."""
        return {
            "kind": self.kind,
            "schema": self.schema,
            "name": self.name,
            "H": self.H,
            "n": self.n,
            "n_classes": self.n_classes,
            "candidates": None if self.candidates is None else self.candidates.fingerprint,
            "minimum_count": self.minimum_count,
            "noise": to_plain(self.noise),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the report as one ``.npz`` file."""
        from fedpact.describe.report_files import to_bytes

        try:
            Path(path).write_bytes(to_bytes(self))
        except OSError as error:
            raise FederationError(f"{path}: the report cannot be written: {error.strerror}") from None
