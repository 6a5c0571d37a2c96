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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError, InfeasibleError
from fedpact.planning.certificates import (
    Certificate,
    prove_by_pairs,
    prove_by_tree,
    prove_by_union,
    prove_exactly,
    requirements_of,
)
from fedpact.planning.covering import CoveringProgram, Solution, UnreachableRow
from fedpact.planning.exact import search
from fedpact.planning.lower_bound import LowerBound
from fedpact.planning.pairs import PairProgram
from fedpact.planning.result import BindingPair, Plan, PlanStatus
from fedpact.planning.rounding import capacities, costs_of, move, round_up, trim
from fedpact.planning.union import UnionProgram
from fedpact.statistics.engine import JOINT, engine_of

METHODS = ("auto", "lp", "union", "tree", "exact")
MAX_NODES = 20_000
TIME_LIMIT = 60.0
_AUTO_NODES = 300
_PLENTY = 1e9
_BY_PAIRS = "integer program over single pairs"
_PROOFS = {
    "lp": "the paper's constraints: every bad pair is missed with probability delta / H at most",
    "union": "the union bound: for every truth the miss probabilities sum to delta at most",
    "tree": "Hunter-Worsley: that sum, less a spanning tree of pairwise intersections, is delta at most",
}
_AUTO_SECONDS = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class _Draft:
    """An integer vector with the fractional solution it came from and why it is enough."""

    m: NDArray[np.int64]
    solution: Solution | None
    proved_by: str


def plan(
    fed: Federation,
    method: str = "auto",
    *,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[int, float, float], None] | None = None,
) -> Plan:
    """Plan who contributes how many samples.

    Parameters
    ----------
    fed
        The federation.
    method
        "lp", "union", "tree", "exact" or "auto".
    max_nodes, time_limit
        Budget of the exact search, in boxes and seconds; at zero the incumbent is returned with its gap.
    progress
        Called during the exact search with boxes looked at, lower bound and cost of the incumbent.

    Raises
    ------
    InfeasibleError
        If capacities or a zero tolerance make a target unreachable; names the agent and the pair.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> found = plan(alice_bob(), method="exact")
    >>> found.cost, found.lower_bound, found.status.name
    (5.0, 5.0, 'OPTIMAL')
    """
    if method not in METHODS:
        raise FederationError(f"method must be one of {', '.join(METHODS)}; it is {method!r}")
    has_pairs_only = isinstance(fed.evidence, Reports)
    if method == "exact" and has_pairs_only:
        raise FederationError("method 'exact' needs the joint structure, which reports do not hold; use 'tree'")
    _check_reachable(fed)
    below = LowerBound(fed)
    if not below.fractional.rows:
        return _nothing_needed(fed, method)
    if method in ("auto", "exact") and not has_pairs_only:
        budget = _budget(method, max_nodes, time_limit)
        return _plan_exactly(fed, method, below, *budget, progress)
    draft = _draft(fed, "tree" if method == "auto" else method)
    if draft is None:
        raise InfeasibleError(
            f"method {method!r} finds no plan within the capacities; raise them, or use method 'exact', which "
            f"needs fewer samples"
        )
    return _finish(fed, method, draft, below.integer(), _BY_PAIRS, PlanStatus.CERTIFIED)


def _budget(method: str, max_nodes: int | None, time_limit: float | None) -> tuple[int, float]:
    nodes, seconds = (MAX_NODES, TIME_LIMIT) if method == "exact" else (_AUTO_NODES, _AUTO_SECONDS)
    return (nodes if max_nodes is None else max_nodes), (seconds if time_limit is None else time_limit)


def _plan_exactly(
    fed: Federation,
    method: str,
    below: LowerBound,
    max_nodes: int,
    time_limit: float,
    progress: Callable[[int, float, float], None] | None,
) -> Plan:
    proves = prove_exactly(fed)
    draft = _draft(fed, "tree")
    start = _most(fed) if draft is None else draft.m
    found = search(
        fed,
        move(fed, trim(fed, start, proves), proves),
        proves=proves,
        is_possible=proves,
        bound=below.in_box,
        max_nodes=max_nodes,
        time_limit=time_limit,
        progress=progress,
    )
    lower, by = max((found.lower_bound, "branch and bound"), (below.integer(), _BY_PAIRS))
    status = PlanStatus.OPTIMAL if found.is_complete else PlanStatus.INTERRUPTED
    final = _Draft(found.m, None if draft is None else draft.solution, "the exact failure probabilities")
    return _finish(fed, method, final, lower, by, status)


def _most(fed: Federation) -> NDArray[np.int64]:
    """Everybody at capacity, or at more than anybody can need."""
    return np.minimum(capacities(fed), _PLENTY).astype(np.int64)


