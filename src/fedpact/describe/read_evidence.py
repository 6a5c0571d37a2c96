"""From what a user hands over, arrays, lists or tables, to checked evidence; each value is checked once, here.

Each agent's own unlabelled points are turned into predictions by a named class. On finitely many points an
infinite class induces finitely many labelings. Hypotheses with the same labelling have the same error on every
agent's points and are consistent with the same samples of them, so the labelings stand for the class without loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.candidate_list import CandidateList, find_difference, lists_of
from fedpact.describe.classes import OF_POINTS, check_class, make_class
from fedpact.describe.doubts import warn_of_spellings
from fedpact.describe.evidence import Predictions, Reports, Table, freeze
from fedpact.describe.hypothesis_class import HypothesisClass, number_names, read_features, read_names
from fedpact.describe.label_matrix import Classes, read_labels, share_classes
from fedpact.describe.names import nearest
from fedpact.describe.numbers import read_number, shorten
from fedpact.describe.reports import Report
from fedpact.errors import FederationError, Problems

SUM_TOL = 1e-9
OF_FEATURES = "hypotheses must name a class of points with features"

T = TypeVar("T")


def read_hypothesis_names(
    names: Sequence[str] | None, H: int, sources: Mapping[str, object] | None = None, rule: str = ""
) -> tuple[str, ...]:
    """Check H different names; without any, those of the candidates that all sources have, or h1, h2, ..."""
    lists = lists_of(sources or {})
    if difference := find_difference(lists):
        raise FederationError(f"{rule}; {difference}")
    if names is None and lists:
        names = lists[0][1].names
    return read_names(names, H, "hypothesis names", "h")


def note_strangers(table: Mapping[str, Any], points: Sequence[str], where: str, problems: Problems) -> None:
    """Note what a table says of points that are not known."""
    known = dict.fromkeys(points)
    strangers = [point for point in table if point not in known]
    if strangers:
        more = f"; {len(strangers) - 1} more are unknown" if len(strangers) > 1 else ""
        hint = nearest(strangers[0], known)
        problems.add(f"{where} names {shorten(strangers[0])}, which is not in points ({hint}){more}")


def _read_masses(points: Sequence[str] | None, row: Any, field: str) -> NDArray[np.float64]:
    """Read one agent's masses: one for each point, or a table of the points that have some."""
    problems = Problems()
    if isinstance(row, Mapping) and points is not None:
        note_strangers(row, points, field, problems)
        row = [row.get(point, 0.0) for point in points]
    if isinstance(row, str) or not isinstance(row, Iterable):
        raise FederationError(f"{field} must be a list of masses; it is {shorten(row)}")
    given = list(row)
    named = points if points is not None and len(points) == len(given) else number_names("x", len(given))
    read = [
        problems.read("", read_number, mass, f"{field} at point {shorten(point)}")
        for point, mass in zip(named, given, strict=True)
    ]
    problems.raise_if_any()
    masses = np.array(read, dtype=np.float64)
    if (masses < 0).any():
        at = int(np.argmax(masses < 0))
        raise FederationError(f"{field} must have no negative mass; at point {named[at]!r} it is {masses[at]:g}")
    total = float(masses.sum())
    if abs(total - 1) > SUM_TOL:
        raise FederationError(f'{field} must sum to 1; it sums to {total:.12g} (write thirds as "1/3")')
    return masses if abs(total - 1) < 1e-12 else masses / total


def _read_distributions(values: Any, names: Sequence[str], points: Sequence[str] | None) -> NDArray[np.float64]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise FederationError(f"distributions must be one row of masses per agent; they are {shorten(values)}")
    given = list(values)
    if len(given) != len(names):
        raise FederationError(
            f"distributions must have one row per agent; {len(given)} rows for {len(names)} agents"
        )
    rows = zip(names, given, strict=True)
    rule = "distributions must be over the same points; their lengths"
    return np.array(read_alike(rows, "agent {!r}: distribution", partial(_read_masses, points), len, rule))


def _read_label_array(labels: Any, classes: Classes) -> tuple[NDArray[np.integer], Classes]:
    (codes,), classes = share_classes({"labels": read_labels(labels, "labels")}, "labels", classes)
    return codes, classes


