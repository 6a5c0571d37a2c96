"""What is known of how the agents' data differ: one class for each kind of evidence.

=========== ================================================ ========== ===============
evidence    what it is                                       pairwise p joint structure
=========== ================================================ ========== ===============
table       finite points, every label, every agent's masses yes        yes
predictions every agent's own points and what each h says    yes        yes
reports     only each site's pairwise disagreement counts    yes        no
=========== ================================================ ========== ===============

A kind with joint structure says at which points which hypotheses differ, and how likely each agent draws them: all
that statistics, planners and payments ask is :meth:`Evidence.joint`. To add one, derive a final class from
:class:`Evidence` and name its reader in :data:`fedpact.describe.file_evidence.KINDS`. What can be turned into one
of these three kinds, as points are into predictions, needs a reader only.

Arrays are checked once, by :mod:`fedpact.describe.read_evidence`, and read-only afterwards. Labels that are
strings are kept as whole numbers, and ``classes`` says what these stand for.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.classes import ON_POINTS
from fedpact.describe.hypothesis_class import number_names
from fedpact.describe.label_matrix import Classes, decode
from fedpact.describe.memo import Memory
from fedpact.describe.report_files import to_bytes
from fedpact.describe.reports import Report
from fedpact.errors import FederationError, Problems


class EvidenceKind(StrEnum):
    """What is known of the agents' data."""

    TABLE = "table"
    """Finitely many points, and everybody's mass on each."""
    PREDICTIONS = "predictions"
    """What every hypothesis predicts at some points of each agent."""
    REPORTS = "reports"
    """On how many points of each agent any two hypotheses disagree."""
    NONE = "none"
    """Nothing yet: the sites of a run report it."""


