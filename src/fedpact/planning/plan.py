"""``plan``: the cheapest contributions that meet every target, by a method of choice.

========== ============================= ===================================================================
method     needs                         what it gives
========== ============================= ===================================================================
``lp``     pairwise rates                the paper's program, rounded with a proof
``union``  pairwise rates                the union program, never dearer than ``lp``
``tree``   pairwise rates                ``union``, samples dropped while Hunter-Worsley proves the rest
``exact``  joint structure               the optimum, or the best found and the gap
``auto``   either                        ``exact`` within its budget, else the best of the others
========== ============================= ===================================================================
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import check_at_least
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError, NoPlanFoundError
from fedpact.planning.certificates import WORK_RATE, Judge, requirements_of
from fedpact.planning.currency import in_round_currency
from fedpact.planning.draft import PROOFS, Draft, draft, is_small
from fedpact.planning.exact import Search, search
from fedpact.planning.infeasible import requirement_name, unreachable
from fedpact.planning.lower_bound import LowerBound
from fedpact.planning.more_points import forecast
from fedpact.planning.result import BindingPair, Plan, PlanStatus
from fedpact.planning.rounding import least_of, most_of, polish
from fedpact.planning.row_generation import Solution
from fedpact.planning.whole_costs import find_unit, round_up_cost
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.engine import engine_of
from fedpact.statistics.federation_rates import rates_of
from fedpact.statistics.verification import read_contributions

METHODS = ("auto", "lp", "union", "tree", "exact")
MAX_NODES = 20_000
TIME_LIMIT = 60.0
_AUTO_NODES = 300
AUTO_SECONDS = 10.0
_REACH_SECONDS = 10.0
_ROUNDING = 1e-15
_BY_SEARCH = "branch and bound"
_BY_ENGINE = "the exact failure probabilities"

Progress = Callable[[int, float, float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is known from a federation that asks for less: no plan here is cheaper than that one's bound."""

    fractional: NDArray[np.float64] | None = None
    lower_bound: float = 0.0
    lower_bound_by: str = "costs are not negative"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How long the search for the optimum may take."""

    nodes: int
    seconds: float
    progress: Progress | None = None
    raises_interrupt: bool = False
    """Whether an interrupt from the keyboard ends everything instead of the search."""


def plan(
    fed: Federation,
    method: str = "auto",
    *,
    confidence: Any = None,
    teacher: str | None = None,
    at_least: Any = None,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    raises_interrupt: bool = False,
) -> Plan:
    """Plan who contributes how many samples.

    Parameters
    ----------
    fed
        The federation.
    method
        "lp", "union", "tree", "exact" or "auto".
    confidence
        If given, rates are taken for estimates from each site's unlabelled points. With this probability over the
        draw of those points the plan meets every target, in the sense of delta over the draw of the labelled
        samples; so a target is missed with probability delta + 1 - confidence at most.
    teacher
        The hypothesis that labels the samples, if that is known: the plan is against it alone.
    at_least
        What is contributed already: a number per agent, or a mapping in which absent agents have given nothing. It
        is not taken back: the plan is the cheapest among those with at least that much. Its cost and its lower
        bound count what is contributed already.
    max_nodes, time_limit
        Budget of the exact search, in boxes and seconds; at zero the incumbent is returned with its gap. So it
        is when the search is interrupted from the keyboard.
    progress
        Called during the exact search with boxes looked at, lower bound and cost of the incumbent.
    raises_interrupt
        Whether an interrupt from the keyboard ends everything instead of the search.

    Raises
    ------
    InfeasibleError
        If capacities or a zero tolerance make a target unreachable; names the agent and the pair. Where there
        may be a plan that only the method cannot prove, it is the :class:`~fedpact.NoPlanFoundError`.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> found = plan(alice_bob(), method="exact")
    >>> found.cost, found.lower_bound, found.status.name
    (5.0, 5.0, 'OPTIMAL')

    Alice can give no more than she has given, so Bob gives the rest:

    >>> stopped = alice_bob().replace(capacity=[1, None])
    >>> plan(stopped, at_least={"alice": 1, "bob": 2}).contributions
    {'alice': 1, 'bob': 7}
    """
    asked = fed if teacher is None else fed.replace(teacher=teacher)
    if confidence is not None:
        asked = at_confidence(asked, confidence)
    if at_least is not None and (given := read_contributions(fed, at_least, "at_least")).any():
        asked = replace(asked, at_least=tuple(given.tolist()))
    found = plan_from(
        asked,
        method,
        Start(),
        max_nodes=max_nodes,
        time_limit=time_limit,
        progress=progress,
        raises_interrupt=raises_interrupt,
    )
    has_forecast = found.confidence is not None and (found.m > least_of(asked)).any()
    more = forecast(asked, found.cost) if has_forecast else ()
    return replace(found, federation=fed.fingerprint, more_points=more)


def plan_from(
    fed: Federation,
    method: str,
    start: Start,
    *,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    raises_interrupt: bool = False,
) -> Plan:
    """Plan with what is known from an easier federation.

    Solver and search have absolute tolerances, so very large or small costs are planned for in another currency.
    """
    scaled, unit = in_round_currency(fed)
    if unit != 1.0:
        start = replace(start, lower_bound=start.lower_bound / unit)
        other = plan_from(
            scaled,
            method,
            start,
            max_nodes=max_nodes,
            time_limit=time_limit,
            progress=progress,
            raises_interrupt=raises_interrupt,
        ).in_currency(unit)
        cost = fed.cost_of(other.m)
        return replace(other, cost=cost, lower_bound=min(other.lower_bound, cost), federation=fed.fingerprint)
    read_choice(method, "method", METHODS)
    for field, value in (("max_nodes", max_nodes), ("time_limit", time_limit)):
        if value is not None:
            check_at_least(value, field, 0)
    has_pairs_only = isinstance(fed.evidence, Reports)
    if method == "exact" and has_pairs_only:
        raise FederationError("method 'exact' needs the joint structure, which reports do not hold; use 'auto'")
    below = LowerBound(fed)
    if fed.at_least is None and not below.fractional.rows and rates_of(fed).is_certain:
        return _nothing_needed(fed, method)
    start = _count_given(fed, start)
    nodes, seconds = (MAX_NODES, TIME_LIMIT) if method == "exact" else (_AUTO_NODES, AUTO_SECONDS)
    budget = Budget(
        nodes=nodes if max_nodes is None else max_nodes,
        seconds=seconds if time_limit is None else time_limit,
        progress=progress,
        raises_interrupt=raises_interrupt,
    )
    if method == "exact" or (method == "auto" and is_small(fed) and not has_pairs_only):
        return _plan_exactly(fed, method, below, start, budget)
    found = draft(fed, "tree" if method == "auto" else method, start.fractional)
    if not found.m.any():
        return _nothing_needed(fed, method)
    if method == "auto" and is_small(fed):
        return _search_by_pairs(fed, found, below, start, budget)
    lower = max(below.best(), (start.lower_bound, start.lower_bound_by))
    return _finish(fed, method, found, lower, PlanStatus.CERTIFIED)


def _count_given(fed: Federation, start: Start) -> Start:
    """Know as well that no plan costs less than what is contributed already."""
    sunk = fed.cost_of(least_of(fed))
    if sunk <= start.lower_bound:
        return start
    return replace(start, lower_bound=sunk, lower_bound_by="what is contributed already")


def _plan_exactly(fed: Federation, method: str, below: LowerBound, start: Start, budget: Budget) -> Plan:
    """Let the guarantee engine drop what ``tree`` could not, then search for the optimum."""
    try:
        first = draft(fed, "tree", start.fractional)
    except NoPlanFoundError as error:
        _check_reachable(fed, error, max(budget.seconds, _REACH_SECONDS))
        first = Draft(m=most_of(fed), solution=None, proved_by=_BY_ENGINE)
    judge = Judge(fed, time.monotonic() + budget.seconds)
    better = polish(fed, first.m, judge.proves_in_time)
    found = _search(fed, better, judge, below, start, budget)
    lower = max((found.lower_bound, _BY_SEARCH), below.best())
    proved_by = _BY_ENGINE if (found.m != first.m).any() else first.proved_by
    final = Draft(m=found.m, solution=first.solution, proved_by=proved_by)
    return _finish(fed, method, final, lower, PlanStatus.INTERRUPTED)


def _search_by_pairs(fed: Federation, first: Draft, below: LowerBound, start: Start, budget: Budget) -> Plan:
    """Search with what pairwise rates prove and refute."""
    judge = Judge(fed, time.monotonic() + budget.seconds)
    found = _search(fed, first.m, judge, below, start, budget)
    lower = max((found.lower_bound, f"{_BY_SEARCH}, Dawson-Sankoff and de Caen"), below.best())
    final = Draft(m=found.m, solution=first.solution, proved_by=PROOFS["tree", fed.objective])
    return _finish(fed, "auto", final, lower, PlanStatus.CERTIFIED)


def _search(
    fed: Federation, m: NDArray[np.int64], judge: Judge, below: LowerBound, start: Start, budget: Budget
) -> Search:
    unit = find_unit(fed)
    return search(
        fed,
        m,
        proves=judge.proves,
        is_possible=judge.cannot_refute,
        bound=lambda low, high: round_up_cost(below.in_box(low, high), unit),
        max_nodes=budget.nodes,
        floor=start.lower_bound,
        progress=budget.progress,
        raises_interrupt=budget.raises_interrupt,
    )


def _check_reachable(fed: Federation, error: NoPlanFoundError, seconds: float) -> None:
    """Raise unless everybody at capacity is proved to meet the targets."""
    engine, most = engine_of(fed), most_of(fed)
    is_proved = True
    for requirement in requirements_of(fed):
        limit = engine.threshold(requirement)
        low, high = engine.decide(most[None], [requirement], max_work=seconds * WORK_RATE)
        if exceeds(float(low[0, 0]), limit):
            target = int(engine.evaluate(most[None], [requirement], method="bounds").target[0, 0])
            raise unreachable(fed, requirement, (target, engine.find_likeliest_miss(requirement, target, most)))
        is_proved &= not exceeds(float(high[0, 0]), limit)
    if not is_proved:
        raise error.by("exact")


def _nothing_needed(fed: Federation, method: str) -> Plan:
    return Plan(
        contributions=dict.fromkeys(fed.names, 0),
        cost=0.0,
        fractional=dict.fromkeys(fed.names, 0.0),
        fractional_cost=0.0,
        lower_bound=0.0,
        lower_bound_by="costs are not negative",
        proved_by="no hypothesis has to be ruled out for anybody",
        duals=(),
        delta_price=0.0,
        status=PlanStatus.NOTHING_NEEDED,
        method=method,
        chosen=method,
        objective=fed.objective,
        guarantee=fed.guarantee,
        federation=fed.fingerprint,
        teacher=fed.teacher,
        confidence=_confidence(fed),
    )


def _confidence(fed: Federation) -> float | None:
    return fed.evidence.confidence if isinstance(fed.evidence, Reports) else None


def _finish(fed: Federation, method: str, final: Draft, lower: tuple[float, str], status: PlanStatus) -> Plan:
    cost, sunk = fed.cost_of(final.m), fed.cost_of(least_of(fed))
    solution = final.solution
    if cost - sunk <= (lower[0] - sunk) * (1 + 1e-9) + _ROUNDING * cost:
        status = PlanStatus.OPTIMAL
    elif _confidence(fed) is not None:
        status = PlanStatus.CONFIDENT
    return Plan(
        contributions=dict(zip(fed.names, final.m.tolist(), strict=True)),
        cost=cost,
        fractional=None if solution is None else dict(zip(fed.names, solution.m.tolist(), strict=True)),
        fractional_cost=None if solution is None else solution.value,
        lower_bound=min(lower[0], cost),
        lower_bound_by=lower[1],
        proved_by=final.proved_by,
        duals=_explain(fed, solution),
        delta_price=None if solution is None or fed.objective != "pac" else float(solution.duals.sum()),
        status=status,
        at_least=None if fed.at_least is None else dict(zip(fed.names, fed.at_least, strict=True)),
        method=method,
        chosen=_chosen(method, final, status, isinstance(fed.evidence, Reports)),
        objective=fed.objective,
        guarantee=fed.guarantee,
        federation=fed.fingerprint,
        teacher=fed.teacher,
        confidence=_confidence(fed),
    )


def _chosen(method: str, final: Draft, status: PlanStatus, has_pairs_only: bool) -> str:
    if method != "auto":
        return method
    if status is PlanStatus.OPTIMAL and not has_pairs_only:
        return "exact"
    return "union, trimmed by the guarantee engine" if final.proved_by == _BY_ENGINE else "tree"


def _explain(fed: Federation, solution: Solution | None) -> tuple[BindingPair, ...]:
    """Whom every pair that binds is there for, and its share of the cost; rows of one pair are taken together.

    What is contributed already costs nothing more, so only the rest of a row is counted.
    """
    if solution is None:
        return ()
    duals: dict[tuple[int, int, int], tuple[float, float]] = {}
    least = least_of(fed)
    given = np.flatnonzero(least)
    for dual, row in zip(solution.duals.tolist(), solution.rows, strict=True):
        key = (*row.pair, row.requirement)
        before = duals.get(key, (0.0, 0.0))
        duals[key] = before[0] + dual, before[1] + dual * max(0.0, row.b - float(row.a[given] @ least[given]))
    total = sum(worth for _, worth in duals.values())
    pairs = [
        BindingPair(
            target=fed.hypotheses[target],
            hypothesis=fed.hypotheses[hypothesis],
            agent=requirement_name(fed, requirement),
            dual=dual,
            share=worth / total,
        )
        for (target, hypothesis, requirement), (dual, worth) in duals.items()
        if worth > 1e-9 * max(total, 1e-300)
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.share))
