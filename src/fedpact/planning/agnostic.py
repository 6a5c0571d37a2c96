"""Plans where nothing is assumed of labels: everybody labels for itself.

What others label proves nothing about an agent's own errors, so agent i needs the fewest m_i whose tails prove
that its regret is epsilon_i at most (:mod:`fedpact.statistics.regret_tails`): for every best candidate b the tails
of those that differ from b by more add up to delta at most (``union``), or each is delta / H at most (``lp``),
where H counts those that differ at its points; or all of its points.
Agents draw independently. So all targets of the k agents who have to label are met at once with probability (1 -
delta_1)^k: for the joint guarantee delta_1 = 1 - (1 - delta)^(1/k).

From below: some candidate may be right after all. Who goes by its own labels then needs what the paper says that
it needs alone, or all of its points.
"""

from __future__ import annotations

import numpy as np

from fedpact.describe.arrays import Bools, Ints
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.errors import InfeasibleError
from fedpact.planning.draft import is_small
from fedpact.planning.infeasible import never_certain, unreachable
from fedpact.planning.result import BoundBy, Proof
from fedpact.planning.task import Draft
from fedpact.statistics.engine import engine_of
from fedpact.statistics.rates import rates_of
from fedpact.statistics.regret_tails import RegretTails, regret_tails
from fedpact.statistics.request import least_of
from fedpact.statistics.standalone import MOST, find_least, give_alone


def plan_agnostic(fed: Federation, method: str) -> Draft:
    """Ask of everybody what its own labels prove to be enough.

    Raises
    ------
    InfeasibleError
        If an agent tolerates no regret and its points are only a sample, or its capacity is too small whatever is
        assumed.
    NoPlanFoundError
        If its capacity is too small for the tails.
    """
    tails = [regret_tails(fed, agent) for agent in range(fed.k)]
    least = least_of(fed)
    m, low = least.copy(), least.copy()
    for agent, need in _find_needs(fed, tails, method).items():
        most = fed.agents[agent].capacity
        low[agent] = max(least[agent], need_if_right(fed, agent))
        if need is None or (most is not None and need > most):
            raise _explain(fed, method, agent, int(low[agent]), need)
        m[agent] = max(need, least[agent])
    return Draft(m=m, proved_by=Proof.TAILS, lower=(fed.cost_of(low), BoundBy.ALONE))


def _find_needs(fed: Federation, tails: list[RegretTails], method: str) -> dict[int, int | None]:
    """Agent -> labels that it needs; who labels all of its points cannot fail, and leaves delta to the others."""
    left, needs = {agent for agent, own in enumerate(tails) if own.is_needed}, dict[int, int | None]()
    while left:
        share = 1.0 if fed.guarantee != "joint" else 1 / len(left)
        delta = fed.delta if share == 1 else float(-np.expm1(np.log1p(-fed.delta) * share))
        found = {agent: tails[agent].need(delta, per_pair=method == "lp") for agent in left}
        sure = {agent for agent, need in found.items() if need is not None and need == tails[agent].points}
        needs |= found
        if not sure or fed.guarantee != "joint":
            break
        left -= sure
    return needs


def _explain(fed: Federation, method: str, agent: int, low: int, need: int | None) -> InfeasibleError:
    """Say whose capacity, or tolerance, leaves no plan, and for which pair."""
    tails, most = regret_tails(fed, agent), fed.agents[agent].capacity
    best = tails.fail(MOST if most is None else most)[1]
    others = rates_of(fed).above.between(np.full(fed.H, best), np.arange(fed.H))[agent]
    pair = best, int(others.argmax())
    if need is None:
        return never_certain(fed, pair, np.where(np.arange(fed.k) == agent, others.max(), 0.0))
    return unreachable(fed, agent, pair, None if most is not None and low > most else method)


def need_if_right(fed: Federation, agent: int) -> int:
    """Fewest labels with which an agent alone is not surely failed if some candidate is right; all at most."""
    right = fed.replace(assume="realizable", guarantee="per-agent")
    own = regret_tails(fed, agent)
    most = MOST if own.points is None else own.points
    with np.errstate(divide="ignore"):
        pair = max(0, int(np.ceil(np.log(fed.delta) / np.log(own.left) - 1e-9)))
    if not is_small(right):
        return min(most, pair)
    engine = engine_of(right)

    def may_be_enough(counts: Ints) -> Bools:
        return ~exceeds(engine.decide(give_alone(fed.k, agent, counts), [agent])[0][:, 0], fed.delta)

    least = find_least(may_be_enough, max(1, pair))
    return most if least is None else min(most, least)