class Evidence(Memory, ABC):
    """How the agents' data differ, as far as the hypotheses can tell."""

    __slots__ = ()

    KIND: ClassVar[EvidenceKind]
    KEY: ClassVar[str]
    """Key of an agent's table in a federation file."""
    ENDING: ClassVar[str | None]
    """Of the file that every agent's part is written to; None: it stands in the federation file itself."""
    IS_COUNTED: ClassVar[bool]
    """Whether rates are counts of some points of each agent, so that they may be taken for estimates."""

    hypotheses: tuple[str, ...]

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, ...]:
        """Number of points of each agent, or one number if all share them."""

    @abstractmethod
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Everything that it says, as arrays: two with the same arrays are the same."""

    @abstractmethod
    def restrict(self, agents: Sequence[int]) -> Self:
        """Keep what some agents brought, and all hypotheses."""

    @abstractmethod
    def given_labels(self, names: Sequence[str]) -> NDArray[Any] | dict[str, NDArray[Any]] | None:
        """Labels as they were given: (H, n), or (H, n_i) by the agents' names, or None if there are none."""

    @abstractmethod
    def drawn_labels(self) -> NDArray[np.integer] | None:
        """(H, n) what the hypotheses say at the points that some agent draws; None without joint structure."""

    @abstractmethod
    def joint(self) -> tuple[NDArray[np.integer], NDArray[np.float64]] | None:
        """Labels (H, n) and every agent's masses (k, n) at the same points; None without joint structure."""

    @abstractmethod
    def write(self) -> list[Any]:
        """Give what a federation file has under ``KEY`` for every agent, or the bytes of the file it names."""

    @abstractmethod
    def write_hypotheses(self) -> dict[str, Any]:
        """Give the table ``hypotheses`` of a federation file."""

    def write_names(self, default: tuple[str, ...] | None = None) -> dict[str, Any]:
        """Give the names of the hypotheses, unless they are those that reading gives to hypotheses without."""
        without = default or number_names("h", len(self.hypotheses))
        return {} if self.hypotheses == without else {"names": list(self.hypotheses)}


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table(Evidence):
    """Finitely many points: what every hypothesis says there and how likely each agent draws them."""

    KIND: ClassVar = EvidenceKind.TABLE
    KEY: ClassVar = "distribution"
    ENDING: ClassVar = None
    IS_COUNTED: ClassVar = False

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

    @property
    def sizes(self) -> tuple[int, ...]:
        """One number of points for all agents."""
        return (len(self.points),)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Labels and masses."""
        return self.labels, self.distributions

    def restrict(self, agents: Sequence[int]) -> Table:
        """Keep some rows of masses, and all points."""
        return replace(self, distributions=freeze(self.distributions[list(agents)]))

    def given_labels(self, names: Sequence[str]) -> NDArray[Any]:
        """(H, n) labels."""
        return decode(self.labels, self.classes)

    def drawn_labels(self) -> NDArray[np.integer]:
        """(H, n) labels at the points with mass."""
        return self.labels[:, np.any(self.distributions > 0, axis=0)]

    def joint(self) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Labels and masses."""
        return self.labels, self.distributions

    def write(self) -> list[Any]:
        """Every agent's points that have mass."""
        rows = (zip(self.points, row, strict=True) for row in self.distributions.tolist())
        return [{point: mass for point, mass in row if mass} for row in rows]

    def write_hypotheses(self) -> dict[str, Any]:
        """Give the named class, or the labels."""
        if self._is_named_class():
            return {"class": self.class_name, "points": list(self.points)}
        table = {"points": list(self.points), "labels": self.given_labels(()).tolist()}
        return table | self.write_names() | _write_classes(self.classes)

    def _is_named_class(self) -> bool:
        make = ON_POINTS.get(self.class_name or "")
        made = Problems().read("", make, len(self.points), points=self.points) if make else None
        return made is not None and made.hypotheses == self.hypotheses and np.array_equal(made.labels, self.labels)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions(Evidence):
    """Each agent's own unlabelled points, seen through what every hypothesis predicts there."""

    KIND: ClassVar = EvidenceKind.PREDICTIONS
    KEY: ClassVar = "predictions"
    ENDING: ClassVar = "npy"
    IS_COUNTED: ClassVar = True

    predictions: tuple[NDArray[np.integer], ...]
    """One (H, n_i) array per agent, of labels or, where there are ``classes``, of their codes."""
    hypotheses: tuple[str, ...]
    classes: Classes = None
    """The label that each code stands for, at all agents; None: the whole numbers are the labels."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of points of each agent."""
        return tuple(array.shape[1] for array in self.predictions)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Every agent's predictions."""
        return self.predictions

    def restrict(self, agents: Sequence[int]) -> Predictions:
        """Keep some agents' points."""
        return replace(self, predictions=tuple(self.predictions[agent] for agent in agents))

    def given_labels(self, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """(H, n_i) labels by agent."""
        return {name: decode(own, self.classes) for name, own in zip(names, self.predictions, strict=True)}

    def drawn_labels(self) -> NDArray[np.integer]:
        """(H, n) what is predicted at the points of all agents."""
        return np.concatenate(self.predictions, axis=1)

    def joint(self) -> tuple[NDArray[np.integer], NDArray[np.float64]]:
        """Labels at the points of all agents; each agent's mass is uniform on its own."""
        k, owner = len(self.sizes), np.repeat(np.arange(len(self.sizes)), self.sizes)
        mass = np.zeros((k, len(owner)))
        mass[owner, np.arange(len(owner))] = 1 / np.bincount(owner, minlength=k)[owner]
        return self.drawn_labels(), mass

    def write(self) -> list[bytes]:
        """Every agent's labels as ``numpy.save`` writes them."""
        return [_to_npy(decode(own, self.classes)) for own in self.predictions]

    def write_hypotheses(self) -> dict[str, Any]:
        """Names and classes."""
        return self.write_names() | _write_classes(self.classes)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reports(Evidence):
    """Each agent's pairwise disagreement counts, nothing else."""

    KIND: ClassVar = EvidenceKind.REPORTS
    KEY: ClassVar = "report"
    ENDING: ClassVar = "report.npz"
    IS_COUNTED: ClassVar = True

    reports: tuple[Report, ...]
    hypotheses: tuple[str, ...]
    confidence: float | None = None
    """With which probability rates have to be right if the counts are taken for estimates; None: for the truth."""

    @property
    def is_exact(self) -> bool:
        """Whether the counts give the rates exactly."""
        return self.confidence is None and all(report.is_exact for report in self.reports)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of points of each agent."""
        return tuple(report.n for report in self.reports)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Say what was done to the counts, and the counts."""
        about = [(report.n, report.n_classes, report.minimum_count, report.noise) for report in self.reports]
        return np.array(repr((self.confidence, about))), *(report.counts for report in self.reports)

    def restrict(self, agents: Sequence[int]) -> Reports:
        """Keep some agents' reports."""
        return replace(self, reports=tuple(self.reports[agent] for agent in agents))

    def given_labels(self, names: Sequence[str]) -> None:
        """Nothing."""

    def drawn_labels(self) -> None:
        """Nothing."""

    def joint(self) -> None:
        """Nothing."""

    def write(self) -> list[bytes]:
        """Every agent's report as :func:`fedpact.sites.read_report` reads it."""
        if self.confidence is not None:
            raise FederationError("a confidence belongs to a plan, not to a file; save the federation without it")
        return [to_bytes(report) for report in self.reports]

    def write_hypotheses(self) -> dict[str, Any]:
        """Names, unless the reports have them."""
        listed = self.reports[0].candidates
        return self.write_names(None if listed is None else listed.names)


def _write_classes(classes: Classes) -> dict[str, Any]:
    return {} if classes is None else {"classes": list(classes)}


def _to_npy(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def find_distinct(evidence: Evidence) -> NDArray[np.intp]:
    """Index of the first of every group of hypotheses that no agent can tell apart, in order.

    Duplicates inflate |H| in the paper's program but not the true failure.
    """
    labels = evidence.drawn_labels()
    if labels is None:
        return _distinct_in_reports(evidence)
    rows = np.ascontiguousarray(labels).view(np.dtype((np.void, labels.dtype.itemsize * labels.shape[1])))
    _, first = np.unique(rows.ravel(), return_index=True)
    return np.sort(first)


def _distinct_in_reports(evidence: Evidence) -> NDArray[np.intp]:
    """Merge what no site has seen to differ, if the counts say for certain that it does not."""
    assert isinstance(evidence, Reports), "all others have labels"
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
    else:
        labels = evidence.drawn_labels()
        assert labels is not None, "only reports have none"
        same = (labels[distinct] == labels[hypothesis]).all(axis=1)
    return int(np.flatnonzero(same)[0])


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that nobody can write to."""
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array
