"""Arrays saved by ``numpy.save``, and one agent's points: such an array, or numbers in a .csv under a header.

Arrays are mapped, without executing anything and without trusting what the file says of their size. The header
of a .csv names the features; a number may be written as a fraction, as everywhere in a federation's files.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.numbers import read_number, shorten
from fedpact.describe.parsing import about, read_text
from fedpact.describe.report_files import UNREADABLE
from fedpact.errors import FederationError, Problems


def map_npy(path: Path, or_else: str) -> NDArray[Any]:
    """Map an array; a header that promises more than the file holds, or Python objects, is refused."""
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        raise FederationError(f"{path}: no such file") from None
    except UNREADABLE:
        raise FederationError(f"{path}: not an .npy array that can be read without pickle{or_else}") from None


class PointFile(NamedTuple):
    """Points (n,) or (n, d), and the features' names if the file has them."""

    points: NDArray[np.number]
    header: tuple[str, ...] | None


def _read_header(row: list[str]) -> tuple[str, ...]:
    header = tuple(name.strip() for name in row)
    has_number = any(Problems().read("", read_number, name, "") is not None for name in header)
    if not header or not all(header) or len(set(header)) < len(header) or has_number:
        raise FederationError(f"line 1 must be a header of different names; it is {shorten(','.join(row))}")
    return header


def _read_row(row: list[str], line: int, header: tuple[str, ...]) -> list[float]:
    if len(row) != len(header):
        raise FederationError(f"line {line} must have {len(header)} numbers, as the header; it has {len(row)}")
    cells = zip(row, header, strict=True)
    return [read_number(text.strip(), f"line {line}: {shorten(name)}") for text, name in cells]


def _read_csv(path: Path) -> PointFile:
    lines = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = _read_header(next(lines, []))
        rows = [_read_row(row, lines.line_num, header) for row in lines if row]
    except csv.Error as error:
        raise FederationError(f"line {lines.line_num}: not valid CSV: {error}") from None
    if not rows:
        raise FederationError("there are no points below the header")
    return PointFile(np.array(rows), header)


def read_point_file(path: Path) -> PointFile:
    """Read a .csv, by its ending, or else an array."""
    if path.suffix.lower() == ".csv":
        with about(path):
            return _read_csv(path)
    array = map_npy(path, ", and its name does not end in .csv")
    if array.dtype.kind not in "biuf":
        raise FederationError(f"{path}: points must be numbers; the array holds {array.dtype}")
    return PointFile(array, None)
