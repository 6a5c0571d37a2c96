"""Images of characters by several writers: what an experiment on handwriting starts from."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.values import shorten

_NAMED = 3  # writers that a message names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Writers:
    """Labelled images, each by one of several writers. The arrays are read-only.

    Examples
    --------
    >>> blank = np.zeros((3, 2, 2), dtype=np.float32)
    >>> data = Writers(
    ...     name="letters", images=blank, labels=np.array([0, 1, 1]), writer=np.array([1, 0, 1]),
    ...     names=("ann", "ben"), classes=2, source="three blank sheets",
    ... )
    >>> data.sizes
    {'ben': 2, 'ann': 1}
    >>> data.places("ben").tolist()
    [0, 2]
    >>> data.places("cid")
    Traceback (most recent call last):
    fedpact.errors.FederationError: writer 'cid' is not in three blank sheets; the largest are ben (2), ann (1)
    """

    name: str
    images: NDArray[np.float32]
    """(n, side, side), 0 is paper and 1 is ink"""
    labels: NDArray[np.int64]
    """(n,) from 0 to classes - 1"""
    writer: NDArray[np.int64]
    """(n,) places in ``names``"""
    names: tuple[str, ...]
    classes: int
    source: str
    """Where the images come from: the name of a file or of a data set, never a folder."""

    def __post_init__(self) -> None:
        for array in (self.images, self.labels, self.writer):
            array.flags.writeable = False

    @property
    def sizes(self) -> dict[str, int]:
        """Images of every writer, the largest first; those of one size by name."""
        counts = np.bincount(self.writer, minlength=len(self.names)).tolist()
        return dict(sorted(zip(self.names, counts, strict=True), key=lambda item: (-item[1], item[0])))

    def places(self, name: str) -> NDArray[np.intp]:
        """Places of a writer's images, in the order of the file."""
        if name not in self.names:
            hint = _suggest(name, self.sizes)
            raise fp.FederationError(f"writer {shorten(name)} is not in {self.source}; {hint}")
        return np.flatnonzero(self.writer == self.names.index(name))


def _suggest(name: str, sizes: dict[str, int]) -> str:
    """Who may have been meant, or else those with most images."""
    near = difflib.get_close_matches(str(name), sizes, n=1, cutoff=0.8)
    named = ", ".join(f"{other} ({sizes[other]})" for other in near or list(sizes)[:_NAMED])
    return f"did you mean {named}?" if near else f"the largest are {named}"
