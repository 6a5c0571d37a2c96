"""A split of the cost: who bears how much, and which groups would do better by leaving."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

from fedpact.describe.settings import Assumed, Guarantee, Objective
from fedpact.drawing import Figure, draw_bars
from fedpact.result import Result

RULES = ("core", "least-core", "shapley", "equal", "proportional")


class ShareStatus(StrEnum):
    """What is known of a split."""

    STABLE = "stable"
    """No group would do better by leaving."""
    NOT_BEATEN = "not-beaten"
    """No group was found that would do better by leaving; that there is none is not proved."""
    UNSTABLE = "unstable"
    """Some groups have a plan of their own that costs less than their shares."""


class GroupsLookedAt(StrEnum):
    """How the groups that would leave were looked for."""

    ALL = "all"
    """All groups were looked at."""
    SAMPLED = "sampled"
    """Only some groups were looked at: one that was not tried may do better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeavingGroup:
    """Agents who would do better by themselves, with the plan that shows it."""

    DERIVED: ClassVar = ("saving",)

    members: tuple[str, ...]
    share: float
    """What they pay together in the split."""
    cost: float
    """What they would pay by themselves."""
    contributions: dict[str, int]
    """Their own plan."""

    @property
    def saving(self) -> float:
        """What they save by leaving."""
        return self.share - self.cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Assumed, Result):
    """Who bears how much of the plan for all, and how stable that is."""

    DERIVED: ClassVar = ("payments", "is_stable")

    shares: dict[str, float]
    """What each agent bears in the end; they sum to ``cost``. A negative share is a profit."""
    cost: float
    """v(N), the cost of the plan for all agents."""
    contributions: dict[str, int]
    """That plan."""
    labelling: dict[str, float]
    """What its own samples cost each agent."""
    alone: dict[str, float | None]
    """What each agent would pay alone; None if it has no plan, or none was found."""
    leaving: tuple[LeavingGroup, ...]
    """Groups that would do better by themselves, largest saving first."""
    least_core_value: float | None
    """For rule ``least-core`` the e that no split of ``cost`` undercuts; what is reached too if all groups were
    looked at and proved. None for other rules, or if e has no lower end."""
    standard_errors: dict[str, float] | None
    """Of shares that are means over drawn orders."""
    looked_at: GroupsLookedAt
    groups_tried: int
    """Number of groups that were planned for or ruled out by a lower bound."""
    groups_planned: int
    """Number of groups that were planned for."""
    is_proved: bool
    """Whether every plan that was used is the cheapest of its group."""
    status: ShareStatus
    name: str
    """The federation's."""
    rule: Annotated[str, RULES]
    method: str
    objective: Objective
    guarantee: Guarantee

    @property
    def payments(self) -> dict[str, float]:
        """What each agent receives, or pays if negative, so that it ends up bearing its share; they sum to 0."""
        return {name: self.labelling[name] - share for name, share in self.shares.items()}

    @property
    def is_stable(self) -> bool:
        """Whether it is proved that no group would do better by leaving."""
        return self.status is ShareStatus.STABLE

    def plot(self) -> Figure:
        """Draw what each agent bears, as a matplotlib figure; needs ``fedpact[plot]``.

        Members of the group that would save most by leaving are red and hatched.
        """
        return draw_bars(
            self.shares,
            title=f"rule {self.rule}: {self.cost:.6g} in all",
            axis="share of the cost",
            marked=self.leaving[0].members if self.leaving else (),
            meaning="would do better by leaving together",
        )
