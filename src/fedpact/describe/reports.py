"""What a site sends instead of its data: how often any two hypotheses disagree on its points.

A report is one ``.npz`` file that is read without pickle. It carries the name, the number of points, the
number of label classes and the condensed counts in the order of ``scipy.spatial.distance.pdist``: (1,2),
(1,3), ..., (2,3), ...
"""

from __future__ import annotations

import lzma
import math
import tokenize
import zipfile
import zlib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import squareform

from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.errors import FederationError

FORMAT = 1
LARGEST = 2**53

UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    EOFError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)
"""What numpy raises, without pickle, on a file that is not what it claims to be."""

_FIELDS = ("format", "name", "n", "n_classes", "counts")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Report:
    """Pairwise disagreement counts of H hypotheses on n points of one site.

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

    name: str
    n: int
    """Number of points that the site looked at."""
    n_classes: int
    """Number of different labels; 2 makes intersections of disagreements exact."""
    counts: NDArray[np.integer]
    """(H(H-1)/2,) on how many points the two hypotheses of a pair differ."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise FederationError(f"a report's name must be a string; it is {shorten(self.name)}")
        for field in ("n", "n_classes"):
            object.__setattr__(
                self, field, read_whole_number(getattr(self, field), f"report {self.name!r}: {field}")
            )
        counts = np.asarray(self.counts)
        if counts.ndim != 1 or counts.dtype.kind not in "iu":
            raise FederationError(f"report {self.name!r}: counts must be one row of whole numbers")
        for field, value in (("n", self.n), ("n_classes", self.n_classes)):
            if not 1 <= value <= LARGEST:
                raise FederationError(
                    f"report {self.name!r}: {field} must lie between 1 and 2^53; it is {shorten(value)}"
                )
        H = _height(len(counts))
        if len(counts) != H * (H - 1) // 2:
            raise FederationError(
                f"report {self.name!r}: counts must have H(H-1)/2 entries for some H; there are {len(counts)}"
            )
        if len(counts) and not 0 <= counts.min() <= counts.max() <= self.n:
            raise FederationError(
                f"report {self.name!r}: counts must lie between 0 and n = {self.n}; "
                f"they run from {counts.min()} to {counts.max()}"
            )
        counts = counts.astype(np.min_scalar_type(self.n))
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)

    @property
    def H(self) -> int:
        """Number of hypotheses."""
        return _height(len(self.counts))

    def square(self) -> NDArray[np.int64]:
        """(H, H) counts."""
        counts = self.counts.astype(np.int64)
        return np.asarray(squareform(counts)) if len(counts) else np.zeros((1, 1), dtype=np.int64)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the report as ``.npz``."""
        try:
            with Path(path).open("wb") as file:
                np.savez_compressed(
                    file,
                    format=np.int64(FORMAT),
                    name=np.str_(self.name),
                    n=np.int64(self.n),
                    n_classes=np.int64(self.n_classes),
                    counts=self.counts,
                )
        except OSError as error:
            raise FederationError(f"{path}: the report cannot be written: {error.strerror}") from None


def read_report(path: str | PathLike[str]) -> Report:
    """Read a report without executing anything from the file."""
    fields = _read_fields(Path(path))
    missing = [field for field in _FIELDS if field not in fields]
    if missing:
        raise FederationError(f"{path}: not a fedpact report; it lacks {', '.join(missing)}")
    if fields["format"].shape != () or fields["format"].tolist() != FORMAT:
        raise FederationError(
            f"{path}: report format must be {FORMAT}; it is {shorten(fields['format'].tolist())}"
        )
    try:
        return Report(
            name=str(fields["name"].tolist()),
            n=read_whole_number(fields["n"].tolist(), "n"),
            n_classes=read_whole_number(fields["n_classes"].tolist(), "n_classes"),
            counts=fields["counts"],
        )
    except FederationError as error:
        raise FederationError(f"{path}: {error}") from None


def _read_fields(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return {key: np.asarray(archive[key]) for key in _FIELDS if key in archive.files}
    except FileNotFoundError:
        raise FederationError(f"{path}: no such file") from None
    except UNREADABLE:
        raise FederationError(f"{path}: not a fedpact report (.npz without pickled objects)") from None


def _height(pairs: int) -> int:
    return (1 + math.isqrt(1 + 8 * pairs)) // 2
