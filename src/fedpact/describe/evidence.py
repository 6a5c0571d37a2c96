"""The three kinds of evidence a federation can be given as.

=========== ================================================ ========== ===============
evidence    what it is                                       pairwise p joint structure
=========== ================================================ ========== ===============
table       finite points, every label, every agent's masses yes        yes
predictions every agent's own points and what each h says    yes        yes
reports     only each site's pairwise disagreement counts    yes        no
=========== ================================================ ========== ===============

Arrays are checked once, here, and read-only afterwards. Labels that are strings are kept as whole numbers, and
``classes`` says what these stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.candidate_list import find_difference, lists_of
from fedpact.describe.hypothesis_class import HypothesisClass, number_names
from fedpact.describe.label_matrix import Classes, decode, read_labels, share_classes
from fedpact.describe.numbers import read_number, shorten
from fedpact.describe.reports import Report
from fedpact.errors import FederationError, Problems

SUM_TOL = 1e-9

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Finitely many points: what every hypothesis says there and how likely each agent draws them."""

    labels: NDArray[np.integer]
    """(H, n) label of every hypothesis at every point, or its code where there are ``classes``."""
    distributions: NDArray[np.float64]
    """(k, n) mass of every agent on every point."""
    points: tuple[str, ...]
    hypotheses: tuple[str, ...]
    class_name: str | None = None
    """The named class that the labels came from, if any."""
    classes: Classes = None
    """The label that each code stands for; None: the whole numbers are the labels."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions:
    """Each agent's own unlabelled points, seen through what every hypothesis predicts there."""

    predictions: tuple[NDArray[np.integer], ...]
    """One (H, n_i) array per agent, of labels or, where there are ``classes``, of their codes."""
    hypotheses: tuple[str, ...]
    classes: Classes = None
    """The label that each code stands for, at all agents; None: the whole numbers are the labels."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reports:
    """Each agent's pairwise disagreement counts, nothing else."""

    reports: tuple[Report, ...]
    hypotheses: tuple[str, ...]
    confidence: float | None = None
    """With which probability rates have to be right if the counts are taken for estimates; None: for the truth."""

    @property
    def is_exact(self) -> bool:
        """Whether the counts give the rates exactly."""
        return self.confidence is None and all(report.is_exact for report in self.reports)


Evidence: TypeAlias = Table | Predictions | Reports


def read_table(
    labels: Any,
    distributions: Any,
    *,
    names: Sequence[str],
    points: Sequence[str] | None,
    hypotheses: Sequence[str] | None,
    problems: Problems,
    classes: Classes = None,
) -> Table | None:
    """Check a table; what is wrong goes to ``problems`` and the answer is then None."""
    class_name = None
    if isinstance(labels, HypothesisClass):
        class_name, hypotheses, labels = labels.name, hypotheses or labels.hypotheses, labels.labels
    numbered = _note(problems, lambda: share_classes({"labels": read_labels(labels, "labels")}, "labels", classes))
    rows = _distributions(distributions, names, points, problems)
    if numbered is None or rows is None:
        return None
    (label_array,), classes = numbered
    n = label_array.shape[1]
    if rows.shape[1] != n:
        problems.add(
            f"labels cover {n} points but distributions cover {rows.shape[1]}; they must be the same points"
        )
        return None
    points = tuple(points) if points is not None else number_names("x", n)
    if len(points) != n or not all(isinstance(point, str) for point in points) or len(set(points)) != n:
        problems.add(
            f"points must be {n} different names, one per column of labels; they are {shorten(list(points))}"
        )
        return None
    named = read_hypothesis_names(hypotheses, len(label_array), problems)
    return Table(
        labels=_frozen(label_array),
        distributions=_frozen(rows),
        points=points,
        hypotheses=named,
        class_name=class_name,
        classes=classes,
    )


