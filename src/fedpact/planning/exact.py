"""The true optimum over integers, by branch and bound on boxes.

The vectors that meet the targets are an up-set: adding samples never hurts. So a box low <= m <= high

- holds no plan if not even ``high`` is possible;
- holds a plan of cost c(low) if ``low`` is proved;
- costs at least c(low), and at least its covering program (:mod:`fedpact.planning.pairs`, the lower bound).

Before it is split a box is tightened: low_j rises to the least value with which the rest of ``high`` is still
possible, high_j falls to the most that the incumbent's cost leaves room for. The optimum may lie outside the
box of standalone needs (an agent that needs nothing itself may have to contribute). The cheapest open box
bounds the optimum from below, so a search that stops early says how far it came.

*possible* and *proved* are the same for the exact engine; with pairwise rates alone they are what the lower
and the upper bounds on the failure say, and the gap between them stays open.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.planning.certificates import Certificate
from fedpact.planning.rounding import costs_of

_PARTS = 8
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Search:
    """What a search found."""

    m: NDArray[np.int64]
    """(k,) the cheapest proved vector."""
    lower_bound: float
    is_complete: bool
    nodes: int


def search(
    fed: Federation,
    incumbent: NDArray[np.int64],
    *,
    proves: Certificate,
    is_possible: Certificate,
    bound: Callable[[NDArray[np.int64], NDArray[np.int64]], float],
    max_nodes: int,
    time_limit: float,
    progress: Callable[[int, float, float], None] | None = None,
) -> Search:
    """Search for the cheapest proved vector.

    Parameters
    ----------
    incumbent
        (k,) a proved vector to start from.
    bound
        Lower bound on the cost of any plan in the box (low, high).
    progress
        Called with the number of boxes, the lower bound and the incumbent's cost.
    """
    best, best_cost = incumbent, float(costs_of(fed, incumbent[None])[0])
    order = itertools.count()
    low = np.zeros(fed.k, dtype=np.int64)
    heap = [(bound(low, _room(fed, low, best_cost, low)), next(order), low, _room(fed, low, best_cost, low))]
    nodes, started = 0, time.monotonic()
    while heap and heap[0][0] < best_cost - _CLOSE:
        if nodes >= max_nodes or time.monotonic() - started > time_limit:
            return Search(m=best, lower_bound=min(heap[0][0], best_cost), is_complete=False, nodes=nodes)
        floor, _, low, high = heapq.heappop(heap)
        nodes += 1
        if progress is not None:
            progress(nodes, floor, best_cost)
        high = np.minimum(high, _room(fed, low, best_cost, high))
        box = _tighten(fed, low, high, best_cost, is_possible)
        if box is None:
            continue
        low, high = box
        if proves(low[None])[0]:
            cost = float(costs_of(fed, low[None])[0])
            if cost < best_cost - _CLOSE:
                best, best_cost = low, cost
            continue
        for child in _split(low, high):
            value = max(floor, float(costs_of(fed, child[0][None])[0]))
            if value < best_cost - _CLOSE:
                value = max(value, bound(*child))
            if value < best_cost - _CLOSE:
                heapq.heappush(heap, (value, next(order), *child))
    return Search(m=best, lower_bound=best_cost, is_complete=True, nodes=nodes)


def _room(fed: Federation, low: NDArray[np.int64], best_cost: float, high: NDArray[np.int64]) -> NDArray[np.int64]:
    """(k,) the most that each agent can give, the others at ``low``, for less than the incumbent's cost."""
    spare = best_cost - float(costs_of(fed, low[None])[0])
    room = np.empty(fed.k, dtype=np.int64)
    for j, agent in enumerate(fed.agents):
        start = float(agent.cost(low[j]))
        step, most = 1, int(low[j])
        while float(agent.cost(most + step)) - start < spare - _CLOSE:
            most, step = most + step, 2 * step
        while step > 1:
            step //= 2
            if float(agent.cost(most + step)) - start < spare - _CLOSE:
                most += step
        room[j] = most if agent.capacity is None else min(most, agent.capacity)
    return room


def _tighten(
    fed: Federation,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    best_cost: float,
    is_possible: Certificate,
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Shrink a box until nothing moves; None if it holds no plan cheaper than the incumbent."""
    while True:
        if (high < low).any() or not is_possible(high[None])[0]:
            return None
        raised = low.copy()
        for j in range(fed.k):
            raised[j] = _least_possible(high, j, int(low[j]), is_possible)
        if float(costs_of(fed, raised[None])[0]) >= best_cost - _CLOSE:
            return None
        lowered = np.minimum(high, _room(fed, raised, best_cost, high))
        if (raised == low).all() and (lowered == high).all():
            return low, high
        low, high = raised, lowered


def _least_possible(high: NDArray[np.int64], j: int, low: int, is_possible: Certificate) -> int:
    """Least m_j, between ``low`` and high_j, with which the rest of ``high`` is possible."""
    trial = high.copy()
    trial[j] = low
    if is_possible(trial[None])[0]:
        return low
    top = int(high[j])
    while top - low > 1:
        inner = np.unique(np.linspace(low, top, _PARTS + 1).round().astype(np.int64)[1:-1])
        inner = inner[(inner > low) & (inner < top)]
        trials = np.repeat(high[None], len(inner), axis=0)
        trials[:, j] = inner
        possible = is_possible(trials)
        top = min([top, *inner[possible].tolist()])
        low = max([low, *inner[~possible & (inner < top)].tolist()])
    return top


def _split(low: NDArray[np.int64], high: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Halve the widest side."""
    j = int((high - low).argmax())
    middle = (low[j] + high[j]) // 2
    left, right = high.copy(), low.copy()
    left[j], right[j] = middle, middle + 1
    return [(low, left), (right, high)]
