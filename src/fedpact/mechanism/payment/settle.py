"""``settle``: pay for a plan by a rule, and say what that leaves everybody with.

Agent i's utility is u_i = worth_i [its target is met in truth] - c_i(m_i) + p_i, and alone it would have worth_i -
c_i(n_ind(i)). The operator's deficit is the sum of all p_i: what it spends, less what it recovers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number
from fedpact.describe.settings import Contributions, PerAgent
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError, RuleError
from fedpact.game.best_response import read_worth
from fedpact.game.game import game_of
from fedpact.mechanism.payment.rule import Case, PlanningRule, Terms
from fedpact.mechanism.payment.rules import find_rule, read_terms
from fedpact.mechanism.payment.settlement import Settlement
from fedpact.mechanism.payment.vcg import check_is_optimum
from fedpact.planning.result import Plan
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.engine import engine_of
from fedpact.statistics.request import ask
from fedpact.statistics.standalone import find_shortfalls, standalone
from fedpact.statistics.verification import read_contributions


def _read_plan(fed: Federation, plan: Any) -> NDArray[np.int64]:
    if not isinstance(plan, Plan):
        return read_contributions(fed, plan)
    if plan.federation != fed.fingerprint:
        raise FederationError(
            f"plan was made for another federation than {fed.name!r}: other agents, targets, costs or data; plan "
            f"anew, or give plan.contributions to pay for them as they are"
        )
    # By name: one that was read back may list the agents in another order. Each must be there.
    return read_contributions(fed, dict.fromkeys(fed.names) | plan.contributions, "the plan's contributions")


def _check_own_contributions(fed: Federation, plan: Any, rule: str, m: NDArray[np.int64]) -> None:
    """Raise where contributions were given that a rule with its own does not pay for; a plan is left aside."""
    if plan is not None and not isinstance(plan, Plan) and (read_contributions(fed, plan) != m).any():
        raise FederationError(
            f"rule {rule!r} pays for contributions of its own, {m.tolist()}, those of the paper's program rounded "
            f"up; other contributions were given: leave them out"
        )


def judge_targets(truth: Federation, m: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(B, k) whose target is surely met at every row of ``m`` (B, k), and whose may be."""
    engine = engine_of(truth)
    low, high = engine.decide(m, range(truth.k))
    limits = [engine.threshold(agent) for agent in range(truth.k)]
    return ~exceeds(high, limits), ~exceeds(low, limits)


