"""Points of several sites, a quarter of each public: what the experiments on private data start from.

*Digits*: scikit-learn's handwritten digits, 1,797 images of 8 by 8 pixels. Every digit is shared out among the
sites by a draw of its own from a Dirichlet distribution, so a site sees much of some digits, little of others.

*Hospitals*: the four of the UCI heart-disease data by Janosi, Steinbrunn, Pfisterer and Detrano, one line per
patient, the hospital in front. Ten features are used; the other three are missing at most patients. A patient
is ill if ``num`` is above 0. A cell that is empty or "?" is missing, and so is a blood pressure or cholesterol of
0: nobody alive has it. What is missing is filled in from the public patients of all hospitals alone: the median of
what is measured, the most frequent value of what is coded. So every hospital can do it, and no private patient has
a say in it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.values import read_number

PUBLIC_SHARE = 0.25


class Labelled(NamedTuple):
    """Points with their labels."""

    points: NDArray[np.float64]
    """(n, d)"""
    labels: NDArray[np.int64]
    """(n,)"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SiteData:
    """Public points, from which candidates are trained, and the points of every site."""

    name: str
    public: Labelled
    private: Mapping[str, Labelled]
    """Site -> its own points. No stage that plans looks at their labels."""

    @property
    def sizes(self) -> dict[str, int]:
        """Points of every site."""
        return {site: len(own.labels) for site, own in self.private.items()}


def draw_public(sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, NDArray[np.bool_]]:
    """Draw a quarter of every site's points, at least one, to be public; at least one stays private.

    Examples
    --------
    >>> drawn = draw_public({"north": 40, "south": 10}, np.random.default_rng(0))
    >>> {site: int(is_public.sum()) for site, is_public in drawn.items()}
    {'north': 10, 'south': 2}
    """
    drawn = {}
    for site, n in sizes.items():
        if n < 2:
            raise fp.FederationError(f"site {site!r} must have two points or more, one of them public; it has {n}")
        is_public = np.zeros(n, dtype=bool)
        is_public[rng.permutation(n)[: max(1, round(PUBLIC_SHARE * n))]] = True
        drawn[site] = is_public
    return drawn


SITES = 5
CONCENTRATION = 0.5
_FEWEST = 20


def _share_out(digits: NDArray[np.int64], sites: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """(n,) the site of every image."""
    site = np.empty(len(digits), dtype=np.intp)
    for digit in np.unique(digits):
        shares = rng.dirichlet(np.full(sites, CONCENTRATION))
        own = np.flatnonzero(digits == digit)
        site[own] = rng.choice(sites, size=len(own), p=shares)
    # A site that is left with next to nothing is given some images of any kind.
    for poor in range(sites):
        lacking = _FEWEST - int((site == poor).sum())
        if lacking > 0:
            rich = np.flatnonzero(site == np.bincount(site, minlength=sites).argmax())
            site[rng.choice(rich, size=lacking, replace=False)] = poor
    return site


def load_digit_sites(rng: np.random.Generator) -> SiteData:
    """Share the digits out among five sites.

    Examples
    --------
    >>> data = load_digit_sites(np.random.default_rng(0))
    >>> len(data.public.labels) + sum(data.sizes.values())
    1797
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise fp.errors.MissingExtraError("the digits", extra="sklearn") from error
    images, digits = load_digits(return_X_y=True)
    site = _share_out(digits, SITES, rng)
    places = {f"site-{number + 1}": np.flatnonzero(site == number) for number in range(SITES)}
    is_public = draw_public({name: len(own) for name, own in places.items()}, rng)
    public = np.concatenate([own[is_public[name]] for name, own in places.items()])
    private = {name: own[~is_public[name]] for name, own in places.items()}
    return SiteData(
        name="digits",
        public=Labelled(images[public], digits[public]),
        private={name: Labelled(images[own], digits[own]) for name, own in private.items()},
    )


FILE = "heart_disease_4hospitals.csv"
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
        raise fp.FederationError(f"{path}: line 1 must name the column {absent[0]!r} and does not")
    patients: dict[str, list[list[float]]] = {}
    for row in filter(None, reader):
        where = f"{path}: line {reader.line_num}"
        if len(row) != len(header):
            raise fp.FederationError(f"{where} must have {len(header)} cells, one per column; it has {len(row)}")
        cells = {column: cell.strip() for column, cell in zip(header, row, strict=True)}
        if not cells["hospital"]:
            raise fp.FederationError(f"{where}: hospital must have a name; it is empty")
        own = patients.setdefault(cells["hospital"], [])
        own.append([_read_cell(cells[column], column, where) for column in _COLUMNS[1:]])
    if not patients:
        raise fp.FederationError(f"{path} must have one line per patient; it has none")
    return patients


def _read_file(folder: str | PathLike[str]) -> dict[str, NDArray[np.float64]]:
    path = Path(folder) / FILE
    if not Path(folder).is_dir():
        raise fp.FederationError(f"data must be a folder that holds {FILE}; there is no folder {str(folder)!r}")
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            patients = _read_patients(lines, path)
    except FileNotFoundError:
        raise fp.FederationError(f"data must be a folder that holds {FILE}; {str(folder)!r} does not") from None
    except OSError as error:
        raise fp.FederationError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise fp.FederationError(f"{path} must be a text of comma-separated values in UTF-8; it is not") from None
    return {hospital: np.array(rows) for hospital, rows in patients.items()}


def _fill_values(public: NDArray[np.float64]) -> NDArray[np.float64]:
    """(d,) what stands for a missing value of every feature."""
    values = []
    for feature, column in zip(FEATURES, public.T, strict=True):
        known = column[~np.isnan(column)]
        if not len(known):
            raise fp.FederationError(f"{feature} must be known of at least one public patient; it never is")
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
