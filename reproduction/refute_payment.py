"""Theorem 4 of the paper by machine: at neighbouring plans any payment but one's own cost admits a profitable lie.

If payments depend on the plan alone, f_i(m) + q_i(reports of the others), and keep agents truthful, then f_i(m) =
c_i(m_i) + C_i on every connected set of plans at which the planner is locally oblivious; Corollary 1 is the case
of the paper's own program. The proof is constructive. At neighbours m and m' both plans are enough for both D and
(D_i', D_-i), so agent i's utility differs by f_i - c_i alone. If f_i(m) - c_i(m_i) is the larger, then i with the
true distribution D_i' gains by reporting D_i; if it is the smaller, then i with the true distribution D_i gains by
reporting D_i'. The others report the truth either way, so what is refuted is truthfulness ex post, the weakest
kind (ERRATA A2); q_i cancels.

Here the lie is found and then played: planned with what is reported, verified with what is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

import fedpact as fp
from reproduction.own_points import give_distributions

_TOL = 1e-11
"""Gains below this part of what is paid are rounding."""

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Payment = Callable[[Counts], ArrayLike]


@dataclass(frozen=True, kw_only=True)
class Lie:
    """Data of the agents with which one of them gains by a lie, the others' reports being true."""

    agent: str
    truth: Floats
    """(2, n) the true distributions."""
    report: Floats
    """(n,) what the agent reports."""
    contributions_truthful: dict[str, int]
    contributions_lying: dict[str, int]
    gain: float


def _leave(fed: fp.Federation, payment: Payment, m: Counts) -> Floats:
    """(k,) what a plan leaves every agent of its payment."""
    return np.asarray(payment(m)) - [float(one.cost(int(n))) for one, n in zip(fed.agents, m, strict=True)]


def _list_lies(
    fed: fp.Federation, payment: Payment, shown: fp.mechanism.Obliviousness
) -> Iterator[tuple[float, bool, int, Floats, Floats]]:
    """For every neighbour and agent: the gain, whether the truth leads to m, who lies, the truth, the lie."""
    start = np.array([list(masses.values()) for masses in shown.distributions.values()])
    for neighbour in shown.neighbours:
        more = _leave(fed, payment, neighbour.m) - _leave(fed, payment, shown.m)
        for agent, steering in enumerate(neighbour.reports):
            moved = start.copy()
            moved[agent] = list((steering.report or {}).values())
            truth, lie = (start, moved) if more[agent] > 0 else (moved, start)
            yield abs(float(more[agent])), truth is start, agent, truth, lie[agent]


def _play(
    fed: fp.Federation, payment: Payment, agent: int, truth: Floats, report: Floats
) -> tuple[dict[str, int], float]:
    """Plan with a report, and verify with the truth: the contributions, and what the agent has."""
    reported = truth.copy()
    reported[agent] = report
    found = fp.plan(give_distributions(fed, reported), "lp")
    is_met = fp.verify(give_distributions(fed, truth), found.m).met[fed.names[agent]]
    return found.contributions, is_met + float(_leave(fed, payment, found.m)[agent])


def refute_payment(fed: fp.Federation, payment: Payment, m: Sequence[int]) -> Lie | None:
    """Find the most profitable lie between the plan ``m`` of two agents and its neighbours that a payment leaves.

    None if the payment is, around m, what an agent contributes and a constant.

    Examples
    --------
    A flat payment: at (130, 130) an agent reports its way to one sample less and keeps what it costs.

    >>> fed = fp.examples.singletons(epsilon=0.01)
    >>> lie = refute_payment(fed, lambda m: [200, 200], [130, 130])
    >>> lie.agent, lie.contributions_truthful, lie.contributions_lying, round(lie.gain, 9)
    ('agent-1', {'agent-1': 130, 'agent-2': 130}, {'agent-1': 129, 'agent-2': 130}, 1.0)
    >>> refute_payment(fed, lambda m: m + 7, [130, 130]) is None
    True
    """
    shown = fp.mechanism.obliviousness(fed, m=m)
    if not shown.is_oblivious:
        raise fp.FederationError(f"m must be a plan at which the program is locally oblivious: {shown.status}")
    scale = max(np.abs(payment(shown.m)).max(), fed.cost_of(shown.m))
    lies = _list_lies(fed, payment, shown)
    gain, _, agent, truth, report = max(lies, key=lambda lie: (round(lie[0] / scale, 9), lie[1]))
    if gain <= _TOL * scale:
        return None
    before, honest = _play(fed, payment, agent, truth, truth[agent])
    after, lying = _play(fed, payment, agent, truth, report)
    return Lie(
        agent=fed.names[agent],
        truth=truth,
        report=report,
        contributions_truthful=before,
        contributions_lying=after,
        gain=lying - honest,
    )