def read_predictions(
    predictions: Mapping[str, Any],
    *,
    hypotheses: Sequence[str] | None,
    problems: Problems,
    classes: Classes = None,
) -> Predictions | None:
    """Check one prediction matrix per agent; if one is wrong, ``problems`` says so and the answer is None."""
    known = {}
    for name, array in predictions.items():
        matrix = _note(problems, partial(read_labels, array, f"agent {name!r}: predictions"))
        if matrix is not None:
            known[name] = matrix
    heights = {name: len(matrix.codes) for name, matrix in known.items()}
    if len(set(heights.values())) > 1:
        problems.add(
            f"every agent must predict with the same hypotheses; the numbers of rows differ: {shorten(heights)}"
        )
        return None
    if len(known) < len(predictions) or not known:
        return None
    lists = lists_of(predictions)
    difference = find_difference(lists)
    if difference is not None:
        problems.add(f"every agent must predict with the same candidates; {difference}")
        return None
    by_agent = {f"predictions of agent {name!r}": matrix for name, matrix in known.items()}
    numbered = _note(problems, lambda: share_classes(by_agent, "predictions", classes))
    if numbered is None:
        return None
    arrays, classes = numbered
    names = lists[0][1].names if lists and hypotheses is None else hypotheses
    named = read_hypothesis_names(names, len(arrays[0]), problems)
    return Predictions(predictions=tuple(map(_frozen, arrays)), hypotheses=named, classes=classes)


def read_reports(
    reports: Sequence[Any], *, hypotheses: Sequence[str] | None, problems: Problems
) -> Reports | None:
    """Check that the reports speak of one class; if not, ``problems`` says so and the answer is None."""
    if not reports or not all(isinstance(report, Report) for report in reports):
        problems.add("reports must be a list of at least one fedpact Report")
        return None
    sizes = {report.name: report.H for report in reports}
    if len(set(sizes.values())) > 1:
        problems.add(f"every report must be about the same hypotheses; their numbers differ: {shorten(sizes)}")
        return None
    lists = lists_of({report.name: report for report in reports})
    difference = find_difference(lists)
    if difference is not None:
        problems.add(f"every report must be about the same candidates; {difference}")
        return None
    if hypotheses is None and lists:
        hypotheses = lists[0][1].names
    named = read_hypothesis_names(hypotheses, reports[0].H, problems)
    return Reports(reports=tuple(reports), hypotheses=named)


def _note(problems: Problems, read: Callable[[], T]) -> T | None:
    """Read something; what is wrong with it is noted."""
    try:
        return read()
    except FederationError as error:
        problems.extend(error)
        return None


def given_labels(evidence: Evidence) -> tuple[NDArray[Any], ...]:
    """Labels as they were given: those of a table, or of every agent's predictions; reports have none."""
    match evidence:
        case Table(labels=labels, classes=classes):
            return (decode(labels, classes),)
        case Predictions(predictions=predictions, classes=classes):
            return tuple(decode(array, classes) for array in predictions)
        case Reports():
            return ()


def restrict_evidence(evidence: Evidence, agents: Sequence[int]) -> Evidence:
    """Keep what some agents brought, all hypotheses and, of a table, all points."""
    if isinstance(evidence, Table):
        return replace(evidence, distributions=_frozen(evidence.distributions[list(agents)]))
    if isinstance(evidence, Predictions):
        return replace(evidence, predictions=tuple(evidence.predictions[agent] for agent in agents))
    return replace(evidence, reports=tuple(evidence.reports[agent] for agent in agents))


def arrays_of(evidence: Evidence) -> tuple[NDArray[Any], ...]:
    """Everything that evidence says, as arrays."""
    match evidence:
        case Table(labels=labels, distributions=distributions):
            return labels, distributions
        case Predictions(predictions=predictions):
            return predictions
        case Reports(reports=reports):
            about = [(report.n, report.n_classes, report.minimum_count, report.noise) for report in reports]
            facts = np.array(repr((evidence.confidence, about)))
            return facts, *(report.counts for report in reports)


def find_distinct(evidence: Evidence) -> NDArray[np.intp]:
    """Index of the first of every group of hypotheses that no agent can tell apart, in order.

    Duplicates inflate |H| in the paper's program but not the true failure.
    """
    if isinstance(evidence, Reports):
        return _distinct_in_reports(evidence)
    if isinstance(evidence, Table):
        drawable = np.any(evidence.distributions > 0, axis=0)
        labels = evidence.labels[:, drawable]
    else:
        labels = np.concatenate(evidence.predictions, axis=1)
    rows = np.ascontiguousarray(labels).view(np.dtype((np.void, labels.dtype.itemsize * labels.shape[1])))
    _, first = np.unique(rows.ravel(), return_index=True)
    return np.sort(first)


