"""A plan: who contributes how much, why that is enough, and how far it can be from the cheapest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fedpact.drawing.figures import draw_bars
from fedpact.planning.more_points import MorePoints
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable, rows_by_name

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure


class PlanStatus(Enum):
    """What is known of a plan, in words a user can act on."""

    OPTIMAL = "optimal: no cheaper contribution vector meets the targets"
    CERTIFIED = "every target is met; the ratio says how far the optimum can be at most"
    CONFIDENT = "every target is met, with the stated confidence in the estimated rates"
    INTERRUPTED = "every target is met; the search for the optimum stopped early"
    NOTHING_NEEDED = "nothing is needed: every target is met without a single sample"


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingPair:
    """Hypotheses that have to be told apart and what that costs."""

    target: str
    """The truth that is protected against."""
    hypothesis: str
    """The hypothesis that has to be eliminated."""
    agent: str
    """Whose target needs it."""
    dual: float
    """What one more unit of log-probability costs."""
    share: float
    """Share of the fractional plan's cost, beyond what was contributed already, that this pair is there for."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "target": self.target,
            "hypothesis": self.hypothesis,
            "agent": self.agent,
            "dual": self.dual,
            "share": self.share,
        }

    def __str__(self) -> str:
        return (
            f"the pair ({self.target}, {self.hypothesis}) costs {self.share:.0%} of the plan; "
            f"it is there for {self.agent}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Shows):
    """Contributions that meet every target, with a certificate."""

    contributions: dict[str, int]
    cost: float
    fractional: dict[str, float] | None
    """Optimum of the method's program before rounding, for ``exact`` of the union program; None if it has none."""
    fractional_cost: float | None
    lower_bound: float
    """No contribution vector that meets the targets, and gives at least what was given, costs less."""
    lower_bound_by: str
    """How the lower bound was obtained."""
    proved_by: str
    """Why the targets are met."""
    duals: tuple[BindingPair, ...]
    """The pairs that bind, dearest first."""
    delta_price: float | None
    """What a factor of e in delta costs at the margin, before rounding; None for the expected objective."""
    status: PlanStatus
    method: str
    """What was asked for."""
    chosen: str
    """The method that gave the plan: for ``auto`` "exact", "tree" or "union, trimmed by the guarantee engine"."""
    objective: str
    guarantee: str
    federation: str
    """Fingerprint of the federation that the plan is for."""
    at_least: dict[str, int] | None = None
    """What was contributed already, below which the plan does not go; None if nothing was."""
    teacher: str | None = None
    """The hypothesis that is to label the samples; None if any may be the truth."""
    confidence: float | None = None
    """With which probability, over the draw of the unlabelled points, the certificate holds; None if for sure."""
    more_points: tuple[MorePoints, ...] = ()
    """What the plan would cost, about, if every site had looked at more unlabelled points."""

    @property
    def m(self) -> NDArray[np.int64]:
        """(k,) the contribution vector."""
        return np.array(list(self.contributions.values()), dtype=np.int64)

    @property
    def ratio(self) -> float:
        """Cost over lower bound: at most this many times the optimum."""
        if self.cost <= self.lower_bound:
            return 1.0
        return self.cost / self.lower_bound if self.lower_bound > 0 else float("inf")

    def plot(self) -> Figure:
        """Draw how many samples each contributor gives, as a matplotlib figure; needs ``fedpact[plot]``."""
        return draw_bars(
            {name: count for name, count in self.contributions.items() if count},
            title=f"cost {self.cost:.6g}, lower bound {self.lower_bound:.6g}, ratio {self.ratio:.3f}",
            axis="samples",
        )

    def in_currency(self, factor: float) -> Plan:
        """Return the same plan with everything that is money multiplied."""
        return replace(
            self,
            cost=self.cost * factor,
            lower_bound=self.lower_bound * factor,
            fractional_cost=None if self.fractional_cost is None else self.fractional_cost * factor,
            delta_price=None if self.delta_price is None else self.delta_price * factor,
            duals=tuple(replace(pair, dual=pair.dual * factor) for pair in self.duals),
        )

    def shown(self) -> ShownTable:
        """Show who contributes how much."""
        return ShownTable(
            title="Plan",
            status=self.status.value,
            facts={
                "cost": self.cost,
                "lower bound": self.lower_bound,
                "ratio": self.ratio,
                "method": self.chosen,
                "confidence": self.confidence,
            },
            columns=[("agent", str), ("samples", int), ("before rounding", float)],
            rows=rows_by_name(self.contributions, self.fractional or {}),
            bars="samples",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "contributions": dict(self.contributions),
            "cost": self.cost,
            "fractional": None if self.fractional is None else dict(self.fractional),
            "fractional_cost": self.fractional_cost,
            "lower_bound": self.lower_bound,
            "lower_bound_by": self.lower_bound_by,
            "ratio": self.ratio if np.isfinite(self.ratio) else None,
            "proved_by": self.proved_by,
            "duals": [pair.to_dict() for pair in self.duals],
            "delta_price": self.delta_price,
            "status": self.status.value,
            "method": self.method,
            "chosen": self.chosen,
            "objective": self.objective,
            "guarantee": self.guarantee,
            "federation": self.federation,
            "at_least": None if self.at_least is None else dict(self.at_least),
            "teacher": self.teacher,
            "confidence": self.confidence,
            "more_points": [more.to_dict() for more in self.more_points],
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Plan:
        """Read what :meth:`to_dict` wrote."""
        derived = {"ratio"}
        values = {key: value for key, value in entry.items() if key not in derived}
        values["duals"] = tuple(BindingPair(**pair) for pair in entry["duals"])
        values["status"] = PlanStatus(entry["status"])
        values["more_points"] = tuple(MorePoints(**more) for more in entry.get("more_points", ()))
        return cls(**values)
