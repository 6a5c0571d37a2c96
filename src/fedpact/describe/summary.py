"""What a federation, or the file that describes one, amounts to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar

from fedpact.describe.any_federation import is_file, refuse_report, takes_federation
from fedpact.describe.evidence import EvidenceKind, Reports
from fedpact.describe.federation import Federation
from fedpact.describe.file_evidence import KINDS
from fedpact.describe.files import load, load_settings
from fedpact.describe.parsing import parse
from fedpact.describe.settings import Agent, Assumed, Guarantee, Objective, Settings
from fedpact.errors import FederationError, Problems
from fedpact.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Assumed, Result):
    """A federation in a few lines."""

    ROWS: ClassVar = "agents"

    name: str
    evidence: EvidenceKind
    fewest_points: int | None = None
    """Points of the agent that has the fewest; of a table, its points; None without evidence."""
    most_points: int | None = None
    hidden: tuple[str, ...] = ()
    """Whose small counts are hidden."""
    noisy: tuple[str, ...] = ()
    """Whose counts have noise."""
    confidence: float | None = None
    """With which the rates are known, where they are taken for estimates."""
    agents: tuple[Agent, ...]
    H: int = field(metadata={"key": "hypotheses"})
    """Different hypotheses, which is the |H| of the linear program; 0 if sites are still to report."""
    H_given: int = field(metadata={"key": "hypotheses_given"})
    """Hypotheses as described."""
    delta: float
    objective: Objective
    guarantee: Guarantee

    @property
    def k(self) -> int:
        """Number of agents."""
        return len(self.agents)

    @property
    def has_evidence(self) -> bool:
        """Whether anything is known of the data; if not, these are the terms of a run whose sites report it."""
        return self.evidence is not EvidenceKind.NONE

    @property
    def is_sampled(self) -> bool:
        """Whether rates were counted on some points of each agent, and are taken for the truth."""
        return self.evidence in (EvidenceKind.PREDICTIONS, EvidenceKind.REPORTS) and self.confidence is None


class FileStatus(StrEnum):
    """Whether a file can be read."""

    SOUND = "sound"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCheck(Result):
    """What a file describes, or every problem with it."""

    DERIVED: ClassVar = ("status",)

    file: str
    problems: tuple[str, ...]
    """What the errors say that reading the file raises."""
    summary: Summary | None = field(metadata={"key": "describes"})
    """None where there are problems."""

    @property
    def status(self) -> FileStatus:
        """Whether there is no problem."""
        return FileStatus.MALFORMED if self.problems else FileStatus.SOUND


def _summarise_terms(name: str, terms: Settings, **known: Any) -> Summary:
    """Describe who takes part on what terms, and what is ``known`` of their data."""
    return Summary(name=name, agents=terms.agents, delta=terms.delta, **terms.stated(), **known)


@takes_federation
def summarise(fed: Federation) -> Summary:
    """Describe a federation in a few lines.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> found = summarise(alice_bob())
    >>> print(found.evidence, found.most_points)
    table 2
    """
    evidence, known = fed.evidence, dict[str, Any]()
    if isinstance(evidence, Reports):
        known["hidden"] = tuple(report.name for report in evidence.reports if report.minimum_count > 1)
        known["noisy"] = tuple(report.name for report in evidence.reports if report.noise is not None)
        known["confidence"] = evidence.confidence
    known |= {"fewest_points": min(evidence.sizes), "most_points": max(evidence.sizes)}
    return _summarise_terms(fed.name, fed, evidence=evidence.KIND, H=fed.H, H_given=fed.H_given, **known)


def _has_no_evidence(path: Path) -> bool:
    """Whether a file says who takes part, and nothing about anybody's data."""
    data = Problems().read("", parse, path, Problems()) or {}
    agents = data.get("agents")
    if not isinstance(agents, list) or not agents or "hypotheses" in data:
        return False
    return all(isinstance(agent, dict) and not set(KINDS) & set(agent) for agent in agents)


def _summarise(path: str | PathLike[str], *, confined: bool) -> Summary:
    refuse_report(fspath(path))
    if isinstance(path, str) and not is_file(path):
        return summarise(path)
    place = Path(path)
    if _has_no_evidence(place):
        return _summarise_terms(*load_settings(place), evidence=EvidenceKind.NONE, H=0, H_given=0)
    return summarise(load(path, confined=confined))


def check(path: str | PathLike[str], *, confined: bool = False) -> FileCheck:
    """Read a federation file and say what it describes, or everything that is wrong with it.

    A file whose agents have no evidence at all is taken for the terms of a run, whose sites are going to report.
    The name of an example stands for its federation. ``confined`` is as for :func:`load`.

    Examples
    --------
    >>> check("nowhere.toml").problems
    ('nowhere.toml: no such file',)
    """
    try:
        found = _summarise(path, confined=confined)
    except FederationError as error:
        return FileCheck(file=fspath(path), problems=error.problems, summary=None)
    return FileCheck(file=fspath(path), problems=(), summary=found)
