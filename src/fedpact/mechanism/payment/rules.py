"""Payment rules: what one agent is paid for its contribution, before and after fees.

================== =============================================== ======================= ===================
rule               what agent i is paid                            truthful about data     truthful about costs
================== =============================================== ======================= ===================
``pwyc``           c_i(m_i) - fee_i                                ex post                 no
``vcg``            sum over j != i of worth_j - c_j(m_j), + q_i    no (ERRATA A3)          dominant
``vcg-verified``   the same, worth_j only where j's target is met  ex post                 dominant
``threshold``      what its samples could have cost at most        no                      dominant
``none``           nothing                                         no                      no
``equal-split``    c_i(m_i) - cost / k                             no                      no
``proportional``   c_i(m_i) - cost * c_i(n_ind(i)) / sum of these  no                      no
================== =============================================== ======================= ===================

*Ex post*: truth is a best report if the others' are true. *Dominant*: whatever they are. Costs are reported up
to a declared ceiling under ``threshold``, and data are known where costs are private.

*Pay what you contribute* (Equation 5). The paper calls it strategyproof. The plan is made from reports and the
samples are drawn from the true data, so an agent whose fellows lie may have to lie as well (ERRATA A2): truth
is a best report if the others' are true (ex post), not whatever they are (dominant). For that any planner will
do that meets the reported targets: a truthful agent among truthful ones has utility worth_i - fee_i, the most
that the rule ever gives.

*VCG* (Equation 6). The paper's payment counts the others as satisfied because their reports say so; a report
that shifts work to an agent whose samples then show nothing is profitable (ERRATA A3). ``vcg-verified`` pays on
what is realised, which makes agent i's utility the true welfare and truth a best report, if the plan is the
optimum and every target is worth what it costs, as it is where every agent could meet its target alone. q_i is
zero, or Clarke's pivot v(N - i) - sum over j != i of worth_j: then agent i is paid its cost and what it saves
the others, v(N - i) - v(N).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.describe.names import read_choice
from fedpact.errors import InfeasibleError, NotOptimalError, RuleError
from fedpact.mechanism.payment.fees import others_of, set_fee
from fedpact.mechanism.payment.terms import PIVOTS, Terms
from fedpact.mechanism.payment.threshold import Thresholds, find_thresholds
from fedpact.planning.plan import plan as make_plan
from fedpact.planning.result import Plan, PlanStatus
from fedpact.statistics.standalone import find_shortfalls, standalone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """A federation as reported, the contributions made from it, and whose target was met in truth."""

    fed: Federation
    m: NDArray[np.int64]
    """(k,)"""
    met: NDArray[np.bool_]
    """(k,)"""
    worth: NDArray[np.float64]
    """(k,)"""
    terms: Terms
    sharing: NDArray[np.bool_] | None = None
    """(k,) who bears a part of the cost where it is split; None: everybody."""

    @property
    def sharers(self) -> NDArray[np.bool_]:
        """(k,) who bears a part of the cost where it is split."""
        return np.ones(self.fed.k, dtype=bool) if self.sharing is None else self.sharing

    @property
    def labelling(self) -> NDArray[np.float64]:
        """(k,) what each contribution costs, as reported."""
        return self.fed.costs_by_agent(self.m)


@dataclass(frozen=True, slots=True)
class Payment:
    """What an agent is paid, and what of it is kept back."""

    gross: float
    fee: float

    @property
    def net(self) -> float:
        """What reaches the agent."""
        return self.gross - self.fee


class Truthful(StrEnum):
    """In which sense truth is known to be a best report."""

    NO = "no"
    """In none."""
    EX_POST = "ex-post"
    """If the others report the truth."""
    EX_POST_IF_WORTH_IT = "ex-post-if-worth-it"
    """If the others report the truth and every target is worth its cost."""
    DOMINANT = "dominant"
    """Whatever the others report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A payment rule: how it pays, what it needs, and in which sense truth is a best report under it."""

    pay: Callable[[Case, int], Payment]
    in_data: Truthful
    """About the data, the costs being known."""
    in_costs: Truthful
    """About the costs, the data being known."""
    needs_optimum: bool = False
    """Whether it pays only for a plan that is proved to be the cheapest."""
    contribute: Callable[[Federation, Terms], NDArray[np.int64]] | None = None
    """Contributions (k,) that it pays for, where it makes its own."""
    private: str = "data"
    """What it is meant to keep honest."""


def _pay_contribution(case: Case, agent: int) -> Payment:
    return Payment(float(case.labelling[agent]), set_fee(case.fed, case.terms, agent))


def _pay_nothing(case: Case, agent: int) -> Payment:
    return Payment(0.0, 0.0)


def _split_equally(case: Case, agent: int) -> Payment:
    spent, sharers = case.labelling, case.sharers
    return Payment(float(spent[agent]), float(spent.sum() / sharers.sum()) if sharers[agent] else 0.0)


def _split_in_proportion(case: Case, agent: int) -> Payment:
    needs = standalone(case.fed)
    for name, short in find_shortfalls(case.fed, needs).items():
        need = "more than 2^40" if short.need is None else str(short.need)
        limit = "" if short.capacity is None else f", and its capacity is {short.capacity}"
        raise InfeasibleError(
            f"rule 'proportional' is undefined: alone {name!r} needs {need} samples{limit}; "
            "use rule 'equal-split' or 'pwyc'",
            agents=(name,),
            code="not-alone",
        )
    alone = np.array([float(a.cost(needs[a.name] or 0)) for a in case.fed.agents])
    spent, parts = case.labelling, alone * case.sharers
    parts = parts if parts.any() else case.sharers
    return Payment(float(spent[agent]), float(spent.sum() * (parts[agent] / parts.sum())))


def _pay_welfare_of_others(case: Case, agent: int, counted: NDArray[np.bool_]) -> Payment:
    """VCG: the welfare of the others, their targets being worth something where ``counted`` (k,)."""
    others = np.arange(case.fed.k) != agent
    gross = float((case.worth * counted - case.labelling)[others].sum())
    if case.terms.pivot == "none":
        return Payment(gross, 0.0)
    return Payment(gross, float(case.worth[others].sum()) - _optimum_without(case.fed, agent))


def _pay_vcg(case: Case, agent: int) -> Payment:
    return _pay_welfare_of_others(case, agent, np.ones(case.fed.k, dtype=bool))


def _pay_vcg_verified(case: Case, agent: int) -> Payment:
    return _pay_welfare_of_others(case, agent, case.met)


def find_optimum_method(fed: Federation) -> str:
    """Planner that proves the optimum, or has the best chance to where only reports are known."""
    return "auto" if isinstance(fed.evidence, Reports) else "exact"


@memoized
def _optimum_without(fed: Federation, agent: int) -> float:
    """v(N - i): what the optimal plan of the others costs."""
    others = others_of(fed, agent)
    if others is None:
        return 0.0
    try:
        found = make_plan(others, find_optimum_method(others))
    except InfeasibleError as error:
        raise InfeasibleError(
            f"the Clarke pivot of {fed.names[agent]!r} is undefined: the others have no plan without it; "
            f"use pivot 'none' or rule 'pwyc' ({error})",
            agents=error.agents,
            pair=error.pair,
            code="no-plan-without",
            without=fed.names[agent],
        ) from None
    check_is_optimum(found, f"the pivot of {fed.names[agent]!r}")
    return found.cost


def check_is_optimum(plan: Any, what: str) -> None:
    """Raise unless ``plan`` is a plan that is known to be the cheapest."""
    if not isinstance(plan, Plan):
        raise NotOptimalError(
            f"{what} needs a plan that is proved to be optimal; contributions alone were given", code="no-proof"
        )
    if plan.at_least is not None:
        raise NotOptimalError(
            f"{what} needs the cheapest plan of all, and this one is the cheapest of those with at least what was "
            f"contributed already; plan without at_least, or use rule 'pwyc'",
            code="contributed-already",
        )
    if plan.status not in (PlanStatus.OPTIMAL, PlanStatus.NOTHING_NEEDED):
        raise NotOptimalError(
            f"{what} needs the exact optimum, and this plan is only bounded: it costs {plan.cost:g}, the optimum "
            f"at least {plan.lower_bound:g}; plan with method 'exact' and more time, or use rule 'pwyc'",
            cost=plan.cost,
            lower_bound=plan.lower_bound,
        )


def _thresholds_of(fed: Federation, terms: Terms) -> Thresholds:
    return _kept_thresholds(fed, None if terms.ceiling is None else tuple(terms.ceiling.tolist()))


@memoized
def _kept_thresholds(fed: Federation, ceiling: tuple[float, ...] | None) -> Thresholds:
    return find_thresholds(fed, None if ceiling is None else np.array(ceiling))


def _contribute_by_threshold(fed: Federation, terms: Terms) -> NDArray[np.int64]:
    return _thresholds_of(fed, terms).m


def _pay_threshold(case: Case, agent: int) -> Payment:
    return Payment(float(_thresholds_of(case.fed, case.terms).payments[agent]), 0.0)


RULES: dict[str, Rule] = {
    "pwyc": Rule(pay=_pay_contribution, in_data=Truthful.EX_POST, in_costs=Truthful.NO),
    "vcg": Rule(pay=_pay_vcg, in_data=Truthful.NO, in_costs=Truthful.DOMINANT, needs_optimum=True),
    "vcg-verified": Rule(
        pay=_pay_vcg_verified, in_data=Truthful.EX_POST, in_costs=Truthful.DOMINANT, needs_optimum=True
    ),
    "threshold": Rule(
        pay=_pay_threshold,
        in_data=Truthful.NO,
        in_costs=Truthful.DOMINANT,
        contribute=_contribute_by_threshold,
        private="costs",
    ),
    "none": Rule(pay=_pay_nothing, in_data=Truthful.NO, in_costs=Truthful.NO),
    "equal-split": Rule(pay=_split_equally, in_data=Truthful.NO, in_costs=Truthful.NO),
    "proportional": Rule(pay=_split_in_proportion, in_data=Truthful.NO, in_costs=Truthful.NO),
}
VARIANTS: tuple[tuple[str, str | None], ...] = tuple(
    (name, pivot) for name, rule in RULES.items() for pivot in (PIVOTS if rule.needs_optimum else (None,))
)
"""Every rule with each of its pivots, in the order in which they are shown."""


def find_sense(rule: Rule, private: str, *, is_self_sufficient: bool) -> Truthful:
    """Return in which sense truth is a best report, where "data" or "costs" are private.

    Paying on realised welfare needs that meeting every target is optimal, as it is where all could do so alone.
    """
    sense = rule.in_data if private == "data" else rule.in_costs
    if rule.needs_optimum and sense is Truthful.EX_POST and not is_self_sufficient:
        return Truthful.EX_POST_IF_WORTH_IT
    return sense


def find_rule(name: str, fed: Federation) -> Rule:
    """Look up a rule, and raise where it says nothing about the federation."""
    rule = RULES[read_choice(name, "rule", RULES)]
    if rule.needs_optimum and fed.guarantee == "joint" and fed.objective == "pac":
        raise RuleError(
            f"rule {name!r} pays for welfare, in which every target counts by itself, and the joint guarantee "
            f"asks for more than that; use guarantee 'per-agent' or rule 'pwyc'",
            code="joint-guarantee",
        )
    return rule
