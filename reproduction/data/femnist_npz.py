"""FEMNIST from one compressed NumPy file of bytes, which loads in a tenth of a second.

The file holds ``x`` (n, 784) bytes, 255 for white; ``y`` (n,) labels from 0 to 61; ``writers``, their names;
and ``writer`` (n,) places in it. What else it holds is not read.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.data.femnist_format import PIXELS, make_femnist, read_labels
from reproduction.data.writers import Writers

FILE = "femnist_writers.npz"
_KEYS = ("x", "y", "writer", "writers")
_BROKEN = (ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)
# What a byte is worth as ink.
_INK = (1 - np.arange(256) / 255).astype(np.float32)


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays that are wanted, or say in one line why there are none."""
    try:
        with np.load(path, allow_pickle=False) as file:
            absent = [key for key in _KEYS if key not in file]
            if absent:
                raise fp.FederationError(f"{path} must hold {', '.join(_KEYS)}; {absent[0]!r} is missing")
            return {key: file[key] for key in _KEYS}
    except fp.FederationError:
        raise
    except (AttributeError, TypeError, *_BROKEN):  # the first two: one array, and no archive of several
        raise fp.FederationError(f"{path} must be a whole .npz file of plain arrays; it is not") from None
    except OSError as error:
        raise fp.FederationError(f"{path} cannot be read: {error.strerror or error}") from None


def _check_arrays(arrays: dict[str, NDArray[Any]], path: Path) -> None:
    x, writer, writers = arrays["x"], arrays["writer"], arrays["writers"]
    if x.dtype != np.uint8 or x.ndim != 2 or x.shape[1] != PIXELS:
        raise fp.FederationError(f"{path}: x must be (n, {PIXELS}) of uint8; it is {x.shape} of {x.dtype}")
    for key in ("y", "writer"):
        if arrays[key].shape != (len(x),):
            raise fp.FederationError(f"{path}: {key} must be ({len(x)},), as x has it; it is {arrays[key].shape}")
    names = writers.tolist()
    is_list = writers.ndim == 1 and writers.dtype.kind == "U" and len(set(names)) == len(names)
    if not is_list or not all(map(str.isprintable, names)):
        raise fp.FederationError(f"{path}: writers must be a list of names, each once and in one line; it is not")
    if writer.dtype.kind not in "iu" or not np.isin(writer, np.arange(len(writers))).all():
        raise fp.FederationError(f"{path}: writer must lie from 0 to {len(writers) - 1}, a place in writers")


def read_npz(path: Path) -> Writers:
    """Read FEMNIST from a file of NumPy arrays.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / FILE
    >>> white = np.full((2, PIXELS), 255, dtype=np.uint8)
    >>> np.savez_compressed(path, x=white, y=[7, 40], writer=[0, 0], writers=["f0000_14"])
    >>> data = read_npz(path)
    >>> data.sizes, float(data.images.max())
    ({'f0000_14': 2}, 0.0)
    >>> folder.cleanup()
    """
    arrays = _read_arrays(path)
    _check_arrays(arrays, path)
    labels = read_labels(arrays["y"], str(path))
    names = tuple(arrays["writers"].tolist())
    return make_femnist(_INK[arrays["x"]], labels, arrays["writer"].astype(np.int64), names, path.name)
