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
from fedpact.planning.plan import plan as make_plan
from fedpact.planning.result import Plan, PlanStatus


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
    if plan.status not in (PlanStatus.OPTIMAL, PlanStatus.NOTHING_NEEDED, PlanStatus.ONE_CANDIDATE):
        raise NotOptimalError(
            f"{what} needs the exact optimum, and this plan is only bounded: it costs {plan.cost:g}, the optimum "
            f"at least {plan.lower_bound:g}; plan with method 'exact' and more time, or use rule 'pwyc'",
            cost=plan.cost,
            lower_bound=plan.lower_bound,
        )


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