def _distinct_in_reports(evidence: Reports) -> NDArray[np.intp]:
    """Merge what no site has seen to differ, if the counts say for certain that it does not."""
    if not evidence.is_exact:
        return np.arange(len(evidence.hypotheses))
    differ = evidence.reports[0].square() > 0
    for report in evidence.reports[1:]:
        differ |= report.square() > 0
    is_first = np.ones(len(differ), dtype=bool)
    for hypothesis, row in enumerate(differ):
        is_first[hypothesis] = row[:hypothesis][is_first[:hypothesis]].all()
    return np.flatnonzero(is_first)


def find_twin(evidence: Evidence, hypothesis: int, distinct: NDArray[np.intp]) -> int:
    """Where among the ``distinct`` hypotheses stands the one that nobody can tell from this one, or it itself."""
    if hypothesis in distinct:
        return int(np.searchsorted(distinct, hypothesis))
    if isinstance(evidence, Reports):
        same = np.all([report.square()[hypothesis, distinct] == 0 for report in evidence.reports], axis=0)
    elif isinstance(evidence, Table):
        drawable = np.any(evidence.distributions > 0, axis=0)
        same = (evidence.labels[distinct] == evidence.labels[hypothesis])[:, drawable].all(axis=1)
    else:
        parts = [(own[distinct] == own[hypothesis]).all(axis=1) for own in evidence.predictions]
        same = np.all(parts, axis=0)
    return int(np.flatnonzero(same)[0])


def _distributions(
    values: Any, names: Sequence[str], points: Sequence[str] | None, problems: Problems
) -> NDArray[np.float64] | None:
    rows: list[NDArray[np.float64]] = []
    try:
        given = list(values)
    except TypeError:
        problems.add(f"distributions must be one row of masses per agent; they are {shorten(values)}")
        return None
    if len(given) != len(names):
        problems.add(f"distributions must have one row per agent; {len(given)} rows for {len(names)} agents")
        return None
    for name, row in zip(names, given, strict=True):
        masses = _distribution(name, row, points, problems)
        if masses is not None:
            rows.append(masses)
    if len(rows) < len(given):
        return None
    if len({len(row) for row in rows}) != 1:
        problems.add(
            f"distributions must be over the same points; their lengths are {shorten([len(row) for row in rows])}"
        )
        return None
    return np.array(rows)


def _distribution(
    name: str, row: Any, points: Sequence[str] | None, problems: Problems
) -> NDArray[np.float64] | None:
    try:
        masses = np.array([read_number(mass, f"agent {name!r}: a mass of the distribution") for mass in row])
    except FederationError as error:
        problems.extend(error)
        return None
    except TypeError:
        problems.add(f"agent {name!r}: distribution must be a list of masses; it is {shorten(row)}")
        return None
    negative = np.flatnonzero(masses < 0)
    if len(negative):
        at = negative[0]
        point = points[at] if points is not None and at < len(points) else f"x{at + 1}"
        problems.add(
            f"agent {name!r}: a distribution has no negative mass; at point {point!r} it is {masses[at]:g}"
        )
        return None
    total = float(masses.sum())
    if abs(total - 1) > SUM_TOL:
        problems.add(
            f'agent {name!r}: a distribution must sum to 1; this one sums to {total:.12g} (write thirds as "1/3")'
        )
        return None
    return masses if abs(total - 1) < 1e-12 else masses / total


def read_hypothesis_names(names: Sequence[str] | None, H: int, problems: Problems) -> tuple[str, ...]:
    """Check H different names; ``h1, h2, ...`` without any."""
    if names is None:
        return number_names("h", H)
    if isinstance(names, str) or not isinstance(names, Sequence):
        problems.add(f"hypothesis names must be {H} different strings; they are {shorten(names)}")
        return number_names("h", H)
    if len(names) != H or not all(isinstance(name, str) for name in names) or len(set(names)) != H:
        problems.add(f"hypothesis names must be {H} different strings; they are {shorten(list(names))}")
        return number_names("h", H)
    return tuple(names)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array
