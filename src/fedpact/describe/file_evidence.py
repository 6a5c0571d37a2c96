"""The part of a federation file that says how the agents' data differ.

:data:`KINDS` has a reader for every key that an agent's table may have. Readers note what is wrong and go on, so
that one pass over a file finds all its problems; the federation is built only if none was noted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.array_files import PointFile, map_npy, read_point_file
from fedpact.describe.classes import NAMES, OF_POINTS, ON_LINE, ON_POINTS, check_class, make_class
from fedpact.describe.doubts import warn_of_ids, warn_of_orientation
from fedpact.describe.evidence import Evidence
from fedpact.describe.hypothesis_class import HypothesisClass, read_names
from fedpact.describe.label_codes import read_classes
from fedpact.describe.label_matrix import Classes
from fedpact.describe.numbers import read_number, shorten
from fedpact.describe.parsing import Values, has_known_keys
from fedpact.describe.read_evidence import (
    OF_FEATURES,
    note_strangers,
    read_predictions,
    read_reports,
    read_restriction,
    read_table,
)
from fedpact.describe.report_files import read_report
from fedpact.errors import FederationError, Problems

_OF_ALL_POINTS = ("class", "labels", "points", "names")
_KEYS = (*_OF_ALL_POINTS, "classes", "features", "feature_names")

Named: TypeAlias = list[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the files are that a federation file names."""

    path: Path
    is_confined: bool = False
    """Whether files elsewhere are refused, as they are for a federation file that a stranger sent."""

    def find(self, value: Any) -> Path:
        """Return the path of a file by the name that a federation file has for it."""
        if not isinstance(value, str):
            raise FederationError(f"the name of a file is needed; it is {shorten(value)}")
        path = self.path / value
        try:
            is_beside = not self.is_confined or path.resolve().is_relative_to(self.path.resolve())
            is_there = path.is_file()
        except (OSError, ValueError, RuntimeError) as error:
            why = getattr(error, "strerror", None) or error
            raise FederationError(f"file {shorten(value)} cannot be read: {why}") from None
        if not is_beside:
            raise FederationError(
                f"file {shorten(value)} lies outside of the folder of the federation file; put it beside that"
            )
        if not is_there:
            raise FederationError(f"there is no file {shorten(value)} (paths are relative to the federation file)")
        return path


@dataclass(frozen=True, slots=True)
class Source:
    """What a federation file says of evidence of one kind."""

    agents: dict[str, Any]
    """Agent -> the value of the kind's key."""
    hypotheses: Values
    """The table ``hypotheses``."""
    folder: Folder

    def note_keys(self, fitting: Sequence[str], what: str, problems: Problems) -> None:
        """Note the keys of ``hypotheses`` that have no meaning for ``what``."""
        for key in self.hypotheses:
            if key in _KEYS and key not in fitting:
                problems.add(f"hypotheses: {key} has no meaning for {what}; remove it")

    def read_files(self, key: str, read: Callable[[Path], Any], problems: Problems) -> Values:
        """Read the file that each agent names; those that cannot be read are noted and left out."""
        found = {
            name: problems.read(f"agent {name!r}: {key}: ", lambda named: read(self.folder.find(named)), value)
            for name, value in self.agents.items()
        }
        return {name: value for name, value in found.items() if value is not None}

    def read_strings(self, key: str, problems: Problems) -> Sequence[str] | None:
        """Read a list of different strings, if there is one."""
        if key not in self.hypotheses:
            return None
        return problems.read("hypotheses: ", read_names, self.hypotheses[key], None, key)

    def read_classes(self, problems: Problems) -> Classes:
        """Read what labels may be, if it is said."""
        if "classes" not in self.hypotheses:
            return None
        return problems.read("hypotheses: ", read_classes, self.hypotheses["classes"])


