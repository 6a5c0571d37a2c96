"""Plans from pairwise rates alone: solve, round with a proof, drop what is not needed.

Each method starts from the one before it, so that ``union`` never costs more than ``lp``, nor ``tree`` more
than ``union``: ``lp`` is the paper's program, ``union`` the cheaper of its plan and of the union program's,
``tree`` that plan with every sample dropped that Hunter-Worsley proves to be unneeded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.planning.certificates import Certificate, prove_by_pairs, prove_by_tree, prove_by_union
from fedpact.planning.covering import CoveringProgram, Solution, UnreachableRow
from fedpact.planning.lower_bound import unreachable
from fedpact.planning.pairs import PairProgram
from fedpact.planning.rounding import capacities, polish, round_up
from fedpact.planning.union import UnionProgram

PROOFS = {
    "lp": "the paper's constraints: every bad pair is missed with probability delta / H at most",
    "union": "the union bound: for every truth the miss probabilities sum to delta at most",
    "tree": "Hunter-Worsley: that sum, less a spanning tree of pairwise intersections, is delta at most",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draft:
    """A proved integer vector with the fractional solution it came from."""

    m: NDArray[np.int64]
    solution: Solution | None
    proved_by: str


def draft(fed: Federation, method: str, start: NDArray[np.float64] | None = None) -> Draft:
    """Plan by "lp", "union" or "tree"; ``start`` (k,) is the fractional solution of a similar federation.

    Raises
    ------
    NoPlanFoundError
        If the capacities leave the method no plan, although there may be one.
    """
    paper = solve_pairs(fed, start)
    best = _round(fed, paper, prove_by_pairs(fed))
    if method == "lp":
        return _conclude(fed, method, best, paper)
    union = solve_union(fed, UnionProgram(fed), start)
    by_union = prove_by_union(fed)
    plans = [_round(fed, union, by_union), None if best is None else polish(fed, best, by_union)]
    best = min((m for m in plans if m is not None), key=fed.cost_of, default=None)
    if method == "tree" and best is not None:
        best = polish(fed, best, prove_by_tree(fed))
    return _conclude(fed, method, best, union)


def _round(fed: Federation, solution: Solution | UnreachableRow, proves: Certificate) -> NDArray[np.int64] | None:
    """Cheap integer vector near a solution; None if the capacities leave none that can be proved."""
    m = None if isinstance(solution, UnreachableRow) else round_up(fed, solution.m, proves)
    return None if m is None else polish(fed, m, proves)


def _conclude(
    fed: Federation, method: str, m: NDArray[np.int64] | None, solution: Solution | UnreachableRow
) -> Draft:
    if m is not None:
        found = None if isinstance(solution, UnreachableRow) else solution
        return Draft(m=m, solution=found, proved_by=PROOFS[method])
    row = solution.row if isinstance(solution, UnreachableRow) else solution.rows[int(solution.duals.argmax())]
    raise unreachable(
        fed, row.requirement, row.pair, f"method {method!r} finds no plan, though method 'exact' may"
    ) from None


def _solve(
    fed: Federation, program: PairProgram | UnionProgram, start: NDArray[np.float64] | None
) -> Solution | UnreachableRow:
    """Solve a program, or say which row the capacities leave no way to meet."""
    try:
        return CoveringProgram([agent.cost for agent in fed.agents], capacities(fed)).solve(program, start)
    except UnreachableRow as blocked:
        return blocked


def solve_pairs(fed: Federation, start: NDArray[np.float64] | None = None) -> Solution | UnreachableRow:
    """Solve the paper's program."""
    return _solve(fed, PairProgram(fed), start)


def solve_union(
    fed: Federation, program: UnionProgram, start: NDArray[np.float64] | None = None
) -> Solution | UnreachableRow:
    """Solve the union program, for the expected objective with ever better thresholds."""
    solution = _solve(fed, program, start)
    while (
        fed.objective == "expected"
        and not isinstance(solution, UnreachableRow)
        and program.improve_theta(solution.m)
    ):
        better = _solve(fed, program, None)
        if isinstance(better, UnreachableRow) or better.value >= solution.value * (1 - 1e-6):
            break
        solution = better
    return solution
