"""Plans from pairwise rates alone: solve, round with a proof, drop what is not needed.

Each method starts from the one before it, so that ``union`` never costs more than ``lp``, nor ``tree`` more
than ``union``: ``lp`` is the paper's program, ``union`` the cheaper of its plan and of the union program's,
``tree`` that plan with every sample dropped that Hunter-Worsley proves to be unneeded.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np

from fedpact.describe.arrays import Floats, Ints
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.errors import NoPlanFoundError, SolverError
from fedpact.planning.certificates import Certificate, build, prove_by_pairs, prove_by_tree, prove_by_union
from fedpact.planning.infeasible import unreachable
from fedpact.planning.pair_lp import PairProgram
from fedpact.planning.result import Proof
from fedpact.planning.rounding import capacities, most_of, polish, round_up
from fedpact.planning.row_generation import CoveringProgram, Separator, Solution, UnreachableRow
from fedpact.planning.task import Draft, Task
from fedpact.planning.union import UnionProgram
from fedpact.statistics.request import least_of

PROOFS = {"lp": Proof.PAIRS, "union": Proof.UNION, "tree": Proof.TREE}
"""Why a plan is enough, by method."""

# Up to this many rates k H^2, and agents.
_SIZE = 4_000_000
_AGENTS = 200


def plan_by_rates(task: Task) -> Draft:
    """Plan by the paper's program ("lp"), by the union program or by what "tree" drops from its plan."""
    return draft(task.fed, task.method, task.start.fractional)


def draft(fed: Federation, method: str, start: Floats | None = None) -> Draft:
    """Plan by "lp", "union" or "tree"; ``start`` (k,) is the fractional solution of a similar federation.

    Without a start the draft is kept with a small federation, for the methods that go on from it.

    Raises
    ------
    NoPlanFoundError
        If the capacities leave the method no plan, although there may be one.
    """
    if start is not None or not is_small(fed):
        return _DRAFTS[method](fed, start)
    return _kept_draft(fed, method)


@memoized
def _kept_draft(fed: Federation, method: str) -> Draft:
    return _DRAFTS[method](fed, None)


def is_small(fed: Federation) -> bool:
    """Whether exact work on the federation may be quick."""
    return fed.k * fed.H * fed.H <= _SIZE and fed.k <= _AGENTS


def _draft_by_pairs(fed: Federation, start: Floats | None) -> Draft:
    try:
        solution = solve_pairs(fed, start)
    except SolverError:
        raise NoPlanFoundError("lp", "it would ask somebody for more samples than the solver can count") from None
    return _conclude(fed, "lp", _round(fed, solution, prove_by_pairs(fed)), solution)


def _draft_by_union(fed: Federation, start: Floats | None) -> Draft:
    proves = prove_by_union(fed)
    try:
        solution = solve_union(fed, start=start)
    except SolverError:
        return _improve_on_pairs(fed, start, proves)
    plans = [_round(fed, solution, proves)]
    with contextlib.suppress(NoPlanFoundError):
        plans.append(polish(fed, draft(fed, "lp", start).m, proves))
    best = min((m for m in plans if m is not None), key=fed.cost_of, default=None)
    return _conclude(fed, "union", best, solution)


def _improve_on_pairs(fed: Federation, start: Floats | None, proves: Certificate) -> Draft:
    """Go on from "lp" where the union program is beyond the solver: somebody would have to give 10^12 samples."""
    try:
        found = draft(fed, "lp", start)
    except NoPlanFoundError as error:
        raise error.by("union") from None
    return replace(found, m=polish(fed, found.m, proves), proved_by=Proof.UNION)


def _draft_by_tree(fed: Federation, start: Floats | None) -> Draft:
    proves = prove_by_tree(fed)
    try:
        found = draft(fed, "union", start)
    except NoPlanFoundError as error:
        found = Draft(m=most_of(fed), solution=None, proved_by=Proof.UNION)
        if not proves(found.m[None])[0]:
            raise error.by("tree") from None
    return replace(found, m=polish(fed, found.m, proves), proved_by=Proof.TREE)


_DRAFTS = {"lp": _draft_by_pairs, "union": _draft_by_union, "tree": _draft_by_tree}


def _round(fed: Federation, solution: Solution | UnreachableRow, proves: Certificate) -> Ints | None:
    """Cheap integer vector near a solution; None if the capacities leave none that can be proved."""
    m = None if isinstance(solution, UnreachableRow) else round_up(fed, solution.m, proves)
    return None if m is None else polish(fed, m, proves)


def _conclude(fed: Federation, method: str, m: Ints | None, solution: Solution | UnreachableRow) -> Draft:
    if m is not None:
        found = None if isinstance(solution, UnreachableRow) else solution
        return Draft(m=m, solution=found, proved_by=PROOFS[method])
    if isinstance(solution, UnreachableRow):
        row = solution.row
    elif solution.rows:
        row = solution.rows[int(solution.duals.argmax())]
    else:  # what is contributed already satisfies all rows, but for the rounding
        row = build(fed, PairProgram)(np.zeros(fed.k))[0]
    raise unreachable(fed, row.requirement, row.pair, method)


def _solve(fed: Federation, program: Separator, start: Floats | None) -> Solution | UnreachableRow:
    """Solve a program, or say which row the capacities leave no way to meet."""
    costs = [agent.cost for agent in fed.agents]
    try:
        return CoveringProgram(costs, capacities(fed), least_of(fed)).solve(program, start)
    except UnreachableRow as blocked:
        return blocked


def solve_pairs(fed: Federation, start: Floats | None = None) -> Solution | UnreachableRow:
    """Solve the paper's program."""
    return _solve(fed, build(fed, PairProgram), start)


def solve_union(
    fed: Federation, program: UnionProgram | None = None, start: Floats | None = None
) -> Solution | UnreachableRow:
    """Solve the union program, for the expected objective with ever better thresholds."""
    if fed.objective == "pac":
        return _solve(fed, program or build(fed, UnionProgram), start)
    program = program or UnionProgram(fed)
    solution, theta = _solve(fed, program, start), program.theta.copy()
    while not isinstance(solution, UnreachableRow) and program.improve_theta(solution.m):
        better = _solve(fed, program, None)
        if isinstance(better, UnreachableRow) or better.value >= solution.value * (1 - 1e-6):
            program.theta = theta
            break
        solution, theta = better, program.theta.copy()
    return solution