def _read_features(given: Any, points: Sequence[str]) -> list[list[float]]:
    where, problems = "hypotheses: features", Problems()
    if not isinstance(given, dict):
        raise FederationError(f"{where} must be a table of points and numbers; it is {shorten(given)}")
    rows = []
    for point in points:
        value = given.get(point)
        numbers = value if isinstance(value, list) else [value]
        field = f"{where} of point {shorten(point)}"
        rows.append(problems.read("", lambda one, what: [read_number(x, what) for x in one], numbers, field) or [])
    note_strangers(given, points, where, problems)
    problems.raise_if_any()
    return rows


def _read_class(source: Source, points: Sequence[str], problems: Problems) -> HypothesisClass | None:
    table, known = source.hypotheses, Problems()
    rule = "hypotheses: class must be one that fedpact knows"
    known.read("", check_class, table["class"], NAMES, rule)
    feature_names = source.read_strings("feature_names", known)
    features = known.read("", _read_features, table["features"], points) if "features" in table else None
    known.raise_if_any()
    name = table["class"]
    names = None if name in ON_LINE else feature_names
    return problems.read("hypotheses: ", make_class, name, features, points=points, feature_names=names)


def _read_labels(source: Source, points: Sequence[str], problems: Problems) -> Any:
    table = source.hypotheses
    given = [key for key in ("class", "labels") if key in table]
    if len(given) != 1:
        raise FederationError(
            f"hypotheses: give exactly one of class and labels; it has {' and '.join(given) or 'none'}"
        )
    if given == ["class"]:
        return _read_class(source, points, problems)
    labels = table["labels"]
    if not isinstance(labels, list) or not all(isinstance(row, list) for row in labels):
        raise FederationError(f"hypotheses: labels must be a list of rows of labels; it is {shorten(labels)}")
    return labels


def _read_quoted_numbers(labels: Any, classes: Classes) -> Any:
    """Take labels in quotes for numbers if all of them are numbers and no class is declared to be a string."""
    if not isinstance(labels, list) or (classes is not None and isinstance(classes[0], str)):
        return labels
    try:
        return [[read_number(one, "a label") if isinstance(one, str) else one for one in row] for row in labels]
    except FederationError:
        return labels


def _note_table_keys(source: Source, problems: Problems) -> None:
    name = str(source.hypotheses.get("class"))
    if "labels" in source.hypotheses:
        return source.note_keys((*_OF_ALL_POINTS, "classes"), "explicit labels", problems)
    more = () if name in ON_POINTS else ("features",) if name in ON_LINE else ("features", "feature_names")
    return source.note_keys((*_OF_ALL_POINTS, *more), f"class {name!r}", problems)


def _read_distributions(source: Source, problems: Problems) -> Evidence | None:
    _note_table_keys(source, problems)
    for name, value in source.agents.items():
        if not isinstance(value, dict) or not value:
            problems.add(
                f"agent {name!r}: distribution must be a table of points and masses; it is {shorten(value)}"
            )
    masses = {name: row for name, row in source.agents.items() if isinstance(row, dict) and row}
    seen = dict.fromkeys(point for row in masses.values() for point in row)
    points = source.read_strings("points", problems) or list(seen)
    if not masses:
        return None
    labels = problems.read("", _read_labels, source, points, problems)
    classes, names = source.read_classes(problems), source.read_strings("names", problems)
    if labels is None:  # the masses are read all the same
        labels, classes, names = [[0] * len(points)], None, None
    read = partial(read_table, names=list(masses), points=points, hypotheses=names, classes=classes)
    return problems.read("", read, _read_quoted_numbers(labels, classes), masses.values())


def _read_array(path: Path) -> NDArray[Any]:
    array = map_npy(
        path,
        "; write a row for every hypothesis, whole numbers or strings: numpy.save(FILE, labels.astype(str)); a "
        "table (.csv) is read by fedpact report and by a site's site.toml",
    )
    if array.ndim != 2:
        raise FederationError(f"{path}: must be a matrix, hypotheses by points; its shape is {array.shape}")
    return array