def read_table(
    labels: Any,
    distributions: Any,
    *,
    names: Sequence[str],
    points: Sequence[str] | None,
    hypotheses: Sequence[str] | None,
    classes: Classes = None,
) -> Table:
    """Check a table; a distribution is one mass for each point, or a table of the points that have some."""
    class_name, problems = None, Problems()
    if isinstance(labels, HypothesisClass):
        class_name, hypotheses, labels = labels.name, hypotheses or labels.hypotheses, labels.labels
    numbered = problems.read("", _read_label_array, labels, classes)
    rows = problems.read("", _read_distributions, distributions, names, points)
    (label_array, classes), rows = problems.insist(numbered), problems.insist(rows)
    n = label_array.shape[1]
    if rows.shape[1] != n:
        raise FederationError(
            f"labels cover {n} points but distributions cover {rows.shape[1]}; they must be the same points"
        )
    points = read_names(points, n, "points, one per column of labels,", "x")
    return Table(
        labels=freeze(label_array),
        distributions=freeze(rows),
        points=points,
        hypotheses=read_hypothesis_names(hypotheses, len(label_array)),
        class_name=class_name,
        classes=classes,
    )


def read_alike(
    given: Iterable[tuple[str, Any]], what: str, read: Callable[[Any, str], T], size: Callable[[T], int], rule: str
) -> list[T]:
    """Read ``what`` everybody gives, "agent {!r}: points"; all must be of one ``size``, or a rule is broken."""
    problems, listed = Problems(), list(given)
    found = [problems.read("", read, own, what.format(name)) for name, own in listed]
    known = [own for own in found if own is not None]
    sizes = {name: size(own) for (name, _), own in zip(listed, found, strict=True) if own is not None}
    if len(set(sizes.values())) > 1:
        problems.add(f"{rule} differ: {shorten(sizes)}")
    problems.raise_if_any()
    return known


def read_predictions(
    predictions: Mapping[str, Any], *, hypotheses: Sequence[str] | None, classes: Classes = None
) -> Predictions:
    """Check one prediction matrix per agent."""
    rule = "every agent must predict with the same hypotheses; the numbers of rows"
    what, size = "agent {!r}: predictions", lambda matrix: len(matrix.codes)
    known = read_alike(predictions.items(), what, read_labels, size, rule)
    height, rule = len(known[0].codes), "every agent must predict with the same candidates"
    named = read_hypothesis_names(hypotheses, height, predictions, rule)
    by_agent = {f"predictions of agent {name!r}": own for name, own in zip(predictions, known, strict=True)}
    arrays, found = share_classes(by_agent, "predictions", classes)
    if classes is None:
        lists = [
            own for own in predictions.values() if isinstance(getattr(own, "candidates", None), CandidateList)
        ]
        warn_of_spellings(found or (), "predictions", [own.classes for own in lists])
    return Predictions(predictions=tuple(map(freeze, arrays)), hypotheses=named, classes=found)


def read_reports(reports: Sequence[Any], *, hypotheses: Sequence[str] | None) -> Reports:
    """Check that the reports speak of one class."""
    if not reports or not all(isinstance(report, Report) for report in reports):
        raise FederationError("reports must be a list of at least one fedpact Report")
    sources, rule = {report.name: report for report in reports}, "every report must be about the same"
    read_alike(sources.items(), "", lambda own, _: own, lambda own: own.H, f"{rule} hypotheses; their numbers")
    named = read_hypothesis_names(hypotheses, reports[0].H, sources, f"{rule} candidates")
    return Reports(reports=tuple(reports), hypotheses=named)


def check_by_agent(given: Any, field: str, shape: str) -> None:
    """Refuse what is no mapping from agents' names to arrays."""
    if not isinstance(given, Mapping) or not given:
        raise FederationError(f"{field} must map at least one agent's name to its {shape} array")


def read_points(points: Mapping[str, Any]) -> tuple[NDArray[np.float64], ...]:
    """Check one (n_i, d) array per agent."""
    rule = "every agent's points must have the same features; their numbers"
    return tuple(read_alike(points.items(), "agent {!r}: points", read_features, lambda x: x.shape[1], rule))


def read_restriction(
    points: Mapping[str, Any], hypotheses: str, *, feature_names: Sequence[str] | None = None
) -> Predictions:
    """Every labelling that a named class induces on all points."""
    problems = Problems()
    arrays = problems.read("", read_points, points)
    problems.read("", check_class, hypotheses, OF_POINTS, OF_FEATURES)
    arrays = problems.insist(arrays)
    made = make_class(hypotheses, np.concatenate(arrays), feature_names=feature_names)
    ends = np.cumsum([len(array) for array in arrays])[:-1]
    own = dict(zip(points, np.split(made.labels, ends, axis=1), strict=True))
    return read_predictions(own, hypotheses=made.hypotheses)
