"""A split of the cost: who bears how much, and which groups would do better by leaving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from fedpact.drawing.figures import draw_bars
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable, rows_by_name

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure


class ShareStatus(Enum):
    """What is known of a split, in words a user can act on."""

    STABLE = "stable: no group would do better by leaving"
    NOT_BEATEN = "no group was found that would do better by leaving; that there is none is not proved"
    UNSTABLE = "not stable: some groups have a plan of their own that costs less than their shares"


class GroupsLookedAt(Enum):
    """How the groups that would leave were looked for."""

    ALL = "all groups were looked at"
    SAMPLED = "only some groups were looked at: one that was not tried may do better"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeavingGroup:
    """Agents who would do better by themselves, with the plan that shows it."""

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "members": list(self.members),
            "share": self.share,
            "cost": self.cost,
            "saving": self.saving,
            "contributions": dict(self.contributions),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> LeavingGroup:
        """Read what :meth:`to_dict` wrote."""
        return cls(
            members=tuple(entry["members"]),
            share=entry["share"],
            cost=entry["cost"],
            contributions=dict(entry["contributions"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Shows):
    """Who bears how much of the plan for all, and how stable that is."""

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
    rule: str
    method: str
    objective: str
    guarantee: str

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

    def shown(self) -> ShownTable:
        """Show what each agent bears, and what it would pay alone."""
        return ShownTable(
            title=f"Split of the cost by rule {self.rule}",
            status=self.status.value,
            facts={"cost": self.cost, "groups that would leave": len(self.leaving)},
            columns=[
                ("agent", str),
                ("share", float),
                ("alone", float),
                ("samples", int),
                ("labelling", float),
                ("payment", float),
            ],
            rows=rows_by_name(self.shares, self.alone, self.contributions, self.labelling, self.payments),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "shares": dict(self.shares),
            "payments": self.payments,
            "cost": self.cost,
            "contributions": dict(self.contributions),
            "labelling": dict(self.labelling),
            "alone": dict(self.alone),
            "leaving": [group.to_dict() for group in self.leaving],
            "least_core_value": self.least_core_value,
            "standard_errors": None if self.standard_errors is None else dict(self.standard_errors),
            "looked_at": self.looked_at.value,
            "groups_tried": self.groups_tried,
            "groups_planned": self.groups_planned,
            "is_proved": self.is_proved,
            "status": self.status.value,
            "is_stable": self.is_stable,
            "rule": self.rule,
            "method": self.method,
            "objective": self.objective,
            "guarantee": self.guarantee,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Share:
        """Read what :meth:`to_dict` wrote."""
        derived = {"payments", "is_stable"}
        values = {key: value for key, value in entry.items() if key not in derived}
        values["leaving"] = tuple(LeavingGroup.from_dict(group) for group in entry["leaving"])
        values["status"] = ShareStatus(entry["status"])
        values["looked_at"] = GroupsLookedAt(entry["looked_at"])
        return cls(**values)
