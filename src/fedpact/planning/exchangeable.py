"""The plan of someone who believes that data are exchangeable: only the number of samples counts.

Whoever believes that a sample is a sample, whoever drew it, reads the largest standalone need
N = max_i n_ind(i) as *the* number of samples that is enough for all, and buys N samples where they are
cheapest: sum_j m_j = N, m_j <= capacity_j, least sum_j c_j(m_j). Where data differ the belief is wrong, and
nothing here says that the plan is enough; :func:`fedpact.verify` says what it really meets.

Costs are convex, so buying the cheapest next sample N times is optimal. N can be large; as Hochbaum (1994,
"Lower and upper bounds for the allocation problem") does, the greedy buys in big steps, takes back each agent's
last step, of which alone it cannot be sure, and goes on with steps half as big.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

import numpy as np

from fedpact.describe.arrays import Ints
from fedpact.describe.federation import Federation
from fedpact.describe.settings import Agent
from fedpact.errors import InfeasibleError


def _find_total(fed: Federation, needs: Mapping[str, int | None]) -> int:
    """N, the largest standalone need, if there is one and the capacities allow that many samples."""
    stuck = tuple(name for name in fed.names if needs[name] is None)
    if stuck:
        raise InfeasibleError(
            f"2^40 samples are not enough for {stuck[0]!r} alone, so no number counts as enough for all",
            agents=stuck,
            code="never-enough",
        )
    total = max(needs[name] or 0 for name in fed.names)
    if sum(_room(agent, total) for agent in fed.agents) < total:
        raise InfeasibleError(
            f"the capacities together are below the {total:,} samples that count as enough", code="capacities"
        )
    return total


def _room(agent: Agent, total: int) -> int:
    return total if agent.capacity is None else min(agent.capacity, total)


def _buy(fed: Federation, m: list[int], total: int, step: int) -> list[int]:
    """Buy up to ``total`` in steps, always from the agent whose next sample is cheapest; each one's last step."""
    last = [0] * fed.k
    cheapest = [(agent.cost.marginal(m[j]), j) for j, agent in enumerate(fed.agents)]
    heapify(cheapest)
    left = total - sum(m)
    while cheapest and left >= step:
        _, j = heappop(cheapest)
        agent = fed.agents[j]
        last[j] = min(step, _room(agent, total) - m[j])
        m[j] += last[j]
        left -= last[j]
        if m[j] < _room(agent, total):
            heappush(cheapest, (agent.cost.marginal(m[j]), j))
    return last


def plan_exchangeable(fed: Federation, needs: Mapping[str, int | None]) -> Ints:
    """Buy as many samples as the neediest agent needs alone, wherever they are cheapest.

    Parameters
    ----------
    fed
        The federation; only costs and capacities are looked at.
    needs
        What each agent needs alone (see :func:`fedpact.game.standalone`).

    Returns
    -------
    m
        (k,) the cheapest vector of max(needs) samples; of equally cheap agents the first gives first. It may
        or may not meet the targets.

    Raises
    ------
    InfeasibleError
        If a need is None, or the capacities are too small for that many samples.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> plan_exchangeable(alice_bob().replace(cost=[2, 1]), {"alice": 14, "bob": 14})
    array([ 0, 14])
    """
    total = _find_total(fed, needs)
    m = [0] * fed.k
    step = 1 << max(total.bit_length() - 1, 0)
    while step > 1:
        last = _buy(fed, m, total, step)
        m = [count - undone for count, undone in zip(m, last, strict=True)]
        step //= 2
    _buy(fed, m, total, step)
    return np.array(m, dtype=np.int64)
