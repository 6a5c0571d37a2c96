"""``plan``: the cheapest contributions that meet every target (Equation 4), by a method of choice.

========== ============================= ===================================================================
method     needs                         what it gives
========== ============================= ===================================================================
``lp``     pairwise rates                Theorem 3's program, rounded with a proof
``union``  pairwise rates                the union program, never dearer than ``lp``
``tree``   pairwise rates                ``union``, samples dropped while Hunter-Worsley proves the rest
``exact``  joint structure               the optimum, or the best found and the gap
``auto``   either                        ``exact`` within its budget, else the best of the others
========== ============================= ===================================================================
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import Number
from fedpact.describe.progress import Progress
from fedpact.describe.settings import Contributions
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError, NoPlanFoundError
from fedpact.planning.budget import Budget, check_budget
from fedpact.planning.certificates import WORK_RATE, Judge, requirements_of
from fedpact.planning.cost_granularity import find_unit, round_up_cost
from fedpact.planning.cost_scaling import rescale_costs
from fedpact.planning.draft import Draft, draft, is_small
from fedpact.planning.exact import Search, search
from fedpact.planning.finish import finish_plan, plan_nothing
from fedpact.planning.infeasible import unreachable
from fedpact.planning.lower_bound import LowerBound
from fedpact.planning.more_points import forecast
from fedpact.planning.result import BoundBy, Plan, PlanStatus, Proof
from fedpact.planning.rounding import least_of, most_of, polish
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.engine import engine_of
from fedpact.statistics.federation_rates import rates_of
from fedpact.statistics.verification import read_contributions

METHODS = ("auto", "lp", "union", "tree", "exact")
_REACH_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is known from a federation that asks for less: no plan here is cheaper than that one's bound."""

    fractional: NDArray[np.float64] | None = None
    lower_bound: float = 0.0
    lower_bound_by: BoundBy = BoundBy.COSTS


@takes_federation
def plan(
    fed: Federation,
    method: str = "auto",
    *,
    confidence: Number | None = None,
    teacher: str | None = None,
    at_least: Contributions | None = None,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Plan who contributes how many samples.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
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
        Called during the exact search with the lower bound and the cost of the best plan so far.

    Raises
    ------
    InfeasibleError
        If capacities or a zero tolerance make a target unreachable; names the agent and the pair. Where there
        may be a plan that only the method cannot prove, it is the :class:`~fedpact.errors.NoPlanFoundError`.

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
    budget = Budget(max_nodes=max_nodes, time_limit=time_limit, progress=progress)
    found = plan_from(asked, method, Start(), budget)
    has_forecast = found.confidence is not None and (found.m > least_of(asked)).any()
    more = forecast(asked, found.cost) if has_forecast else ()
    return replace(found, federation=fed.fingerprint, more_points=more)


def plan_from(fed: Federation, method: str, start: Start, budget: Budget) -> Plan:
    """Plan with what is known from an easier federation.

    Solver and search have absolute tolerances, so very large or small costs are rescaled first.
    """
    read_choice(method, "method", METHODS)
    check_budget(budget)
    if method == "exact" and isinstance(fed.evidence, Reports):
        raise FederationError("method 'exact' needs the joint structure, which reports do not hold; use 'auto'")
    scaled, unit = rescale_costs(fed)
    if unit == 1.0:
        return _plan_rescaled(fed, method, start, budget)
    start = replace(start, lower_bound=start.lower_bound / unit)
    other = _plan_rescaled(scaled, method, start, budget).in_currency(unit)
    cost = fed.cost_of(other.m)
    return replace(other, cost=cost, lower_bound=min(other.lower_bound, cost), federation=fed.fingerprint)


def _plan_rescaled(fed: Federation, method: str, start: Start, budget: Budget) -> Plan:
    below = LowerBound(fed)
    if fed.at_least is None and not below.fractional.rows and rates_of(fed).is_certain:
        return plan_nothing(fed, method)
    start = _count_given(fed, start)
    is_searched = method == "auto" and is_small(fed)
    if method == "exact" or (is_searched and not isinstance(fed.evidence, Reports)):
        return _plan_exactly(fed, method, below, start, budget)
    found = draft(fed, "tree" if method == "auto" else method, start.fractional)
    if not found.m.any():
        return plan_nothing(fed, method)
    if is_searched:
        return _search_by_pairs(fed, found, below, start, budget)
    lower = max((start.lower_bound, start.lower_bound_by), below.best(), key=lambda bound: bound[0])
    return finish_plan(fed, method, found, lower, PlanStatus.CERTIFIED)


def _count_given(fed: Federation, start: Start) -> Start:
    """Know as well that no plan costs less than what is contributed already."""
    sunk = fed.cost_of(least_of(fed))
    if sunk <= start.lower_bound:
        return start
    return replace(start, lower_bound=sunk, lower_bound_by=BoundBy.GIVEN)


def _plan_exactly(fed: Federation, method: str, below: LowerBound, start: Start, budget: Budget) -> Plan:
    """Let the guarantee engine drop what ``tree`` could not, then search for the optimum."""
    try:
        first = draft(fed, "tree", start.fractional)
    except NoPlanFoundError as error:
        _check_reachable(fed, error, max(budget.seconds(method), _REACH_SECONDS))
        first = Draft(m=most_of(fed), solution=None, proved_by=Proof.ENGINE)
    judge = Judge(fed, time.monotonic() + budget.seconds(method))
    better = polish(fed, first.m, judge.proves_in_time)
    found = _search(fed, method, better, judge, below, start, budget)
    lower = max((found.lower_bound, BoundBy.SEARCH), below.best())
    proved_by = Proof.ENGINE if (found.m != first.m).any() else first.proved_by
    final = Draft(m=found.m, solution=first.solution, proved_by=proved_by)
    return finish_plan(fed, method, final, lower, PlanStatus.INTERRUPTED)


def _search_by_pairs(fed: Federation, first: Draft, below: LowerBound, start: Start, budget: Budget) -> Plan:
    """Search with what pairwise rates prove and refute."""
    judge = Judge(fed, time.monotonic() + budget.seconds("auto"))
    found = _search(fed, "auto", first.m, judge, below, start, budget)
    lower = max((found.lower_bound, BoundBy.SEARCH_BY_PAIRS), below.best())
    final = Draft(m=found.m, solution=first.solution, proved_by=Proof.TREE)
    return finish_plan(fed, "auto", final, lower, PlanStatus.CERTIFIED)


def _search(
    fed: Federation,
    method: str,
    m: NDArray[np.int64],
    judge: Judge,
    below: LowerBound,
    start: Start,
    budget: Budget,
) -> Search:
    unit = find_unit(fed)
    return search(
        fed,
        m,
        proves=judge.proves,
        is_possible=judge.cannot_refute,
        bound=lambda low, high: round_up_cost(below.in_box(low, high), unit),
        max_nodes=budget.nodes(method),
        floor=start.lower_bound,
        progress=budget.progress,
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
