"""A plan: who contributes how much, why that is enough, and how far it can be from the cheapest."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, ClassVar

from fedpact.describe.settings import Assumed, Guarantee, HasContributions, Objective
from fedpact.drawing import Figure, draw_bars
from fedpact.planning.methods import PLANNERS
from fedpact.result import Result


class PlanStatus(StrEnum):
    """What is known of a plan."""

    OPTIMAL = "optimal"
    """No cheaper contribution vector meets the targets."""
    CERTIFIED = "certified"
    """Every target is met; the ratio says how far the optimum can be at most."""
    CONFIDENT = "confident"
    """Every target is met, with the stated confidence in the estimated rates."""
    INTERRUPTED = "interrupted"
    """Every target is met; the search for the optimum stopped early."""
    NOTHING_NEEDED = "nothing-needed"
    """Every target is met without a single sample."""
    ONE_CANDIDATE = "one-candidate"
    """There is one candidate, or all predict alike: nothing to choose, and nothing is known of its errors."""


class Proof(StrEnum):
    """Why a contribution vector meets the targets."""

    PAIRS = "pairs"
    """Every bad pair is missed rarely enough by itself: the paper's constraints."""
    UNION = "union-bound"
    """For every truth the miss probabilities sum to delta at most."""
    TREE = "hunter-worsley"
    """The same sum, less what is missed together along a tree."""
    ENGINE = "exact-failure"
    """The guarantee engine computed the failure probabilities."""
    TAILS = "regret-tails"
    """Every agent's own labels: whatever is best, they seldom speak for what is worse by more than its epsilon."""
    NOTHING_TO_RULE_OUT = "nothing-to-rule-out"
    """No hypothesis is bad for anybody."""


class BoundBy(StrEnum):
    """Why no plan costs less than the lower bound."""

    COSTS = "costs-not-negative"
    """Costs are not negative."""
    GIVEN = "contributed-already"
    """So much is contributed already."""
    PAIRS = "pair-program"
    """The linear program that misses every single pair rarely enough."""
    INTEGER_PAIRS = "integer-pair-program"
    """The same program over whole samples."""
    ALONE = "alone-if-right"
    """What everybody needs alone if some candidate is right, or all of its points."""
    SEARCH = "branch-and-bound"
    """Branch and bound over contribution vectors."""
    SEARCH_BY_PAIRS = "branch-and-bound-by-pairs"
    """Branch and bound in which Dawson-Sankoff and de Caen refute vectors: all that pairwise rates allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingPair:
    """Hypotheses that have to be told apart and what that costs."""

    truth: str
    """The truth that is protected against."""
    hypothesis: str
    """The hypothesis that has to be eliminated."""
    agent: str | None
    """Whose target needs it; None for the joint one of all agents."""
    dual: float
    """What one more unit of log-probability costs."""
    share: float
    """Share of the fractional plan's cost, beyond what was contributed already, that this pair is there for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MorePoints:
    """What a plan would cost, about, if every site had looked at more unlabelled points."""

    factor: int | None
    """How many times as many; None: so many that nothing is left uncertain."""
    points: dict[str, int] | None
    """Points of every site then; None if there is no end to them."""
    cost: float


def ratio_of(cost: float, least: float) -> float:
    """How many times the least possible cost a cost is at most."""
    if cost <= least:
        return 1.0
    return cost / least if least > 0 else math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Assumed, HasContributions, Result):
    """Contributions that meet every target, with a certificate."""

    DERIVED: ClassVar = ("ratio",)

    contributions: dict[str, int]
    cost: float
    costs: dict[str, float]
    """What its own samples cost each agent."""
    fractional: dict[str, float] | None
    """Optimum of the method's program before rounding, for ``exact`` of the union program; None if it has none."""
    fractional_cost: float | None
    lower_bound: float
    """No contribution vector that meets the targets, and gives at least what was given, costs less."""
    lower_bound_by: BoundBy
    proved_by: Proof
    duals: tuple[BindingPair, ...]
    """The pairs that bind, most expensive first."""
    delta_price: float | None
    """What a factor of e in delta costs at the margin, before rounding; None for the expected objective."""
    status: PlanStatus
    method: str
    """What was asked for."""
    chosen: Annotated[str, (*PLANNERS, "union-trimmed")]
    """The method that gave the plan: for ``auto`` "exact", "tree" or "union-trimmed"."""
    objective: Objective
    guarantee: Guarantee
    name: str
    """The federation's name."""
    federation: str
    """Fingerprint of the federation that the plan is for."""
    at_least: dict[str, int] | None = None
    """What was contributed already, below which the plan does not go; None if nothing was."""
    teacher: str | None = None
    """The hypothesis that is to label the samples; None if any may be the truth."""
    is_sampled: bool = False
    """Whether rates that were counted on a sample are taken for the truth."""
    confidence: float | None = None
    """With which probability, over the draw of the unlabelled points, the certificate holds; None if for sure."""
    more_points: tuple[MorePoints, ...] = ()
    """What the plan would cost, about, if every site had looked at more unlabelled points."""
    too_few_points: dict[str, int] | None = field(default=None, metadata={"is_optional": True})
    """Points of the sites that are asked for more samples than they have points; None if there is no such site."""

    @property
    def ratio(self) -> float:
        """Cost over lower bound: at most this many times the optimum."""
        return ratio_of(self.cost, self.lower_bound)

    def plot(self) -> Figure:
        """Draw how many samples each contributor gives, as a matplotlib figure; needs ``fedpact[plot]``."""
        return draw_bars(
            {name: count for name, count in self.contributions.items() if count},
            title=f"cost {self.cost:.6g}, lower bound {self.lower_bound:.6g}, ratio {self.ratio:.3f}",
            axis="samples",
        )
