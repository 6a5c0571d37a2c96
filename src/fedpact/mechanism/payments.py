"""Payment rules: what one agent is paid for its contribution, before and after fees.

================== ================================================= ========================================
rule               what agent i is paid                              truthful
================== ================================================= ========================================
``pwyc``           c_i(m_i) - fee_i                                  ex post
``vcg``            sum over j != i of worth_j - c_j(m_j), + q_i       in no sense (ERRATA A3)
``vcg-verified``   the same, worth_j only where j's target is met     ex post
``threshold``      what its samples could have cost at most           in costs, whatever the others report
``none``           nothing                                           in no sense
``equal-split``    c_i(m_i) - cost / k                               in no sense
``proportional``   c_i(m_i) - cost * c_i(n_ind(i)) / sum of these     in no sense
================== ================================================= ========================================

*Pay what you contribute.* The paper calls it strategyproof. The plan is made from reports and the samples are
drawn from the true data, so an agent whose fellows lie may have to lie as well (ERRATA A2): truth is a best
report if the others' are true (ex post), not whatever they are (dominant). For that any planner will do that
meets the reported targets: a truthful agent among truthful ones has utility worth_i - fee_i, the most that the
rule ever gives.

*VCG.* The paper's payment counts the others as satisfied because their reports say so; a report that shifts
work to an agent whose samples then show nothing is profitable (ERRATA A3). ``vcg-verified`` pays on what is
realised, which makes agent i's utility the true welfare and truth a best report, if the plan is the optimum and
every target is worth what it costs. q_i is zero, or Clarke's pivot v(N - i) - sum over j != i of worth_j: then
agent i is paid its cost and what it saves the others, v(N - i) - v(N).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.errors import FederationError, InfeasibleError, NotOptimalError
from fedpact.mechanism.fees import others_of, set_fee
from fedpact.mechanism.terms import Terms
from fedpact.mechanism.threshold import Thresholds, find_thresholds
from fedpact.planning.plan import plan as make_plan
from fedpact.planning.result import Plan, PlanStatus
from fedpact.statistics.standalone import standalone, why_not_alone


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

    @property
    def labelling(self) -> NDArray[np.float64]:
        """(k,) what each contribution costs, as reported."""
        return np.array([float(a.cost(count)) for a, count in zip(self.fed.agents, self.m, strict=True)])


@dataclass(frozen=True, slots=True)
class Payment:
    """What an agent is paid, and what of it is kept back."""

    gross: float
    fee: float

    @property
    def net(self) -> float:
        """What reaches the agent."""
        return self.gross - self.fee


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A payment rule: how it pays, and in which sense truth is a best report under it."""

    pay: Callable[[Case, int], Payment]
    truthful: str


def _pay_contribution(case: Case, agent: int) -> Payment:
    return Payment(float(case.labelling[agent]), set_fee(case.fed, case.terms, agent))


def _pay_nothing(case: Case, agent: int) -> Payment:
    return Payment(0.0, 0.0)


def _split_equally(case: Case, agent: int) -> Payment:
    spent = case.labelling
    return Payment(float(spent[agent]), float(spent.sum()) / case.fed.k)


def _split_in_proportion(case: Case, agent: int) -> Payment:
    needs = standalone(case.fed)
    for name, reason in why_not_alone(case.fed, needs).items():
        raise InfeasibleError(
            f"rule 'proportional' is undefined: {reason}; use rule 'equal-split' or 'pwyc'", agents=(name,)
        )
    alone = np.array([float(a.cost(needs[a.name] or 0)) for a in case.fed.agents])
    spent = case.labelling
    part = float(alone[agent] / alone.sum()) if alone.any() else 1 / case.fed.k
    return Payment(float(spent[agent]), float(spent.sum()) * part)


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


def _optimum_without(fed: Federation, agent: int) -> float:
    """v(N - i): what the optimal plan of the others costs."""
    others = others_of(fed, agent)
    if others is None:
        return 0.0
    key = (_optimum_without, agent)
    if key not in fed.memo:
        try:
            found = make_plan(others, "exact")
        except InfeasibleError as error:
            raise InfeasibleError(
                f"the Clarke pivot of {fed.names[agent]!r} is undefined: the others have no plan without it; "
                f"use pivot 'none' or rule 'pwyc' ({error})",
                agents=error.agents,
                pair=error.pair,
            ) from None
        check_is_optimum(found, f"the pivot of {fed.names[agent]!r}")
        fed.memo[key] = found.cost
    return float(fed.memo[key])


def check_is_optimum(plan: Any, what: str) -> None:
    """Raise unless ``plan`` is a plan that is known to be the cheapest."""
    if not isinstance(plan, Plan):
        raise NotOptimalError(f"{what} needs a plan that is proved to be optimal; contributions alone were given")
    if plan.status not in (PlanStatus.OPTIMAL, PlanStatus.NOTHING_NEEDED):
        raise NotOptimalError(
            f"{what} needs the exact optimum, and this plan is only bounded: it costs {plan.cost:g}, the optimum "
            f"at least {plan.lower_bound:g}; plan with method 'exact' and more time, or use rule 'pwyc'"
        )


def _thresholds_of(fed: Federation, terms: Terms) -> Thresholds:
    key = (_thresholds_of, None if terms.ceiling is None else terms.ceiling.tobytes())
    if key not in fed.memo:
        fed.memo[key] = find_thresholds(fed, terms.ceiling)
    found = fed.memo[key]
    assert isinstance(found, Thresholds)
    return found


def contributions_by_threshold(fed: Federation, terms: Terms) -> NDArray[np.int64]:
    """(k,) the contributions that threshold payments are made for."""
    return _thresholds_of(fed, terms).m


def _pay_threshold(case: Case, agent: int) -> Payment:
    return Payment(float(_thresholds_of(case.fed, case.terms).payments[agent]), 0.0)


VCG = ("vcg", "vcg-verified")
RULES: dict[str, Rule] = {
    "pwyc": Rule(pay=_pay_contribution, truthful="ex post"),
    "vcg": Rule(pay=_pay_vcg, truthful="no"),
    "vcg-verified": Rule(pay=_pay_vcg_verified, truthful="ex post"),
    "threshold": Rule(pay=_pay_threshold, truthful="in costs, dominant"),
    "none": Rule(pay=_pay_nothing, truthful="no"),
    "equal-split": Rule(pay=_split_equally, truthful="no"),
    "proportional": Rule(pay=_split_in_proportion, truthful="no"),
}


def find_rule(name: str) -> Rule:
    """Look up a rule."""
    if name not in RULES:
        raise FederationError(f"rule must be one of {', '.join(RULES)}; it is {name!r}")
    return RULES[name]


def check_rule_fits(fed: Federation, rule: str) -> None:
    """Raise where a rule says nothing about a federation."""
    if rule in VCG and fed.guarantee == "joint" and fed.objective == "pac":
        raise FederationError(
            f"rule {rule!r} pays for welfare, in which every target counts by itself, and the joint guarantee "
            f"asks for more than that; use guarantee 'per-agent' or rule 'pwyc'"
        )