def _check_reachable(fed: Federation) -> None:
    """Raise if not even everybody at capacity meets the targets."""
    engine = engine_of(fed)
    requirements = requirements_of(fed)
    most = _most(fed)
    values = engine.evaluate(most[None], requirements, method="auto" if engine.has_joint_structure else "bounds")
    for column, requirement in enumerate(requirements):
        if exceeds(float(values.low[0, column]), engine.threshold(requirement)):
            target = int(values.target[0, column])
            other = engine.find_likeliest_miss(requirement, target, most)
            pair = (fed.hypotheses[target], fed.hypotheses[other])
            who = fed.names[requirement] if requirement != JOINT else "all agents together"
            raise InfeasibleError(
                f"no plan exists: with everybody at capacity {who!r} still misses the target, because "
                f"{pair[1]!r} too often survives when {pair[0]!r} is the truth; raise a capacity or the tolerance",
                agents=(who,),
                pair=pair,
            )


def _draft(fed: Federation, method: str) -> _Draft | None:
    """Solve and round with pairwise rates alone, each method starting from the one before it."""
    by_pairs = prove_by_pairs(fed)
    paper = _solve(fed, PairProgram(fed))
    m = None if paper is None else _cheapest(fed, [round_up(fed, paper.m, by_pairs)], by_pairs)
    if method == "lp":
        return None if m is None else _Draft(m, paper, _PROOFS["lp"])
    by_union = prove_by_union(fed)
    union = _solve_union(fed)
    rounded = None if union is None else round_up(fed, union.m, by_union)
    m = _cheapest(fed, [m, rounded], by_union)
    if method == "tree" and m is not None:
        m = _cheapest(fed, [m], prove_by_tree(fed))
    return None if m is None else _Draft(m, union, _PROOFS[method])


def _solve(fed: Federation, program: PairProgram | UnionProgram) -> Solution | None:
    """Solve a program, or None if the capacities leave it no solution."""
    try:
        return CoveringProgram([agent.cost for agent in fed.agents], capacities(fed)).solve(program)
    except UnreachableRow:
        return None


def _solve_union(fed: Federation) -> Solution | None:
    program = UnionProgram(fed)
    solution = _solve(fed, program)
    while fed.objective == "expected" and solution is not None and program.improve_theta(solution.m):
        better = _solve(fed, program)
        if better is None or better.value >= solution.value * (1 - 1e-6):
            break
        solution = better
    return solution


def _cheapest(
    fed: Federation, candidates: list[NDArray[np.int64] | None], proves: Certificate
) -> NDArray[np.int64] | None:
    """Trim every candidate, dearest agents first and cheapest agents first, move samples, take the cheapest."""
    finished = []
    for m in candidates:
        if m is None:
            continue
        unit = [float(agent.cost(1)) for agent in fed.agents]
        orders = (np.argsort(-np.array(unit), kind="stable"), np.argsort(unit, kind="stable"))
        finished += [move(fed, trim(fed, m, proves, order), proves) for order in orders]
    return min(finished, key=lambda m: float(costs_of(fed, m[None])[0]), default=None)


def _nothing_needed(fed: Federation, method: str) -> Plan:
    return Plan(
        contributions=dict.fromkeys(fed.names, 0),
        cost=0.0,
        fractional=dict.fromkeys(fed.names, 0.0),
        fractional_cost=0.0,
        lower_bound=0.0,
        lower_bound_by="costs are not negative",
        proved_by="no hypothesis is bad for anybody",
        duals=(),
        status=PlanStatus.NOTHING_NEEDED,
        method=method,
        chosen=method,
        objective=fed.objective,
        guarantee=fed.guarantee,
    )


def _finish(fed: Federation, method: str, draft: _Draft, lower: float, by: str, status: PlanStatus) -> Plan:
    cost = float(costs_of(fed, draft.m[None])[0])
    solution = draft.solution
    if cost <= lower * (1 + 1e-9):
        status = PlanStatus.OPTIMAL
    return Plan(
        contributions=dict(zip(fed.names, draft.m.tolist(), strict=True)),
        cost=cost,
        fractional=None if solution is None else dict(zip(fed.names, solution.m.tolist(), strict=True)),
        fractional_cost=None if solution is None else solution.value,
        lower_bound=min(lower, cost),
        lower_bound_by=by,
        proved_by=draft.proved_by,
        duals=_explain(fed, solution),
        status=status,
        method=method,
        chosen="exact" if method == "auto" and status is PlanStatus.OPTIMAL else method,
        objective=fed.objective,
        guarantee=fed.guarantee,
    )


def _explain(fed: Federation, solution: Solution | None) -> tuple[BindingPair, ...]:
    if solution is None:
        return ()
    total = sum(dual * row.b for dual, row in zip(solution.duals, solution.rows, strict=True))
    pairs = [
        BindingPair(
            target=fed.hypotheses[row.target],
            hypothesis=fed.hypotheses[int(row.hypotheses[row.weights.argmax()])],
            agent=fed.names[row.requirement] if row.requirement >= 0 else "all agents together",
            dual=float(dual),
            share=float(dual * row.b / total),
        )
        for dual, row in zip(solution.duals, solution.rows, strict=True)
        if dual * row.b > 1e-9 * max(total, 1e-300)
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.share))
