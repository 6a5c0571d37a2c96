"""The part of a federation file that says how the agents' data differ.

Each reader notes what is wrong and goes on with a harmless value in its place, so that one pass over a file
finds all its problems; the federation is built only if none was noted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray

from fedpact.describe.classes import NAMES, ON_FEATURES, ON_LINE, ON_POINTS
from fedpact.describe.evidence import (
    Evidence,
    Predictions,
    Reports,
    Table,
    read_predictions,
    read_reports,
    read_table,
)
from fedpact.describe.hypothesis_class import HypothesisClass
from fedpact.describe.label_codes import read_classes
from fedpact.describe.label_matrix import Classes
from fedpact.describe.names import nearest
from fedpact.describe.npy_files import read_npy
from fedpact.describe.numbers import read_number, shorten
from fedpact.describe.parsing import Values, has_known_keys
from fedpact.describe.point_files import PointFile, read_point_file
from fedpact.describe.points import OF_POINTS, is_known_class, read_restriction
from fedpact.describe.report_files import UNREADABLE, read_report
from fedpact.errors import FederationError, Problems

KINDS = ("distribution", "predictions", "points", "report")

_OF_ALL_POINTS = ("class", "labels", "points", "names")
_OF_OWN_POINTS = ("class", "feature_names")
_KEYS = (*_OF_ALL_POINTS, "classes", "features", "feature_names")

Named: TypeAlias = list[tuple[str, Any]]


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


def _read_hypotheses(data: Values, kind: str | None, problems: Problems) -> Values:
    table = data.get("hypotheses", {})
    if not isinstance(table, dict):
        problems.add(f"hypotheses must be a table; it is {shorten(table)}")
        return {}
    has_known_keys(table, _KEYS, "hypotheses: ", problems)
    what, fitting = _fitting_keys(table, kind)
    for key in table:
        if key in _KEYS and key not in fitting:
            problems.add(f"hypotheses: {key} has no meaning for {what}; remove it")
    return table


def _fitting_keys(table: Values, kind: str | None) -> tuple[str, tuple[str, ...]]:
    name = str(table.get("class"))
    if kind in ("predictions", "report"):
        return f"agents with {kind}", ("names", "classes") if kind == "predictions" else ("names",)
    if kind == "points":
        return (f"class {name!r}", ("class",)) if name in ON_LINE else ("agents with points", _OF_OWN_POINTS)
    if "labels" in table:
        return "explicit labels", (*_OF_ALL_POINTS, "classes")
    if name in ON_POINTS:
        return f"class {name!r}", _OF_ALL_POINTS
    on_features = (*_OF_ALL_POINTS, "features", "feature_names")
    return f"class {name!r}", on_features[:-1] if name in ON_LINE else on_features


def _read_strings(table: Values, key: str, problems: Problems) -> list[str] | None:
    if key not in table:
        return None
    value = table[key]
    is_strings = isinstance(value, list) and value and all(isinstance(entry, str) for entry in value)
    if not is_strings or len(set(value)) < len(value):
        problems.add(f"hypotheses: {key} must be a list of different strings; it is {shorten(value)}")
        return None
    return list(value)


def _read_masses(name: str, value: Any, problems: Problems) -> Values:
    if isinstance(value, dict) and value:
        return value
    problems.add(f"agent {name!r}: distribution must be a table of points and masses; it is {shorten(value)}")
    return {}


def _note_strangers(table: Values, points: Iterable[str], where: str, problems: Problems) -> bool:
    known = dict.fromkeys(points)
    strangers = [point for point in table if point not in known]
    if strangers:
        more = f"; {len(strangers) - 1} more are unknown" if len(strangers) > 1 else ""
        hint = nearest(strangers[0], known)
        problems.add(f"{where} names {shorten(strangers[0])}, which is not in points ({hint}){more}")
    return bool(strangers)


def _read_row(name: str, masses: Values, points: list[str], problems: Problems) -> list[float]:
    where, row = f"agent {name!r}: distribution", []
    for point in points:
        try:
            row.append(read_number(masses.get(point, 0.0), f"{where} at point {shorten(point)}"))
        except FederationError as error:
            problems.extend(error)
    has_strangers = _note_strangers(masses, points, where, problems)
    is_readable = masses and len(row) == len(points) and not has_strangers
    return row if is_readable else [1.0, *[0.0] * (len(points) - 1)]


def _read_features(table: Values, points: list[str], problems: Problems) -> list[list[float]] | None:
    given, where = table["features"], "hypotheses: features"
    if not isinstance(given, dict):
        problems.add(f"{where} must be a table of points and numbers; it is {shorten(given)}")
        return None
    rows = []
    for point in points:
        value = given.get(point)
        numbers = value if isinstance(value, list) else [value]
        try:
            rows.append([read_number(number, f"{where} of point {shorten(point)}") for number in numbers])
        except FederationError as error:
            problems.extend(error)
    has_strangers = _note_strangers(given, points, where, problems)
    return None if has_strangers or len(rows) < len(points) else rows


def _make_class(
    name: str, points: list[str], features: list[list[float]] | None, feature_names: list[str] | None
) -> HypothesisClass:
    if name in ON_POINTS:
        return ON_POINTS[name](len(points), points=points)
    if name in ON_LINE:
        return ON_LINE[name](features or range(1, len(points) + 1))
    if features is None:
        raise FederationError(f"class {name!r} needs features, a table of points and numbers")
    return ON_FEATURES[name](features, names=feature_names)


def _read_class(table: Values, points: list[str], problems: Problems) -> HypothesisClass | None:
    name = table["class"]
    if name not in NAMES:
        hint = nearest(name, NAMES) if isinstance(name, str) else f"known: {', '.join(NAMES)}"
        problems.add(f"hypotheses: class must be one that fedpact knows; it is {shorten(name)} ({hint})")
        return None
    feature_names = _read_strings(table, "feature_names", problems)
    features = _read_features(table, points, problems) if "features" in table else None
    if features is None and "features" in table:
        return None
    try:
        return _make_class(name, points, features, feature_names)
    except FederationError as error:
        problems.add(f"hypotheses: {error}")
        return None


def _read_labels(table: Values, points: list[str], problems: Problems) -> Any:
    given = [key for key in ("class", "labels") if key in table]
    if len(given) != 1:
        problems.add(f"hypotheses: give exactly one of class and labels; it has {' and '.join(given) or 'none'}")
        return None
    if given == ["class"]:
        return _read_class(table, points, problems)
    labels = table["labels"]
    if not isinstance(labels, list) or not all(isinstance(row, list) for row in labels):
        problems.add(f"hypotheses: labels must be a list of rows of labels; it is {shorten(labels)}")
        return None
    return labels


def _read_classes(table: Values, problems: Problems) -> Classes:
    if "classes" not in table:
        return None
    try:
        return read_classes(table["classes"])
    except FederationError as error:
        problems.add(f"hypotheses: {error}")
        return None


def _read_quoted_numbers(labels: Any, classes: Classes) -> Any:
    """Take labels in quotes for numbers if all of them are numbers and no class is declared to be a string."""
    if not isinstance(labels, list) or (classes is not None and isinstance(classes[0], str)):
        return labels
    try:
        return [[read_number(one, "a label") if isinstance(one, str) else one for one in row] for row in labels]
    except FederationError:
        return labels


def _read_points(table: Values, distributions: Named, problems: Problems) -> Table | None:
    masses = [(name, _read_masses(name, value, problems)) for name, value in distributions]
    seen = dict.fromkeys(point for _, row in masses for point in row)
    points = _read_strings(table, "points", problems) or list(seen)
    if not points:
        return None
    labels, classes = _read_labels(table, points, problems), _read_classes(table, problems)
    names = _read_strings(table, "names", problems)
    return read_table(
        [[0] * len(points)] if labels is None else _read_quoted_numbers(labels, classes),
        [_read_row(name, row, points, problems) for name, row in masses],
        names=[name for name, _ in masses],
        points=points,
        hypotheses=None if labels is None else names,
        problems=problems,
        classes=None if labels is None else classes,
    )


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
        try:
            if self.is_confined and not (self.path / value).resolve().is_relative_to(self.path.resolve()):
                raise FederationError(
                    f"file {shorten(value)} lies outside of the folder of the federation file; put it beside that"
                )
            if (self.path / value).is_file():
                return self.path / value
        except (OSError, ValueError, RuntimeError) as error:
            if isinstance(error, FederationError):
                raise
            why = getattr(error, "strerror", None) or error
            raise FederationError(f"file {shorten(value)} cannot be read: {why}") from None
        raise FederationError(f"there is no file {shorten(value)} (paths are relative to the federation file)")


def _say_unreadable(path: Path) -> str:
    if path.suffix.lower() == ".npy":
        return "not an .npy array that can be read without pickle (strings: numpy.save(FILE, labels.astype(str)))"
    return (
        "predictions must be an .npy file, a row for every hypothesis: numpy.save(FILE, labels), whole numbers or "
        "strings; a table (.csv) is read by fedpact report and by a site's site.toml"
    )


def _read_array(path: Path) -> NDArray[Any]:
    try:
        array = read_npy(path)
    except UNREADABLE:
        raise FederationError(f"{path}: {_say_unreadable(path)}") from None
    if array.ndim != 2:
        raise FederationError(f"{path}: must be a matrix, hypotheses by points; its shape is {array.shape}")
    return array


def _read_files(
    files: Named, kind: str, folder: Folder, read: Callable[[Path], Any], problems: Problems
) -> Values:
    found = {}
    for name, value in files:
        try:
            found[name] = read(folder.find(value))
        except FederationError as error:
            problems.add(f"agent {name!r}: {kind}: {error}")
    return found


def _read_reports(files: Named, names: list[str] | None, folder: Folder, problems: Problems) -> Reports | None:
    reports = _read_files(files, "report", folder, read_report, problems)
    for name, report in reports.items():
        if report.name != name:
            problems.add(f"agent {name!r}: report: it was sent by {report.name!r}; the names must be the same")
    return read_reports(list(reports.values()), hypotheses=names, problems=problems) if reports else None


def _read_header(files: dict[str, PointFile], problems: Problems) -> Sequence[str] | None:
    """Return the names of the features that the files agree on."""
    headers = [(name, file.header) for name, file in files.items() if file.header is not None]
    for name, header in headers[1:]:
        if header != headers[0][1]:
            problems.add(
                f"agent {name!r}: points: all headers must be the same; it has {shorten(list(header))} but "
                f"agent {headers[0][0]!r} has {shorten(list(headers[0][1]))}"
            )
    return headers[0][1] if headers else None


def _read_own_points(table: Values, files: Named, folder: Folder, problems: Problems) -> Predictions | None:
    found = _read_files(files, "points", folder, read_point_file, problems)
    header, feature_names = _read_header(found, problems), _read_strings(table, "feature_names", problems)
    if "class" not in table:
        problems.add(f"hypotheses: class is missing; it must be one of {', '.join(OF_POINTS)}")
        return None
    if len(found) < len(files):
        is_known_class(table["class"], OF_POINTS, problems)
        return None
    names = None if str(table["class"]) in ON_LINE else feature_names or header
    points = {name: file.points for name, file in found.items()}
    return read_restriction(points, table["class"], problems, feature_names=names)


def read_evidence(data: Values, agents: Named, folder: Folder, problems: Problems) -> Evidence | None:
    """Read what the agents and ``hypotheses`` say; the answer is None only where a problem was noted."""
    kind = _read_kind(agents, problems)
    table = _read_hypotheses(data, kind, problems)
    chosen = [(name, values[kind]) for name, values in agents if kind in values]
    if kind == "distribution":
        return _read_points(table, chosen, problems)
    if kind == "points":
        return _read_own_points(table, chosen, folder, problems)
    names = _read_strings(table, "names", problems)
    if kind == "report":
        return _read_reports(chosen, names, folder, problems)
    arrays = _read_files(chosen, "predictions", folder, _read_array, problems)
    classes = _read_classes(table, problems)
    return read_predictions(arrays, hypotheses=names, problems=problems, classes=classes)
