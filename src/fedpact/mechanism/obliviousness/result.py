"""Where a planner is locally oblivious: the reports that show it, for a stranger to check."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from fedpact.describe.settings import Guarantee, HasContributions, Objective
from fedpact.result import Result


class ObliviousnessStatus(StrEnum):
    """What is known of a plan."""

    HOLDS = "holds"
    """Each agent alone can report its way to every neighbour, and all plans stay enough."""
    TOO_LARGE = "too-large"
    """It cannot hold: no reports lead to this plan or to one of its neighbours."""
    OPTIMAL = "optimal-planner"
    """It cannot hold: of two neighbours that are both enough an optimal planner never takes the
    more expensive one."""
    NOT_BUILT = "not-built"
    """Not found: the masses that the construction needs do not exist for this plan."""
    OTHER_PLAN = "other-plan"
    """Not found: the construction leads to another plan."""
    NOT_FOUND = "not-found"
    """Not found: not every agent was found to reach every neighbour."""


class SteeringOutcome(StrEnum):
    """What one agent can do about one neighbour."""

    REACHED = "reached"
    """The report leads to the neighbour, and both plans are enough in both cases."""
    MISSED = "missed"
    """The report that should do it does not."""
    NOT_FOUND = "not-found"
    """No report was found that does it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeringReport:
    """What an agent reports to move the plan to a neighbour, the others' reports being as they are."""

    agent: str
    report: dict[str, float] | None = None
    """Mass on every point; None if there is none to try."""
    plan: dict[str, int] | None = None
    """What the planner answers."""
    failure: dict[str, float] = field(default_factory=dict)
    """By agent the largest probability of missing the target (or expected error) that either plan leaves, whether
    the report or what stands before it is the truth; empty if that was not looked at."""
    outcome: SteeringOutcome

    @property
    def is_reached(self) -> bool:
        """Whether the report does what the definition asks for."""
        return self.outcome is SteeringOutcome.REACHED


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourPlan(HasContributions):
    """A plan that differs by one sample of one agent, and what each agent can report to reach it."""

    DERIVED: ClassVar = ("is_reached",)

    contributions: dict[str, int]
    reports: tuple[SteeringReport, ...]
    """One per agent."""

    @property
    def is_reached(self) -> bool:
        """Whether every agent has a report that does it."""
        return all(report.is_reached for report in self.reports)


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeringCase:
    """What one agent can do about one neighbour of the plan: a row of the table."""

    neighbour: str
    agent: str
    is_reached: bool
    outcome: SteeringOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Obliviousness(HasContributions, Result):
    """Whether a planner is locally oblivious at a plan, and the distributions and reports that show it."""

    DERIVED: ClassVar = ("is_oblivious",)
    ROWS: ClassVar = "cases"

    contributions: dict[str, int]
    """The plan m."""
    distributions: dict[str, dict[str, float]] = field(default_factory=dict)
    """Masses by agent and point with which the planner answers m; empty if there are none."""
    neighbours: tuple[NeighbourPlan, ...] = ()
    largest: dict[str, float]
    """More than this no reports make the planner ask of an agent; infinite where nothing is proved."""
    largest_cost: float
    """More than this no reports make the plan cost; infinite where nothing is proved."""
    reports_tried: int = 0
    status: ObliviousnessStatus
    construction: str = "none"
    """"spread", "concentrated", "search" or "none"."""
    method: str
    objective: Objective
    guarantee: Guarantee

    @property
    def is_oblivious(self) -> bool:
        """Whether it is shown to hold."""
        return self.status is ObliviousnessStatus.HOLDS

    @property
    def reached(self) -> int:
        """In how many cases an agent reaches a neighbour; there are k for each of the up to 2k neighbours."""
        return sum(report.is_reached for neighbour in self.neighbours for report in neighbour.reports)

    @property
    def cases(self) -> tuple[SteeringCase, ...]:
        """What every agent can do about every neighbour."""
        return tuple(
            SteeringCase(
                neighbour=str(tuple(neighbour.contributions.values())),
                agent=one.agent,
                is_reached=one.is_reached,
                outcome=one.outcome,
            )
            for neighbour in self.neighbours
            for one in neighbour.reports
        )