def _read_prediction_files(source: Source, problems: Problems) -> Evidence | None:
    source.note_keys(("names", "classes"), "agents with predictions", problems)
    names = source.read_strings("names", problems)
    arrays, classes = source.read_files("predictions", _read_array, problems), source.read_classes(problems)
    if not arrays:
        return None
    found = problems.read("", read_predictions, arrays, hypotheses=names, classes=classes)
    for name, labels in zip(arrays, found.predictions if found else (), strict=False):
        _doubt(labels, f"agent {name!r}: predictions")
    return found


def _doubt(labels: NDArray[np.integer], where: str) -> None:
    """Warn of rows that number the points, or are the points."""
    for place, row in enumerate(labels, 1):
        warn_of_ids(row, f"h{place}", where)
    warn_of_orientation(labels, where)


def _read_report_files(source: Source, problems: Problems) -> Evidence | None:
    source.note_keys(("names",), "agents with report", problems)
    names = source.read_strings("names", problems)
    reports = source.read_files("report", read_report, problems)
    for name, report in reports.items():
        if report.name != name:
            problems.add(f"agent {name!r}: report: it was sent by {report.name!r}; the names must be the same")
    return problems.read("", read_reports, list(reports.values()), hypotheses=names) if reports else None


def _read_header(files: Mapping[str, PointFile], problems: Problems) -> Sequence[str] | None:
    """Return the names of the features that the files agree on."""
    headers = [(name, file.header) for name, file in files.items() if file.header is not None]
    for name, header in headers[1:]:
        if header != headers[0][1]:
            problems.add(
                f"agent {name!r}: points: all headers must be the same; it has {shorten(list(header))} but "
                f"agent {headers[0][0]!r} has {shorten(list(headers[0][1]))}"
            )
    return headers[0][1] if headers else None


def _read_own_points(source: Source, problems: Problems) -> Evidence | None:
    name: Any = source.hypotheses.get("class")
    on_line = str(name) in ON_LINE
    what = f"class {name!r}" if on_line else "agents with points"
    source.note_keys(("class",) if on_line else ("class", "feature_names"), what, problems)
    found = source.read_files("points", read_point_file, problems)
    header, feature_names = _read_header(found, problems), source.read_strings("feature_names", problems)
    if len(found) < len(source.agents):
        problems.read("", check_class, name, OF_POINTS, OF_FEATURES)
        return None
    names = None if on_line else feature_names or header
    points = {agent: file.points for agent, file in found.items()}
    return problems.read("", read_restriction, points, name, feature_names=names)


KINDS: dict[str, Callable[[Source, Problems], Evidence | None]] = {
    "distribution": _read_distributions,
    "predictions": _read_prediction_files,
    "points": _read_own_points,
    "report": _read_report_files,
}
"""Key of an agent's table -> what reads the evidence; None is the answer only where a problem was noted."""


def _read_kind(agents: Named, problems: Problems) -> str | None:
    """Return the first agent's kind of evidence; note who has none, several or another."""
    first: tuple[str, str] | None = None
    for name, table in agents:
        kinds = [kind for kind in KINDS if kind in table]
        if len(kinds) != 1:
            has = " and ".join(kinds) or "none"
            problems.add(f"agent {name!r}: give exactly one of {', '.join(KINDS)}; it has {has}")
        elif first and kinds[0] != first[1]:
            problems.add(
                f"agent {name!r}: all agents must bring the same kind of evidence; it has {kinds[0]} "
                f"but agent {first[0]!r} has {first[1]}"
            )
        first = first or ((name, kinds[0]) if kinds else None)
    return first[1] if first else None


def read_evidence(data: Values, agents: Named, folder: Folder, problems: Problems) -> Evidence | None:
    """Read what the agents and ``hypotheses`` say; the answer is None only where a problem was noted."""
    kind = _read_kind(agents, problems)
    table = data.get("hypotheses", {})
    if not isinstance(table, dict):
        problems.add(f"hypotheses must be a table; it is {shorten(table)}")
        table = {}
    has_known_keys(table, _KEYS, "hypotheses: ", problems)
    if kind is None:
        return None
    chosen = {name: values[kind] for name, values in agents if kind in values}
    return KINDS[kind](Source(chosen, table, folder), problems)
