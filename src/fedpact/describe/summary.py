"""What a federation, or the file that describes one, amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from fedpact.describe.any_federation import is_file, refuse_report, takes_federation
from fedpact.describe.evidence import Predictions, Reports, Table
from fedpact.describe.federation import Federation
from fedpact.describe.file_evidence import KINDS
from fedpact.describe.files import load, load_settings
from fedpact.describe.parsing import parse
from fedpact.describe.reports import Report
from fedpact.describe.settings import AGENT_COLUMNS, Agent, agent_rows
from fedpact.errors import FederationError, Problems
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable

_NO_EVIDENCE = "no agent has data here; sites report them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Shows):
    """A federation in a few lines."""

    name: str
    evidence: str
    """What is known of the data, in words."""
    agents: tuple[Agent, ...]
    H: int
    """Different hypotheses, which is the |H| of the linear program; 0 if sites are still to report."""
    H_given: int
    """Hypotheses as described."""
    delta: float
    objective: str
    guarantee: str

    @property
    def has_evidence(self) -> bool:
        """Whether anything is known of the data; if not, these are the terms of a run whose sites report it."""
        return self.H > 0

    def shown(self) -> ShownTable:
        """Show who takes part, on which terms."""
        return ShownTable(
            title=self.name,
            status=self.evidence,
            facts={
                "hypotheses": self.H or None,
                "delta": self.delta,
                "objective": self.objective,
                "guarantee": self.guarantee,
            },
            columns=AGENT_COLUMNS,
            rows=agent_rows(self.agents),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "name": self.name,
            "evidence": self.evidence,
            "agents": [
                {
                    "name": agent.name,
                    "epsilon": agent.epsilon,
                    "cost": agent.cost.to_json(),
                    "capacity": agent.capacity,
                }
                for agent in self.agents
            ],
            "hypotheses": self.H,
            "hypotheses_given": self.H_given,
            "delta": self.delta,
            "objective": self.objective,
            "guarantee": self.guarantee,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCheck(Shows):
    """What a file describes, or every problem with it."""

    file: str
    problems: tuple[str, ...]
    summary: Summary | None
    """None where there are problems."""

    def shown(self) -> ShownTable:
        """Show what the file describes, or its problems."""
        if self.summary is not None:
            return replace(self.summary.shown(), title=f"{self.file}: no problems found")
        return ShownTable(
            title=f"{self.file}: {len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}",
            columns=[("problem", str)],
            rows=[(problem,) for problem in self.problems],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        described = self.summary.to_dict() if self.summary else None
        return {"file": self.file, "problems": list(self.problems), "describes": described}


def _say_sizes(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low} points" if low == high else f"{low} to {high} points"


def _say_changes(reports: Sequence[Report]) -> str:
    """Say what was done to the counts before they were sent."""
    hidden = [report.name for report in reports if report.minimum_count > 1]
    noisy = [report.name for report in reports if report.noise is not None]
    said = [(hidden, "small counts hidden by"), (noisy, "noise added by")]
    return "".join(f"; {what} {', '.join(names)}" for names, what in said if names)


@takes_federation
def summarise(fed: Federation) -> Summary:
    """Describe a federation in a few lines.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> summarise(alice_bob()).evidence
    'a table of 2 points'
    """
    match fed.evidence:
        case Table(points=points):
            evidence = f"a table of {len(points)} points"
        case Predictions(predictions=predictions):
            evidence = f"predictions on {_say_sizes([array.shape[1] for array in predictions])} of each agent"
        case Reports(reports=reports, confidence=confidence):
            sizes = _say_sizes([report.n for report in reports])
            evidence = f"reports of pairwise disagreements on {sizes} of each agent{_say_changes(reports)}"
            if confidence is not None:
                evidence += f"; rates are estimates, known with confidence {confidence:g}"
    return Summary(
        name=fed.name,
        evidence=evidence,
        agents=fed.agents,
        H=fed.H,
        H_given=fed.H_given,
        delta=fed.delta,
        objective=fed.objective,
        guarantee=fed.guarantee,
    )


def _has_no_evidence(path: Path) -> bool:
    """Whether a file says who takes part, and nothing about anybody's data."""
    try:
        data = parse(path, Problems())
    except FederationError:
        return False
    agents = data.get("agents")
    if not isinstance(agents, list) or not agents or "hypotheses" in data:
        return False
    return all(isinstance(agent, dict) and not set(KINDS) & set(agent) for agent in agents)


def _summarise_terms(path: Path) -> Summary:
    name, settings = load_settings(path)
    return Summary(
        name=name,
        evidence=_NO_EVIDENCE,
        agents=settings.agents,
        H=0,
        H_given=0,
        delta=settings.delta,
        objective=settings.objective,
        guarantee=settings.guarantee,
    )


def _summarise(path: str | PathLike[str], *, confined: bool) -> Summary:
    refuse_report(fspath(path))
    if isinstance(path, str) and not is_file(path):
        return summarise(path)
    place = Path(path)
    return _summarise_terms(place) if _has_no_evidence(place) else summarise(load(path, confined=confined))


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
