"""The true optimum over integers, by branch and bound on boxes.

The vectors that meet the targets are an up-set: adding samples never hurts. So a box low <= m <= high

- holds no plan if not even ``high`` is possible;
- holds a plan of cost c(low) if ``low`` is proved;
- costs at least c(low), and at least its covering program (:mod:`fedpact.planning.pair_lp`, the lower bound).

Before it is split a box is tightened: low_j rises to the least value with which the rest of ``high`` is still
possible, high_j falls to the most that the incumbent's cost leaves room for. The optimum may lie outside the
box of standalone needs (an agent that needs nothing itself may have to contribute). The cheapest open box
bounds the optimum from below, so a search that stops early says how far it came.

What the exact engine proves and what it refutes is the same, but for the few vectors that it leaves open; with
pairwise rates alone they are what upper and lower bounds on the failure say. A vector that is neither bounds the
optimum from below and gives no plan. Whether a vector is possible may be answered at a glance, yes where it would
take long to tell; once it was tried as a plan, it is known.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fedpact.describe.arrays import Bools, Ints
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.progress import Progress, ends_search
from fedpact.describe.ties import exceeds
from fedpact.errors import NoPlanFoundError
from fedpact.planning.certificates import WORK_RATE, Certificate, Judge, TimeUp, requirements_of
from fedpact.planning.cost_units import find_unit, round_up_cost
from fedpact.planning.draft import draft, is_small
from fedpact.planning.infeasible import unreachable
from fedpact.planning.result import BoundBy, PlanStatus, Proof
from fedpact.planning.rounding import most_of, polish
from fedpact.planning.task import Draft, Task
from fedpact.statistics.engine import engine_of
from fedpact.statistics.request import least_of
from fedpact.statistics.standalone import find_least_between

EXACT_NODES = 20_000
EXACT_SECONDS = 60.0
_AUTO_NODES = 300
AUTO_SECONDS = 10.0
_REACH_SECONDS = 10.0
_CLOSE = 1e-9


class Search:
    """A search for the cheapest proved vector: the best so far, and the open boxes, cheapest first."""

    def __init__(self, fed: Federation, incumbent: Ints, floor: float) -> None:
        self.fed, self.floor = fed, floor
        self.m, self.cost = incumbent, fed.cost_of(incumbent)
        self.undecided = np.inf
        self.nodes = 0
        self._order = itertools.count()
        self.boxes: list[tuple[float, int, Ints, Ints]] = []
        low = least_of(fed)
        self.push(floor, low, _room(fed, low, self.cost))

    def push(self, value: float, low: Ints, high: Ints) -> None:
        """Keep a box unless it can hold nothing cheaper than the incumbent."""
        if value < self.cost - _CLOSE:
            heapq.heappush(self.boxes, (value, next(self._order), low, high))

    def pop(self) -> None:
        """Take the cheapest box off."""
        heapq.heappop(self.boxes)
        self.nodes += 1

    def offer(self, m: Ints) -> None:
        """Take a proved vector if it is cheaper than the incumbent."""
        cost = self.fed.cost_of(m)
        if cost < self.cost - _CLOSE:
            self.m, self.cost = m, cost

    @property
    def lower_bound(self) -> float:
        """Cost that no vector in an open or undecided box undercuts."""
        cheapest = self.boxes[0][0] if self.boxes else np.inf
        return max(self.floor, min(cheapest, self.undecided, self.cost))

    @property
    def is_open(self) -> bool:
        """Whether a box is left that may hold something cheaper than the incumbent."""
        return bool(self.boxes) and max(self.floor, self.boxes[0][0]) < self.cost - _CLOSE


def search(
    fed: Federation,
    incumbent: Ints,
    *,
    proves: Certificate,
    is_possible: Certificate,
    bound: Callable[[Ints, Ints], float],
    max_nodes: int,
    floor: float = 0.0,
    progress: Progress | None = None,
) -> Search:
    """Search for the cheapest proved vector; stopped by the keyboard or a deadline, return the best so far.

    Parameters
    ----------
    incumbent
        (k,) a proved vector to start from.
    bound
        Lower bound on the cost of any plan in the box (low, high).
    floor
        What is known already that no plan undercuts.
    progress
        Called with the lower bound and the incumbent's cost.
    """
    state = Search(fed, incumbent, floor)
    with contextlib.suppress(TimeUp, *ends_search()):
        while state.is_open and state.nodes < max_nodes:
            value, _, low, high = state.boxes[0]
            if progress is not None:
                progress(state.lower_bound, state.cost)
            children = _open_box(state, low, high, proves, is_possible)
            values = [max(value, fed.cost_of(child[0]), bound(*child)) for child in children]
            for at_least, child in zip(values, children, strict=True):
                state.push(at_least, *child)
            state.pop()  # last, so that an interrupt loses no box; it is still the first of the heap
    return state


def _open_box(
    state: Search, low: Ints, high: Ints, proves: Certificate, is_possible: Certificate
) -> list[tuple[Ints, Ints]]:
    """Settle a box, or give the two boxes that it splits into."""
    high = np.minimum(high, _room(state.fed, low, state.cost))
    box = _tighten(state.fed, low, high, state.cost, is_possible)
    if box is None:
        return []
    low, high = box
    if proves(low[None])[0]:
        state.offer(low)
        return []
    if (low == high).all():
        if is_possible(low[None])[0]:
            state.undecided = min(state.undecided, state.fed.cost_of(low))
        return []
    return _split(low, high)


def _room(fed: Federation, low: Ints, best_cost: float) -> Ints:
    """(k,) the most that each agent can give, the others at ``low``, for less than the incumbent's cost."""
    spare = best_cost - fed.cost_of(low)
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
        room[j] = min(most, np.iinfo(np.int64).max // 4 if agent.capacity is None else agent.capacity)
    return room


def _tighten(
    fed: Federation, low: Ints, high: Ints, best_cost: float, is_possible: Certificate
) -> tuple[Ints, Ints] | None:
    """Shrink a box until nothing moves; None if it holds no plan cheaper than the incumbent."""
    while True:
        if (high < low).any() or not is_possible(high[None])[0]:
            return None
        raised = np.array([_least_possible(high, j, int(low[j]), is_possible) for j in range(fed.k)])
        if fed.cost_of(raised) >= best_cost - _CLOSE:
            return None
        lowered = np.minimum(high, _room(fed, raised, best_cost))
        if (raised == low).all() and (lowered == high).all():
            return low, high
        low, high = raised, lowered


def _least_possible(high: Ints, j: int, low: int, is_possible: Certificate) -> int:
    """Least m_j, between ``low`` and high_j, with which the rest of ``high`` is possible."""

    def are_possible(counts: Ints) -> Bools:
        trials = np.repeat(high[None], len(counts), axis=0)
        trials[:, j] = counts
        return is_possible(trials)

    if are_possible(np.array([low]))[0]:
        return low
    return find_least_between(low, int(high[j]), are_possible)


def _split(low: Ints, high: Ints) -> list[tuple[Ints, Ints]]:
    """Halve the widest side."""
    j = int((high - low).argmax())
    middle = (low[j] + high[j]) // 2
    left, right = high.copy(), low.copy()
    left[j], right[j] = middle, middle + 1
    return [(low, left), (right, high)]


def plan_exactly(task: Task) -> Draft:
    """Search for the optimum until it is proved, or the budget is spent."""
    return _search_from_tree(task, EXACT_NODES, EXACT_SECONDS)


def plan_automatically(task: Task) -> Draft:
    """Search for the optimum with a small budget where that may be quick, else by "tree", with noise "union"."""
    if task.fed.noise is not None or not is_small(task.fed):
        return draft(task.fed, "tree" if task.fed.noise is None else "union", task.start.fractional)
    return _search_from_tree(task, _AUTO_NODES, AUTO_SECONDS)


def _search_from_tree(task: Task, nodes: int, seconds: float) -> Draft:
    """Let the guarantee engine, if there is one, drop what "tree" could not, then search."""
    fed, budget, has_pairs_only = task.fed, task.budget, isinstance(task.fed.evidence, Reports)
    nodes = nodes if budget.max_nodes is None else budget.max_nodes
    seconds = seconds if budget.time_limit is None else budget.time_limit
    try:
        first = draft(fed, "tree", task.start.fractional)
    except NoPlanFoundError as error:
        if has_pairs_only:
            raise
        _check_reachable(fed, error, max(seconds, _REACH_SECONDS))
        first = Draft(m=most_of(fed), proved_by=Proof.ENGINE)
    if has_pairs_only and not first.m.any():
        return first
    judge, unit = Judge(fed, time.monotonic() + seconds), find_unit(fed)
    found = search(
        fed,
        first.m if has_pairs_only else polish(fed, first.m, judge.proves_in_time),
        proves=judge.proves,
        is_possible=judge.cannot_refute,
        bound=lambda low, high: round_up_cost(task.below.in_box(low, high), unit),
        max_nodes=nodes,
        floor=task.start.lower_bound,
        progress=budget.progress,
    )
    if has_pairs_only:
        return replace(first, m=found.m, lower=(found.lower_bound, BoundBy.SEARCH_BY_PAIRS))
    return replace(
        first,
        m=found.m,
        proved_by=Proof.ENGINE if (found.m != first.m).any() else first.proved_by,
        lower=(found.lower_bound, BoundBy.SEARCH),
        status=PlanStatus.INTERRUPTED,
    )


def _check_reachable(fed: Federation, error: NoPlanFoundError, seconds: float) -> None:
    """Raise unless everybody at capacity is proved to meet the targets."""
    engine, most = engine_of(fed), most_of(fed)
    is_proved = True
    for requirement in requirements_of(fed):
        limit = engine.threshold(requirement)
        low, high = engine.decide(most[None], [requirement], max_work=seconds * WORK_RATE)
        if exceeds(float(low[0, 0]), limit):
            truth = int(engine.evaluate(most[None], [requirement], method="bounds").truth[0, 0])
            raise unreachable(fed, requirement, (truth, engine.find_likeliest_miss(requirement, truth, most)))
        is_proved &= not exceeds(float(high[0, 0]), limit)
    if not is_proved:
        raise error.by("exact")
