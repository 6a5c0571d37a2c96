"""A matrix of predictions as NumPy keeps it: ``.npy``, one row per candidate, one column per point.

The file is mapped, not loaded, and read one row at a time; a file that holds pickled objects is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.predicted import Predicted
from fedpact.describe.hypothesis_class import number_names
from fedpact.describe.label_codes import Coded, code_labels
from fedpact.describe.report_files import UNREADABLE
from fedpact.errors import FederationError


def _map(path: Path) -> NDArray[Any]:
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        raise FederationError(f"{path}: no such file") from None
    except UNREADABLE:
        pass
    raise FederationError(
        f"{path}: not an .npy matrix that can be read without pickle, or one without any point; "
        "write it with numpy.save, labels as whole numbers or strings"
    )


def read_npy(path: Path, *, before: int) -> dict[str, Coded]:
    """Rows of one file: a single one is called after the file, others h1, h2, ... from ``before`` + 1."""
    array = _map(path)
    if array.ndim not in (1, 2) or not array.size:
        raise FederationError(
            f"{path}: must be a matrix, candidates by points, or one candidate's row, with at least one point; "
            f"its shape is {array.shape}"
        )
    rows = np.atleast_2d(array)
    names = (path.stem,) if len(rows) == 1 else number_names("h", before + len(rows))[before:]
    return {name: code_labels(row, f"{path}: {name!r}") for name, row in zip(names, rows, strict=True)}


def _smallest_signed(labels: NDArray[Any]) -> type[np.signedinteger[Any]]:
    kinds = (np.int8, np.int16, np.int32)
    return next((kind for kind in kinds if np.array_equal(labels.astype(kind), labels)), np.int64)


def write_npy(predicted: Predicted, path: Path) -> None:
    """Write the labels by the names of their classes; the names of the candidates are not kept."""
    labels = predicted.decode()
    if labels.dtype.kind == "i":
        labels = labels.astype(_smallest_signed(labels))
    with path.open("wb") as file:
        np.save(file, labels, allow_pickle=False)
