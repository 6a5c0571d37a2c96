"""Where a planner is locally oblivious: the reports that show it, for a stranger to check."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable


class ObliviousnessStatus(Enum):
    """What is known of a plan, in words a user can act on."""

    HOLDS = "locally oblivious: each agent alone can report its way to every neighbour, and all plans stay enough"
    TOO_LARGE = "cannot hold: no reports lead to this plan or to one of its neighbours, they ask for too much"
    OPTIMAL = "cannot hold: of two neighbours that are both enough an optimal planner never takes the dearer"
    NOT_BUILT = "not found: the masses that the construction needs do not exist for this plan; others may do"
    OTHER_PLAN = "not found: the construction leads to another plan; other distributions may do"
    NOT_FOUND = "not found: not every agent was found to reach every neighbour; other distributions may do"


class SteeringOutcome(Enum):
    """What one agent can do about one neighbour."""

    REACHED = "reached: the report leads to the neighbour, and both plans are enough in both cases"
    MISSED = "missed: the report that should do it does not"
    NOT_FOUND = "not found: no report was found that does it"
    IMPOSSIBLE = "impossible: no report of this agent does it"


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeringReport:
    """What an agent reports to move the plan to a neighbour, the others' reports being as they are."""

    agent: str
    report: dict[str, float] | None
    """Mass on every point; None if there is none to try."""
    plan: dict[str, int] | None
    """What the planner answers."""
    failure: dict[str, float]
    """By agent the largest probability of missing the target (or expected error) that either plan leaves, whether
    the report or what stands before it is the truth; empty if that was not looked at."""
    outcome: SteeringOutcome

    @property
    def is_reached(self) -> bool:
        """Whether the report does what the definition asks for."""
        return self.outcome is SteeringOutcome.REACHED

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"outcome": self.outcome.value}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> SteeringReport:
        """Read what :meth:`to_dict` wrote."""
        return cls(**dict(entry) | {"outcome": SteeringOutcome(entry["outcome"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourPlan:
    """A plan that differs by one sample of one agent, and what each agent can report to reach it."""

    contributions: dict[str, int]
    reports: tuple[SteeringReport, ...]
    """One per agent."""

    @property
    def m(self) -> NDArray[np.int64]:
        """(k,) the plan."""
        return np.array(list(self.contributions.values()), dtype=np.int64)

    @property
    def is_reached(self) -> bool:
        """Whether every agent has a report that does it."""
        return all(report.is_reached for report in self.reports)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "contributions": dict(self.contributions),
            "is_reached": self.is_reached,
            "reports": [report.to_dict() for report in self.reports],
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> NeighbourPlan:
        """Read what :meth:`to_dict` wrote."""
        reports = tuple(SteeringReport.from_dict(report) for report in entry["reports"])
        return cls(contributions=dict(entry["contributions"]), reports=reports)


@dataclass(frozen=True, slots=True, kw_only=True)
class Obliviousness(Shows):
    """Whether a planner is locally oblivious at a plan, and the distributions and reports that show it."""

    contributions: dict[str, int]
    """The plan m."""
    distributions: dict[str, dict[str, float]]
    """Masses by agent and point with which the planner answers m; empty if there are none."""
    neighbours: tuple[NeighbourPlan, ...]
    largest: dict[str, float]
    """More than this no reports make the planner ask of an agent; infinite where nothing is proved."""
    largest_cost: float
    """More than this no reports make the plan cost; infinite where nothing is proved."""
    reports_tried: int
    status: ObliviousnessStatus
    construction: str
    method: str
    objective: str
    guarantee: str

    @property
    def m(self) -> NDArray[np.int64]:
        """(k,) the plan."""
        return np.array(list(self.contributions.values()), dtype=np.int64)

    @property
    def is_oblivious(self) -> bool:
        """Whether it is shown to hold."""
        return self.status is ObliviousnessStatus.HOLDS

    @property
    def reached(self) -> int:
        """In how many cases an agent reaches a neighbour; there are k for each of the up to 2k neighbours."""
        return sum(report.is_reached for neighbour in self.neighbours for report in neighbour.reports)

    def shown(self) -> ShownTable:
        """Show which agent can report its way to which neighbour."""
        cases = [(neighbour, report) for neighbour in self.neighbours for report in neighbour.reports]
        return ShownTable(
            title=f"Neighbours of the plan {tuple(self.contributions.values())}",
            status=self.status.value,
            facts={"method": self.method, "reached": self.reached, "of": len(cases)},
            columns=[("neighbour", str), ("agent", str), ("is_reached", bool), ("outcome", str)],
            rows=[
                (str(tuple(neighbour.contributions.values())), one.agent, one.is_reached, one.outcome.value)
                for neighbour, one in cases
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them; None stands for no limit."""
        return {
            "is_oblivious": self.is_oblivious,
            "contributions": dict(self.contributions),
            "distributions": {name: dict(masses) for name, masses in self.distributions.items()},
            "neighbours": [neighbour.to_dict() for neighbour in self.neighbours],
            "largest": {name: _or_none(most) for name, most in self.largest.items()},
            "largest_cost": _or_none(self.largest_cost),
            "reports_tried": self.reports_tried,
            "status": self.status.value,
            "construction": self.construction,
            "method": self.method,
            "objective": self.objective,
            "guarantee": self.guarantee,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Obliviousness:
        """Read what :meth:`to_dict` wrote."""
        values = {key: value for key, value in entry.items() if key != "is_oblivious"}
        values["neighbours"] = tuple(NeighbourPlan.from_dict(neighbour) for neighbour in entry["neighbours"])
        values["largest"] = {name: _or_infinite(most) for name, most in entry["largest"].items()}
        values["largest_cost"] = _or_infinite(entry["largest_cost"])
        values["status"] = ObliviousnessStatus(entry["status"])
        return cls(**values)


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _or_infinite(value: float | None) -> float:
    return math.inf if value is None else value
