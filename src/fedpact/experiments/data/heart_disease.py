"""The four hospitals of the UCI heart-disease data, with a quarter of each one's patients public.

The data are those of Janosi, Steinbrunn, Pfisterer and Detrano, one line per patient, the hospital in front.
Ten features are used; the other three are missing at most patients. A patient is ill if ``num`` is above 0.

A cell that is empty or "?" is missing, and so is a blood pressure or a cholesterol of 0: nobody alive has it.
What is missing is filled in from the public patients of all hospitals alone: the median of what is measured,
the most frequent value of what is coded. So every hospital can do it, and no private patient has a say in it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.numbers import read_number
from fedpact.errors import FederationError
from fedpact.experiments.data.site_data import Labelled, SiteData, draw_public

FILE = "heart_disease_4hospitals.csv"
SOURCE = f"{FILE}, the heart-disease data of the UCI repository"
FEATURES = ("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak")
CODED = frozenset({"sex", "cp", "fbs", "restecg", "exang"})
NEVER_ZERO = frozenset({"trestbps", "chol"})
_COLUMNS = ("hospital", *FEATURES, "num")
_MISSING = frozenset({"", "?"})


def _read_cell(cell: str, column: str, where: str) -> float:
    if cell in _MISSING and column != "num":
        return np.nan
    value = read_number(cell, f"{where}: {column}")
    return np.nan if value == 0 and column in NEVER_ZERO else value


def _read_patients(lines: Iterable[str], path: Path) -> dict[str, list[list[float]]]:
    """Read the features and the diagnosis of every hospital's patients."""
    reader = csv.reader(lines)
    header = [cell.strip() for cell in next(reader, [])]
    absent = [column for column in _COLUMNS if column not in header]
    if absent:
        raise FederationError(f"{path}: line 1 must name the column {absent[0]!r} and does not")
    patients: dict[str, list[list[float]]] = {}
    for row in filter(None, reader):
        where = f"{path}: line {reader.line_num}"
        if len(row) != len(header):
            raise FederationError(f"{where} must have {len(header)} cells, one per column; it has {len(row)}")
        cells = {column: cell.strip() for column, cell in zip(header, row, strict=True)}
        if not cells["hospital"]:
            raise FederationError(f"{where}: hospital must have a name; it is empty")
        own = patients.setdefault(cells["hospital"], [])
        own.append([_read_cell(cells[column], column, where) for column in _COLUMNS[1:]])
    if not patients:
        raise FederationError(f"{path} must have one line per patient; it has none")
    return patients


def _read_file(folder: str | PathLike[str]) -> dict[str, NDArray[np.float64]]:
    path = Path(folder) / FILE
    if not Path(folder).is_dir():
        raise FederationError(f"data must be a folder that holds {FILE}; there is no folder {str(folder)!r}")
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            patients = _read_patients(lines, path)
    except FileNotFoundError:
        raise FederationError(f"data must be a folder that holds {FILE}; {str(folder)!r} does not") from None
    except OSError as error:
        raise FederationError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise FederationError(f"{path} must be a text of comma-separated values in UTF-8; it is not") from None
    return {hospital: np.array(rows) for hospital, rows in patients.items()}


def _fill_values(public: NDArray[np.float64]) -> NDArray[np.float64]:
    """(d,) what stands for a missing value of every feature."""
    values = []
    for feature, column in zip(FEATURES, public.T, strict=True):
        known = column[~np.isnan(column)]
        if not len(known):
            raise FederationError(f"{feature} must be known of at least one public patient; it never is")
        kinds, counts = np.unique(known, return_counts=True)
        values.append(kinds[counts.argmax()] if feature in CODED else np.median(known))
    return np.array(values)


def load_hospitals(folder: str | PathLike[str], rng: np.random.Generator) -> SiteData:
    """Read the hospitals' patients and draw who is public.

    Parameters
    ----------
    folder
        Holds ``heart_disease_4hospitals.csv``.
    rng
        Draws the public quarter of every hospital's patients.
    """
    patients = _read_file(folder)
    is_public = draw_public({hospital: len(own) for hospital, own in patients.items()}, rng)
    public = np.vstack([own[is_public[hospital]] for hospital, own in patients.items()])
    fill = _fill_values(public[:, :-1])

    def complete(rows: NDArray[np.float64]) -> Labelled:
        points = np.where(np.isnan(rows[:, :-1]), fill, rows[:, :-1])
        return Labelled(points, (rows[:, -1] > 0).astype(np.int64))

    return SiteData(
        name="hospitals",
        public=complete(public),
        private={hospital: complete(own[~is_public[hospital]]) for hospital, own in patients.items()},
    )
