"""Labels that people have made: a site's ``annotations.csv``.

It has two columns: ``point``, the number of a point, from 1 as the lines of its files are, and ``label``. A
labelled point is never asked for again, in this run or another, so points must keep their numbers: new ones
come last, and whoever replaces the points moves ``annotations.csv`` away. People may edit the file. While it
cannot be read the site waits instead of giving up, and its own log says why.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.describe.spreadsheets import find_column, is_same_cell, read_sheet, to_csv
from fedpact.describe.whole_files import alone_at, write_whole
from fedpact.errors import FederationError, LabelsPendingError, Problems

LOG = logging.getLogger("fedpact")
MISSING = -1
"""Instead of a label's code: nobody has labelled this point yet."""
FILE = "annotations.csv"
HEAD = ("point", "label")
ID = "id"
_NUMBER = re.compile(r"[0-9]{1,15}")
_SHOWN = 12


def _say_classes(classes: tuple[Any, ...]) -> str:
    more = f", ... ({len(classes)} in all)" if len(classes) > _SHOWN else ""
    return ", ".join(map(str, classes[:_SHOWN])) + more


def _spellings(classes: tuple[Any, ...]) -> dict[str, str]:
    """How a class may be written: as it is, or trimmed and in other capitals where no two differ only by these."""
    exact = [str(label) for label in classes]
    folded = [label.strip().casefold() for label in exact]
    loose = {key: label for key, label in zip(folded, exact, strict=True) if folded.count(key) == 1}
    return loose | {label: label for label in exact}


class Filled(NamedTuple):
    """What people filled in."""

    labels: dict[int, str]
    """By point, numbered from 0."""
    repeated: int
    """Rows that say of a point what another row has said already."""


def read_filled(path: Path, classes: tuple[Any, ...], n: int, ids: tuple[str, ...] | None = None) -> Filled:
    """Read labels by point; rows without a label are passed over.

    Parameters
    ----------
    path
        A CSV file with the columns ``point`` and ``label``, and any others.
    classes
        What a label may be.
    n
        Number of points.
    ids
        What the site calls each of them; a column ``id``, if there is one, must say the same.

    Raises
    ------
    FederationError
        With one line per problem.
    """
    sheet = read_sheet(path)
    at_point, at_label = (find_column(sheet, name, path) for name in HEAD)
    has_ids = ids is not None and ID in [title.casefold() for title in sheet.head]
    at_id = find_column(sheet, ID, path) if has_ids else None
    spellings, problems, found = _spellings(classes), Problems(), dict[int, str]()
    labelled = 0
    for line, cells in sheet.rows:
        text, label = cells[at_point], cells[at_label]
        if text or label:
            problem = _take(found, text, label, n, spellings, classes)
            if problem is None and ids is not None and at_id is not None:
                problem = _compare(text, cells[at_id], ids)
            if problem is not None:
                problems.add(one_line(f"{path}, line {line}: {problem}"))
            labelled += bool(label)
    problems.raise_if_any()
    return Filled(labels=found, repeated=labelled - len(found))


def _compare(text: str, given: str, ids: tuple[str, ...]) -> str | None:
    """Say if a point is no longer the one that was exported under its number."""
    own = ids[int(text) - 1]
    if is_same_cell(given, own):
        return None
    return f"point {text} is {shorten(own)} at this site, and {shorten(given)} in the file; were points moved?"


def _take(
    found: dict[int, str],
    text: str,
    label: str,
    n: int,
    spellings: Mapping[str, str],
    classes: tuple[Any, ...],
) -> str | None:
    """Take the label of one row, or say what is wrong with it."""
    if not _NUMBER.fullmatch(text) or not 1 <= int(text) <= n:
        return f"point must be a number from 1 to {n}; it is {shorten(text)}"
    if not label:
        return None
    place, spelt = int(text) - 1, spellings.get(label, spellings.get(label.casefold()))
    if spelt is None:
        return f"the label of point {text} must be one of {_say_classes(classes)}; it is {shorten(label)}"
    if found.setdefault(place, spelt) != spelt:
        return f"point {text} is labelled both {found[place]!r} and {spelt!r}; keep one of them"
    return None


class Annotations:
    """Labels the points that people have labelled."""

    def __init__(self, path: Path, classes: tuple[Any, ...], n: int) -> None:
        self.path, self.classes, self.n = path, classes, n

    def __call__(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """(m,) codes of labels, :data:`MISSING` where there is none.

        Raises
        ------
        LabelsPendingError
            If the file cannot be read: somebody will mend it. What is wrong with it names points and labels, so it
            goes to the site's own log alone.
        """
        try:
            known = self.read()
        except FederationError as error:
            LOG.warning("this site waits, its labels cannot be read: %s", error)
            raise LabelsPendingError("its labels cannot be read; its own log says why") from None
        codes = {str(label): code for code, label in enumerate(self.classes)}
        labels = [known.get(place) for place in places.tolist()]
        return np.array([MISSING if label is None else codes[label] for label in labels], dtype=np.intp)

    def read(self) -> dict[int, str]:
        """Labels that are there, by point."""
        return read_filled(self.path, self.classes, self.n).labels if self.path.exists() else {}

    def add(self, labels: Mapping[int, str], expected: frozenset[int], source: Path) -> int:
        """Keep more labels, all or none of them; returns how many are new.

        Parameters
        ----------
        labels
            By point, as :func:`read_filled` gives them.
        expected
            Points that a run has asked for.
        source
            Where they come from, to be named where something is wrong.
        """
        try:
            with alone_at(self.path.with_name(f".{self.path.name}.lock")):
                known = self.read()
                self._check(labels, known, expected, source)
                kept = {**known, **labels}
                rows = [(place + 1, kept[place]) for place in sorted(kept)]
                write_whole(self.path, to_csv(HEAD, rows))
        except OSError as error:
            raise FederationError(one_line(f"{self.path}: cannot be written: {error.strerror}")) from None
        return len(set(labels) - set(known))

    def _check(
        self, labels: Mapping[int, str], known: Mapping[int, str], expected: frozenset[int], source: Path
    ) -> None:
        problems = Problems()
        for place, label in labels.items():
            if place in known and known[place] != label:
                problems.add(
                    f"{source}: point {place + 1} is labelled {label!r}, and {known[place]!r} in {self.path} "
                    f"already; if the new label is the right one, change it there first"
                )
            elif place not in known and place not in expected:
                problems.add(
                    f"{source}: point {place + 1} was never to be labelled here; is this another site's file?"
                )
        problems.raise_if_any()
