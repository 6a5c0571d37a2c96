"""From a fractional solution to a cheap integer vector that carries a proof.

Rounding up is not enough to keep a promise about cost: the ceiling of a solver's output is often one too
many, and the ceiling of a better fractional plan can cost more than that of a worse one. So several roundings
are tried, each is re-checked on integers, samples that are not needed are dropped, and single samples are
moved to cheaper agents while the proof holds; the cheapest wins. Samples that are contributed already are neither
dropped nor moved.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fedpact.describe.arrays import Floats, Ints, Places
from fedpact.describe.federation import Federation
from fedpact.describe.settings import Agent
from fedpact.planning.certificates import Certificate
from fedpact.statistics.request import least_of

_SNAP = 1e-7
_PLENTY = 2.0**50
_MOVE_AGENTS = 40
_MOST_MOVES = 100
_STEPS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
_MANY_RATES = 2_000_000


def capacities(fed: Federation) -> Floats:
    """(k,) the most that each agent can give; infinite where there is no limit."""
    return np.array([np.inf if agent.capacity is None else float(agent.capacity) for agent in fed.agents])


def most_of(fed: Federation) -> Ints:
    """(k,) everybody at capacity, or at more than anybody can need."""
    return np.minimum(capacities(fed), _PLENTY).astype(np.int64)


def round_up(fed: Federation, m_fractional: Floats, proves: Certificate) -> Ints | None:
    """Round up with the solver's tolerance, then add samples where that was too little; None if caps forbid."""
    most = most_of(fed)
    m = np.minimum(np.ceil(m_fractional - _SNAP), most).astype(np.int64)
    step = 1
    while not proves(m[None])[0]:
        support = (m > 0) | (m_fractional > 0)
        more = np.minimum(m + step * (support if support.any() else np.ones(fed.k, dtype=bool)), most)
        if (more == m).all():
            more = np.minimum(m + step, most)
            if (more == m).all():
                return None
        m, step = more, 2 * step
    return m


def trim(fed: Federation, m: Ints, proves: Certificate, order: Iterable[int] | None = None) -> Ints:
    """Drop samples that are not needed, agent by agent, dearest first unless an ``order`` is given."""
    m, least = m.copy(), least_of(fed)
    for agent in by_unit_cost(fed, m)[::-1] if order is None else order:
        m[agent] = _least(m, int(agent), int(least[agent]), proves)
    return m


def by_unit_cost(fed: Federation, m: Ints) -> Places:
    """Agents that contribute more than they have, cheapest last sample first."""
    giving = np.flatnonzero(m > least_of(fed))
    last = [float(fed.agents[j].cost(m[j]) - fed.agents[j].cost(m[j] - 1)) for j in giving]
    return np.asarray(giving[np.argsort(last, kind="stable")])


def _least(m: Ints, agent: int, least: int, proves: Certificate) -> int:
    """Fewest samples of ``agent``, from ``least`` on, that are proved enough, the others' at ``m``.

    Growing steps, then halves.
    """
    trial = m.copy()

    def is_enough(count: int) -> bool:
        trial[agent] = count
        return bool(proves(trial[None])[0])

    low, high, step = least - 1, int(m[agent]), 1
    while high > least and is_enough(max(least, high - step)):
        high, step = max(least, high - step), 2 * step
    if high > least:
        low = max(least, high - step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def move(fed: Federation, m: Ints, proves: Certificate) -> Ints:
    """Give up some samples of an agent for less money's worth of another's, as long as that helps."""
    caps, least = capacities(fed), least_of(fed)
    agents = np.arange(fed.k) if fed.k <= _MOVE_AGENTS else np.flatnonzero(m)
    if len(agents) > _MOVE_AGENTS:
        return m
    for _ in range(_MOST_MOVES):
        givers = np.flatnonzero(m > least)
        spare = m - least
        moves = (_cheapest_move(fed, m, int(giver), int(spare[giver]), agents, caps, proves) for giver in givers)
        better = next((found for found in moves if found is not None), None)
        if better is None:
            break
        m = better
    return m


def _cheapest_move(
    fed: Federation, m: Ints, giver: int, spare: int, agents: Places, caps: Floats, proves: Certificate
) -> Ints | None:
    """Cheaper proved vector with fewer samples of ``giver`` and as many of one other as that pays for, or None."""
    moved = []
    for fewer in sorted({step for step in (*_STEPS, spare // 16, spare // 4) if 0 < step <= spare}):
        saved = float(fed.agents[giver].cost(m[giver]) - fed.agents[giver].cost(m[giver] - fewer))
        for taker in agents[agents != giver]:
            count = _count_for(fed.agents[taker], int(m[taker]), saved, caps[taker])
            if count > m[taker]:
                moved.append(m.copy())
                moved[-1][[giver, taker]] = m[giver] - fewer, count
    trials = np.array(moved, dtype=np.int64).reshape(-1, len(m))
    proved = trials[proves(trials)] if moved else trials
    if not len(proved):
        return None
    better = trim(fed, proved[fed.costs_of(proved).argmin()], proves)
    return better if fed.cost_of(better) < fed.cost_of(m) - 1e-12 else None


def _count_for(agent: Agent, count: int, money: float, cap: float) -> int:
    """How many samples of an agent that gives ``count`` can be had for less than ``money`` more, about."""
    start, step = float(agent.cost(count)), 1
    while count + step <= min(cap, _PLENTY) and float(agent.cost(count + step)) - start < money - 1e-12:
        count, step = count + step, 2 * step
    return count


def polish(fed: Federation, m: Ints, proves: Certificate) -> Ints:
    """Trim, dearest agents first or cheapest agents first, then move samples; take what is cheapest.

    Where a proof takes long, only the cheaper of the two trimmed vectors is moved. What is contributed already is
    the plan if it is enough.
    """
    least = least_of(fed)
    if least.any() and proves(least[None])[0]:
        return least
    order = by_unit_cost(fed, m)
    trimmed = [trim(fed, m, proves, some) for some in (order[::-1], order)]
    if fed.k * fed.H * fed.H > _MANY_RATES:
        trimmed = [min(trimmed, key=fed.cost_of)]
    return min((move(fed, some, proves) for some in trimmed), key=fed.cost_of)
