"""Matrices of labels for the commands that take them: ``.npy`` and ``.csv``."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp

_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrix:
    """Labels (H, m), and the names of the rows where the file has any."""

    labels: NDArray[Any]
    names: tuple[str, ...] | None


def read_matrix(path: str) -> Matrix:
    """Read ``.npy``, one row per candidate, or ``.csv``, one column per candidate under its name."""
    readers = {".npy": _read_npy, ".csv": _read_csv}
    suffix = Path(path).suffix.lower()
    if suffix not in readers:
        raise fp.FederationError(f"{path}: a file of labels must end in .npy or .csv; it ends in {suffix!r}")
    try:
        return readers[suffix](path)
    except FileNotFoundError:
        raise fp.FederationError(f"{path}: no such file") from None
    except (OSError, ValueError, EOFError, csv.Error) as error:
        if isinstance(error, fp.FederationError):
            raise
        raise fp.FederationError(
            f"{path}: not a file of labels; write it with numpy.save or as text, separated by commas"
        ) from None


def _read_npy(path: str) -> Matrix:
    labels = np.load(path, allow_pickle=False)
    return Matrix(labels=labels[None] if labels.ndim == 1 else labels, names=None)


def _read_csv(path: str) -> Matrix:
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        names, *rows = [[cell.strip() for cell in line] for line in csv.reader(file, strict=True)] or [[]]
    if not rows or "" in names or len(set(names)) < len(names):
        raise fp.FederationError(
            f"{path}: line 1 must hold a different name for every column, and samples must follow, one per line"
        )
    for number, row in enumerate(rows, 2):
        wrong = next((cell for cell in row if not _is_label(cell)), None)
        if len(row) != len(names) or wrong is not None:
            found = f"{len(row)} of them" if wrong is None else repr(wrong)
            raise fp.FederationError(
                f"{path}: line {number} must hold {len(names)} labels, whole numbers or names; it holds {found}"
            )
    labels = np.array(rows).T
    is_whole = all(_WHOLE.fullmatch(cell) for cell in np.unique(labels))
    return Matrix(labels=labels.astype(np.int64) if is_whole else labels, names=tuple(names))


def _is_label(cell: str) -> bool:
    if not cell or _WHOLE.fullmatch(cell):
        return bool(cell)
    try:
        float(cell)
    except ValueError:
        return True
    return False


def number_labels(*matrices: NDArray[Any]) -> list[NDArray[Any]]:
    """Put whole numbers for labels that are names, the same in all matrices; numbers stay as they are."""
    are_names = {matrix.dtype.kind == "U" for matrix in matrices if matrix.size}
    if are_names == {True, False}:
        raise fp.FederationError("predictions and labels must use the same labels; one has names, one numbers")
    if True not in are_names:
        return list(matrices)
    _, codes = np.unique(np.concatenate([matrix.ravel() for matrix in matrices]), return_inverse=True)
    pieces = np.split(codes, np.cumsum([matrix.size for matrix in matrices])[:-1])
    return [piece.reshape(matrix.shape) for piece, matrix in zip(pieces, matrices, strict=True)]
