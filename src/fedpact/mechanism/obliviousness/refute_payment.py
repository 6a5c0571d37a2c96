"""``refute_payment``: at neighbouring plans any payment but pay-what-you-contribute admits a profitable lie.

Theorem 4 of the paper: if payments depend on the plan alone, f_i(m) + q_i(reports of the others), and keep
agents truthful, then f_i(m) = c_i(m_i) + C_i on every connected set of plans at which the planner is locally
oblivious; Corollary 1 is the case of the paper's own program. The proof is constructive. At neighbours m and m'
both plans are enough for both D and (D_i', D_-i), so agent i's utility differs by f_i - c_i alone. If f_i(m) -
c_i(m_i) is the larger, then i with the true distribution D_i' gains by reporting D_i; if it is the smaller,
then i with the true distribution D_i gains by reporting D_i'. The others report the truth either way, so what
is refuted is truthfulness ex post, the weakest kind (ERRATA A2); q_i cancels.

Here the lie is found and then played: planned with what is reported, verified with what is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import check_at_least, read_number, shorten
from fedpact.describe.settings import Contributions
from fedpact.errors import FederationError
from fedpact.mechanism.audit.trial import Trial, make_witness
from fedpact.mechanism.claims import claims_of, table_of, with_distributions
from fedpact.mechanism.obliviousness.obliviousness import obliviousness
from fedpact.mechanism.obliviousness.result import Obliviousness
from fedpact.mechanism.payment.own_rule import OwnRule, PaymentFunction, pay_all
from fedpact.mechanism.payment.rules import OWN, read_terms
from fedpact.mechanism.witness import Witness
from fedpact.result import Result

_TOL = 1e-11
"""Gains below this part of what is paid are rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refutation(Result):
    """Data of the agents with which one of them gains by a lie, the others' reports being true."""

    truth: dict[str, dict[str, float]]
    """Masses by agent and point."""
    witness: Witness
    payment_truthful: float
    """What the liar is paid when it reports the truth."""
    payment_lying: float
    worth: float
    """What it is worth to an agent that its target is met."""
    method: str


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """A true profile (k, n), an agent's report (n,), and what the theorem says it gains."""

    agent: int
    truth: NDArray[np.float64]
    report: NDArray[np.float64]
    gain: float
    is_from_start: bool
    """Whether the plan under the truth is m."""


def _list_cases(fed: Federation, payment: PaymentFunction, shown: Obliviousness) -> Iterator[_Case]:
    """For every agent and neighbour the lie that pays, if the neighbour leaves the agent more or less."""
    start = np.array([list(masses.values()) for masses in shown.distributions.values()])

    def left_over(m: NDArray[np.int64]) -> NDArray[np.float64]:
        return pay_all(payment, m) - fed.costs_by_agent(m)

    before = left_over(shown.m)
    for neighbour in shown.neighbours:
        more = left_over(neighbour.m) - before
        for agent, steering in enumerate(neighbour.reports):
            assert steering.report is not None, "where it holds every agent has a report for every neighbour"
            moved = start.copy()
            moved[agent] = list(steering.report.values())
            is_gain = bool(more[agent] > 0)
            truth, report = (start, moved) if is_gain else (moved, start)
            yield _Case(agent, truth, report[agent], abs(float(more[agent])), is_gain)


def _describe(fed: Federation, payment: PaymentFunction, method: str, worth: float, case: _Case) -> Refutation:
    """Play the lie, and the truth."""
    points, name = table_of(fed, "a lie").points, fed.names[case.agent]
    *truth, lie = (dict(zip(points, row.tolist(), strict=True)) for row in (*case.truth, case.report))
    claims = claims_of(with_distributions(fed, case.truth), "data")
    trial = Trial(claims, OwnRule(payment), read_terms(fed, OWN), method, np.full(fed.k, worth))
    before, after = (trial.play({case.agent: row}, [case.agent]) for row in (case.truth[case.agent], case.report))
    assert before is not None, "no optimum is needed"
    assert after is not None, "no optimum is needed"
    return Refutation(
        truth=dict(zip(fed.names, truth, strict=True)),
        witness=make_witness(fed.names, before, after, deviation="neighbour", reports={name: lie}, given={}),
        payment_truthful=before.paid[case.agent],
        payment_lying=after.paid[case.agent],
        worth=worth,
        method=method,
    )


@takes_federation
def example_payments(fed: Federation) -> dict[str, PaymentFunction]:
    """Return payments that depend on the plan alone; only the last one keeps agents truthful."""
    own = fed.costs_by_agent
    return {
        "nothing": lambda m: 0.0 * m,
        "an equal share of the cost": lambda m: np.full(fed.k, fed.cost_of(m) / fed.k),
        "1% more than the own cost": lambda m: 1.01 * own(m),
        "VCG as printed": lambda m: fed.k - 1 - fed.cost_of(m) + own(m),
        "the own cost": own,
    }


@takes_federation
def refute_payment(
    fed: Federation, payment: PaymentFunction, m: Contributions, *, method: str = "lp", worth: float = 1.0
) -> Refutation | None:
    """Find the most profitable lie between the plan ``m`` and its neighbours that a payment rule leaves.

    Parameters
    ----------
    fed
        Two agents and the class of the singletons and the all-negative hypothesis, as for
        :func:`fedpact.mechanism.obliviousness`; its distributions are not used.
    payment
        Takes the contributions (2,) and returns the payments (2,).
    m
        (2,) a plan at which the planner is locally oblivious.
    method
        The planner.
    worth
        What it is worth to an agent that its target is met.

    Returns
    -------
    Refutation or None
        None if the rule pays, around m, what an agent contributes and a constant.

    Raises
    ------
    FederationError
        If the planner is not shown to be locally oblivious at ``m``.

    Examples
    --------
    A flat payment: at (130, 130) an agent reports its way to one sample less and keeps what it costs.

    >>> from fedpact.describe.examples import singletons
    >>> fed = singletons(epsilon=0.01)
    >>> lie = refute_payment(fed, lambda m: [200, 200], [130, 130]).witness
    >>> lie.agents, lie.contributions_truthful, lie.contributions_lying, round(lie.gain, 9)
    (('agent-1',), {'agent-1': 130, 'agent-2': 130}, {'agent-1': 129, 'agent-2': 130}, 1.0)
    >>> refute_payment(fed, lambda m: m + 7, [130, 130]) is None
    True
    """
    worth = check_at_least(read_number(worth, "worth"), "worth", 0)
    shown = obliviousness(fed, m=m, method=method)
    if not shown.is_oblivious:
        raise FederationError(
            f"m must be a plan at which method {method!r} is shown to be locally oblivious; {shorten(m)} is not: "
            f"{shown.status}"
        )
    cases = list(_list_cases(fed, payment, shown))
    scale = max(np.abs(pay_all(payment, shown.m)).max(), fed.cost_of(shown.m))
    best = max(cases, key=lambda case: (round(case.gain / scale, 9), case.is_from_start))
    return _describe(fed, payment, method, worth, best) if best.gain > _TOL * scale else None