def utilities_alone(truth: Federation, worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k,) what each agent has that labels by itself what it needs; zero where that is not possible."""
    needs = standalone(truth)
    cannot = find_shortfalls(truth, needs)
    return np.array(
        [
            0.0 if agent.name in cannot else value - float(agent.cost(needs[agent.name] or 0))
            for agent, value in zip(truth.agents, worth.tolist(), strict=True)
        ]
    )


def check_fees(found: Settlement, terms: Terms) -> None:
    """Raise if a fee drives somebody away who would stay without it: it is more than taking part saves."""
    for name in found.leaving if terms.has_fees else ():
        fee = found.fees[name]
        saved = found.utility[name] + fee - found.utility_alone[name]
        if fee <= 0 or saved < -1e-9 * found.worth[name]:
            continue
        most = max(saved, 0.0)
        if terms.cost_recovery:
            asked = f"cost_recovery {terms.cost_recovery:g} asks agent {name!r} for a fee of {fee:g}"
            share = terms.cost_recovery * most / fee
            lower = f"cost_recovery at most {share:.3g}" if share else "leave cost_recovery out"
            advice = f"{lower}, or declare min_standalone"
        else:
            asked = f"fee must leave nobody worse off than alone; agent {name!r} is asked for {fee:g}"
            advice = "lower its fee"
        raise RuleError(
            f"{asked}, more than the {most:g} that it saves by taking part: it would rather leave; {advice}",
            code="fee-too-high",
            agents=(name,),
            fee=fee,
            most=most,
        )


def _as_planned(fed: Federation, plan: Any) -> Federation:
    """Return the federation as a plan saw it: its rates at a confidence, or its samples labelled by a teacher."""
    if not isinstance(plan, Plan):
        return fed
    seen = ask(fed, teacher=plan.teacher)
    return seen if plan.confidence is None else at_confidence(seen, plan.confidence)


def bill(
    fed: Federation,
    plan: Any,
    terms: Terms,
    *,
    worth: Any = None,
    truth: Federation | None = None,
    sharing: NDArray[np.bool_] | None = None,
) -> Settlement:
    """Pay for a plan as :func:`settle` does, whoever would rather have left.

    Rules that split the cost split it among those who are ``sharing`` (k,), if that is given.
    """
    rule, chosen, has_own_truth = terms.rule, find_rule(terms.rule, fed), truth is None
    reported = _as_planned(fed, plan)
    truth = reported if truth is None else truth
    if not isinstance(truth, Federation) or truth.names != fed.names:
        has = f"{', '.join(truth.names)}" if isinstance(truth, Federation) else f"{truth!r}"
        raise FederationError(f"truth must be about the same agents, {', '.join(fed.names)}; it is about {has}")
    if isinstance(chosen, PlanningRule):
        m = chosen.contribute(reported, terms)
        _check_own_contributions(fed, plan, rule, m)
    else:
        m = _read_plan(fed, plan)
    if chosen.needs_optimum:
        check_is_optimum(reported, plan, f"rule {rule!r}")
    worths = read_worth(game_of(truth), worth)
    surely_met, maybe_met = judge_targets(truth, m[None])
    # A plan of fedpact's proves its targets, unless the engine refutes one.
    has_proof = (
        has_own_truth
        and isinstance(plan, Plan)
        and plan.contributions == dict(zip(fed.names, m.tolist(), strict=True))
    )
    met = (maybe_met if has_proof else surely_met)[0]
    case = Case(fed=reported, m=m, met=met, worth=worths, terms=terms, sharing=sharing)
    paid = [chosen.pay(case, agent) for agent in range(fed.k)]
    spent = truth.costs_by_agent(m)
    utility = worths * met - spent + [payment.net for payment in paid]

    def by_name(values: Iterable[Any]) -> dict[str, Any]:
        return dict(zip(fed.names, values, strict=True))

    return Settlement(
        payments=by_name(payment.net for payment in paid),
        fees=by_name(payment.fee for payment in paid),
        contributions=by_name(m.tolist()),
        labelling=by_name(spent.tolist()),
        met=by_name(met.tolist()),
        utility=by_name(utility.tolist()),
        utility_alone=by_name(utilities_alone(truth, worths).tolist()),
        worth=by_name(worths.tolist()),
        spend=sum(payment.gross for payment in paid),
        recovered=sum(payment.fee for payment in paid),
        cost_recovery=terms.cost_recovery or None,
        rule=rule,
        pivot=terms.pivot if "pivot" in chosen.terms else None,
        objective=fed.objective,
        guarantee=fed.guarantee,
        name=fed.name,
        assume=fed.assume,
        noise=fed.noise,
    )


@takes_federation
def settle(
    fed: Federation,
    plan: Plan | Contributions | None,
    rule: str = "pwyc",
    *,
    fee: PerAgent[Number] | None = None,
    cost_recovery: Number | None = None,
    min_standalone: PerAgent[Number] | None = None,
    pivot: str = "none",
    ceiling: PerAgent[Number] | None = None,
    worth: PerAgent[Number] | None = None,
    truth: Federation | None = None,
    teacher: str | None = None,
) -> Settlement:
    """Pay for a plan by a rule, and say what that leaves everybody with.

    Parameters
    ----------
    fed
        The federation as reported, its file, or the name of an example.
    plan
        A plan of it, or the contributions as for :func:`fedpact.verify`. The VCG rules need a plan that is known
        to be optimal; "threshold" pays for contributions of its own, those of the paper's program rounded up, and
        takes None. Where the plan was made at a confidence, fees and prices follow from the limits of the rates
        too; for contributions, or None, :func:`fedpact.planning.at_confidence` gives the federation itself one.
    rule
        Name of a payment rule, such as "pwyc", "vcg" or "threshold"; all stand in
        :mod:`fedpact.mechanism.payment.rules`.
    fee
        For "pwyc", what each agent pays for taking part: one number, a sequence or a mapping.
    cost_recovery
        For "pwyc" instead of a fee: all agents together pay about this share of what the others of each need
        without it. Where everybody is easy to replace that is about this share of the spend, else it may be more
        or less; ``recovered`` says how much.
    min_standalone
        With ``cost_recovery``, how many samples each agent is publicly known to need alone at the least.
    pivot
        For the VCG rules, "none" or "clarke".
    ceiling
        For "threshold", the most that a sample may cost.
    worth
        What meeting its target is worth to each agent, as for :func:`fedpact.game.best_response`.
    truth
        The federation as it is, where that is known to differ from what was reported.
    teacher
        The hypothesis that labels the samples, if that is known; a plan says so itself.

    Raises
    ------
    FederationError
        If a fee drives an agent away, if a rule needs the optimum and the plan is only bounded
        (:class:`~fedpact.errors.NotOptimalError`), or if a term does not belong to the rule.
    InfeasibleError
        If a rule needs the plan of a group, or of an agent alone, that has none.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> fed = alice_bob()
    >>> bill = settle(fed, plan(fed), rule="pwyc", fee=1)
    >>> bill.payments, bill.deficit
    ({'alice': 2.0, 'bob': 1.0}, 3.0)
    >>> settle(fed, plan(fed), rule="vcg", pivot="clarke").payments
    {'alice': 12.0, 'bob': 11.0}
    """
    find_rule(rule, fed)
    fed = ask(fed, teacher=teacher)
    terms = read_terms(
        fed,
        rule,
        fee=fee,
        cost_recovery=cost_recovery,
        min_standalone=min_standalone,
        pivot=pivot,
        ceiling=ceiling,
    )
    found = bill(fed, plan, terms, worth=worth, truth=truth)
    check_fees(found, terms)
    return found
