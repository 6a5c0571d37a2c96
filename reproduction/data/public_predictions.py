"""What many public models say of the points of public data sets, with their labels: collections for selection.

A collection is a file ``selection/NAME.npz``: ``p0``, ``p1``, ... (H, n_i) what each of H models says of the
points of site i, as codes of classes, and ``y0``, ``y1``, ... (n_i,) the labels; ``sites`` are names, if there
are any.
"""

from __future__ import annotations

import zipfile
import zlib
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp

FOLDER = "selection"
_BROKEN = (ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, AttributeError, TypeError)


class Labelled(NamedTuple):
    """What every candidate says of a site's points, and their labels."""

    said: NDArray[np.int64]
    """(H, n)"""
    labels: NDArray[np.int64]
    """(n,)"""

    @property
    def regret(self) -> NDArray[np.float64]:
        """(H,) how much more often than the best candidate each errs."""
        error = (self.said != self.labels).mean(axis=1)
        return np.asarray(error - error.min())


Collection = dict[str, Labelled]
"""Site -> what is said and true there."""


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            return {key: file[key] for key in file}
    except FileNotFoundError:
        raise fp.FederationError(f"data must be a folder that holds {FOLDER}/{path.name}; it does not") from None
    except OSError as error:
        raise fp.FederationError(f"{path} cannot be read: {error.strerror or error}") from None
    except _BROKEN:
        raise fp.FederationError(f"{path} must be a whole .npz file of plain arrays; it is not") from None


def _read_site(arrays: dict[str, NDArray[Any]], place: int, H: int | None, path: Path) -> Labelled:
    said, labels = arrays[f"p{place}"], arrays.get(f"y{place}")
    if said.ndim != 2 or said.dtype.kind not in "iu" or len(said) != (len(said) if H is None else H):
        raise fp.FederationError(
            f"{path}: p{place} must be whole numbers, a row for each candidate; it is {said.shape} of {said.dtype}"
        )
    if labels is None or labels.shape != said.shape[1:] or labels.dtype.kind not in "iu":
        raise fp.FederationError(f"{path}: y{place} must be a whole number for each of {said.shape[1]} points")
    return Labelled(said.astype(np.int64), labels.astype(np.int64))


def load_collection(folder: str, name: str) -> Collection:
    """Read a collection.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> (Path(folder.name) / FOLDER).mkdir()
    >>> np.savez(Path(folder.name) / FOLDER / "two.npz", p0=[[0, 1], [1, 1]], y0=[0, 0])
    >>> load_collection(folder.name, "two")["two"].regret.tolist()
    [0.0, 0.5]
    >>> folder.cleanup()
    """
    path = Path(folder) / FOLDER / f"{name}.npz"
    arrays = _read_arrays(path)
    read: list[Labelled] = []
    for place in count():
        if f"p{place}" not in arrays:
            break
        read.append(_read_site(arrays, place, len(read[0].said) if read else None, path))
    if not read:
        raise fp.FederationError(f"{path} must hold p0, what candidates say of a site's points; it does not")
    alone = [name] if len(read) == 1 else [f"site-{place + 1}" for place in range(len(read))]
    names = [str(one) for one in arrays.get("sites", np.array(alone))]
    if len(names) != len(read) or len(set(names)) != len(names):
        raise fp.FederationError(f"{path}: sites must be {len(read)} different names; they are {names}")
    return dict(zip(names, read, strict=True))
