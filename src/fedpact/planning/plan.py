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

With noisy labels ``lp``, ``union`` and ``auto`` plan by like programs (:mod:`fedpact.statistics.label_noise`);
where nothing is assumed of labels, everybody labels for itself (:mod:`fedpact.planning.agnostic`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.evidence import Predictions, Reports
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number
from fedpact.describe.progress import Progress
from fedpact.describe.settings import Contributions
from fedpact.planning.agnostic import plan_agnostic
from fedpact.planning.cost_units import rescale_costs
from fedpact.planning.lower_bound import LowerBound
from fedpact.planning.methods import read_planner
from fedpact.planning.result import BindingPair, BoundBy, Plan, PlanStatus, Proof
from fedpact.planning.row_generation import Solution
from fedpact.planning.task import Budget, Draft, Start, Task
from fedpact.statistics.rates import rates_of
from fedpact.statistics.request import ask, at_least_of, least_of, teacher_of
from fedpact.statistics.weights import JOINT

_ROUNDING = 1e-15


@takes_federation
def plan(
    fed: Federation,
    method: str = "auto",
    *,
    confidence: Number | None = None,
    teacher: str | None = None,
    at_least: Contributions | None = None,
    assume: str | None = None,
    noise: Number | None = None,
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
    assume, noise
        What is assumed of labels, if that is other than what the federation says: "realizable", "agnostic", or by
        a noise alone that each is wrong with that probability at most.
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

    Notes
    -----
    A plan counts independent draws, which may be more than the points that a site's rates were counted on; such
    sites are ``too_few_points``. A run, which labels every point once at most, takes their number for a capacity;
    to plan as it does, give it as ``capacity``.

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

    One label of twenty may be wrong:

    >>> plan(alice_bob(), noise=0.05).contributions
    {'alice': 4, 'bob': 4}
    """
    fed = ask(fed, assume=assume, noise=noise)
    asked = ask(fed, teacher=teacher)
    if confidence is not None:
        from fedpact.statistics.confidence import at_confidence

        asked = at_confidence(asked, confidence)
    if at_least is not None:
        from fedpact.statistics.verification import read_contributions

        given = dict(zip(fed.names, read_contributions(fed, at_least, "at_least").tolist(), strict=True))
        asked = ask(asked, at_least=given if any(given.values()) else None)
    budget = Budget(max_nodes=max_nodes, time_limit=time_limit, progress=progress)
    found = plan_from(asked, method, Start(), budget)
    found = replace(found, federation=fed.fingerprint, too_few_points=_find_too_few(fed, found))
    if found.confidence is None or fed.assume == "agnostic" or not (found.m > least_of(asked)).any():
        return found
    from fedpact.planning.more_points import forecast

    return replace(found, more_points=forecast(asked, found.cost))


def _find_too_few(fed: Federation, found: Plan) -> dict[str, int] | None:
    """Find the sites that are asked for more samples than they have points.

    That is no error, and no cap on the plan: it counts independent draws, which fresh points can be.
    """
    if not isinstance(fed.evidence, Predictions | Reports):
        return None
    sizes = dict(zip(fed.names, fed.evidence.sizes, strict=True))
    return {name: n for name, n in sizes.items() if found.contributions[name] > n} or None


def plan_from(fed: Federation, method: str, start: Start, budget: Budget) -> Plan:
    """Plan with what is known from an easier federation.

    Solver and search have absolute tolerances, so very large or small costs are rescaled first.
    """
    planner = read_planner(method, has_joint=not isinstance(fed.evidence, Reports), assume=fed.assume)
    scaled, unit = rescale_costs(fed)
    if fed.assume == "agnostic":  # all label for themselves
        found = plan_agnostic(fed, method)
        low, by = found.lower or (0.0, BoundBy.COSTS)
        return finish_plan(fed, method, found, (low / unit, by)) if found.m.any() else plan_nothing(fed, method)
    start = replace(start, lower_bound=start.lower_bound / unit)
    below, sunk = LowerBound(scaled), scaled.cost_of(least_of(fed))
    if at_least_of(fed) is None and not below.fractional.rows and rates_of(fed).is_certain:
        return plan_nothing(fed, method)
    if sunk > start.lower_bound:
        start = replace(start, lower_bound=sunk, lower_bound_by=BoundBy.GIVEN)
    found = planner.make(Task(fed=scaled, method=method, below=below, start=start, budget=budget))
    if not found.m.any():
        return plan_nothing(fed, method)
    bounds = [(start.lower_bound, start.lower_bound_by), below.best()]
    if found.lower is not None:
        bounds = [bounds[1], found.lower]
    return finish_plan(fed, method, found, max(bounds, key=lambda bound: bound[0]))


def plan_nothing(fed: Federation, method: str) -> Plan:
    """Make the plan of no samples, where no hypothesis has to be ruled out."""
    nothing = np.zeros(fed.k)
    solution = Solution(m=nothing, value=0.0, rows=(), duals=nothing[:0])
    final = Draft(m=nothing.astype(np.int64), proved_by=Proof.NOTHING_TO_RULE_OUT, solution=solution)
    made = finish_plan(fed, method, final, (0.0, BoundBy.COSTS))
    status = PlanStatus.ONE_CANDIDATE if fed.H == 1 else PlanStatus.NOTHING_NEEDED
    return replace(made, status=status, chosen=method, delta_price=0.0)


def finish_plan(fed: Federation, method: str, final: Draft, lower: tuple[float, BoundBy]) -> Plan:
    """Make a plan of a proved vector and a lower bound with its reason, both for rescaled costs."""
    scaled, unit = rescale_costs(fed)
    cost, sunk = scaled.cost_of(final.m), scaled.cost_of(least_of(fed))
    solution, status, confidence = final.solution, final.status, getattr(fed.evidence, "confidence", None)
    if cost - sunk <= (lower[0] - sunk) * (1 + 1e-9) + _ROUNDING * cost:
        status = PlanStatus.OPTIMAL
    elif confidence is not None:
        status = PlanStatus.CONFIDENT
    return Plan(
        contributions=dict(zip(fed.names, final.m.tolist(), strict=True)),
        cost=fed.cost_of(final.m),
        costs=dict(zip(fed.names, (scaled.costs_by_agent(final.m) * unit).tolist(), strict=True)),
        fractional=None if solution is None else dict(zip(fed.names, solution.m.tolist(), strict=True)),
        fractional_cost=None if solution is None else solution.value * unit,
        lower_bound=min(min(lower[0], cost) * unit, fed.cost_of(final.m)),
        lower_bound_by=lower[1],
        proved_by=final.proved_by,
        duals=_explain(fed, solution, unit),
        delta_price=None if solution is None or fed.objective != "pac" else float(solution.duals.sum()) * unit,
        status=status,
        at_least=at_least_of(fed),
        method=method,
        chosen=_find_chosen(fed, final, status) if method == "auto" else method,
        **fed.stated(),
        name=fed.name,
        federation=fed.fingerprint,
        teacher=teacher_of(fed),
        is_sampled=fed.is_sampled,
        confidence=confidence,
    )


def _find_chosen(fed: Federation, final: Draft, status: PlanStatus) -> str:
    """Name the method that "auto" came down to."""
    if fed.assume != "realizable":
        return "union"
    if status is PlanStatus.OPTIMAL and not isinstance(fed.evidence, Reports):
        return "exact"
    return "union-trimmed" if final.proved_by is Proof.ENGINE else "tree"


def _explain(fed: Federation, solution: Solution | None, unit: float) -> tuple[BindingPair, ...]:
    """Whom every pair that binds is there for, and its share of the cost; rows of one pair are taken together.

    A cost of 1 is worth ``unit``.
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
            truth=fed.hypotheses[truth],
            hypothesis=fed.hypotheses[hypothesis],
            agent=None if requirement == JOINT else fed.names[requirement],
            dual=dual * unit,
            share=worth / total,
        )
        for (truth, hypothesis, requirement), (dual, worth) in duals.items()
        if worth > 1e-9 * max(total, 1e-300)
    ]
    return tuple(sorted(pairs, key=lambda pair: -round(pair.share, 9)))
