"""VCG (Equation 6): agent i is paid the welfare of the others, sum over j != i of worth_j - c_j(m_j), plus q_i.

The paper's payment counts the others as satisfied because their reports say so; a report that shifts work to an
agent whose samples then show nothing is profitable (ERRATA A3). The verified rule pays on what is realised,
worth_j only where j's target is met. That makes agent i's utility the true welfare and truth a best report, if
the plan is the optimum and every target is worth what it costs, as it is where every agent could meet its
target alone. q_i is zero, or Clarke's pivot v(N - i) - sum over j != i of worth_j: then agent i is paid its
cost and what it saves the others, v(N - i) - v(N).
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.errors import InfeasibleError, NotOptimalError
from fedpact.mechanism.payment.pwyc import others_of
from fedpact.mechanism.payment.rule import Case, Payment, Rule, Truthful
from fedpact.planning.methods import PLANNERS
from fedpact.planning.plan import plan as make_plan
from fedpact.planning.result import Plan, PlanStatus


def find_optimum_method(fed: Federation) -> str:
    """Planner that proves the optimum, or has the best chance to where none surely does."""
    is_provable = not isinstance(fed.evidence, Reports) and fed.assume in PLANNERS["exact"].holds_for
    return "exact" if is_provable else "auto"


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
    check_is_optimum(others, found, f"the pivot of {fed.names[agent]!r}")
    return found.cost


def check_is_optimum(fed: Federation, plan: Any, what: str) -> None:
    """Raise unless ``plan`` is a plan that is known to be the cheapest; ``fed`` is as the plan saw it."""
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
    if plan.status not in (PlanStatus.OPTIMAL, PlanStatus.NOTHING_NEEDED, PlanStatus.ONE_CANDIDATE):
        is_provable = find_optimum_method(fed) == "exact"
        raise NotOptimalError(
            f"{what} needs the exact optimum, and this plan is only bounded: it costs {plan.cost:g}, the optimum "
            f"at least {plan.lower_bound:g}; {_advise(fed, plan, is_provable=is_provable)} use rule 'pwyc'",
            code="not-optimal" if is_provable else "optimum-unknown",
            cost=plan.cost,
            lower_bound=plan.lower_bound,
        )


def _advise(fed: Federation, plan: Plan, *, is_provable: bool) -> str:
    """Say what may prove the optimum where a plan is only bounded."""
    if is_provable:
        return "plan with method 'exact' and more time, or"
    if plan.method != "auto":
        return "plan with method 'auto', which proves it if any does, or"
    if fed.assume == "realizable":
        return "rates of pairs, as in reports or at a confidence, prove no more;"
    return f"with assume {fed.assume!r} no method proves more;"


@final
class Vcg(Rule):
    """Each agent is paid the welfare of the others: every target counts as met, or what is met in truth."""

    in_costs = Truthful.DOMINANT
    terms = ("pivot",)
    needs_optimum = True

    def __init__(self, *, is_verified: bool) -> None:
        self.is_verified = is_verified
        self.in_data = Truthful.EX_POST if is_verified else Truthful.NO

    def pay(self, case: Case, agent: int) -> Payment:
        """Pay the others' welfare, and take the pivot."""
        others = np.arange(case.fed.k) != agent
        met = case.met if self.is_verified else np.ones(case.fed.k, dtype=bool)
        gross = float((case.worth * met - case.labelling)[others].sum())
        if case.terms.pivot == "none":
            return Payment(gross, 0.0)
        return Payment(gross, float(case.worth[others].sum()) - _optimum_without(case.fed, agent))
