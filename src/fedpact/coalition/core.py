"""The core and the least core, by row generation.

A split x of v(N) is in the core if no group would do better by leaving: x(S) <= v(S) for every S. Where that is
too much to ask, or more than needed, the least core has the smallest possible e:

    minimise e   subject to   x(S) <= v(S) + e  for every group S but N,   x(N) = v(N).

A positive e is what leaving must cost at least for some split to be stable (the core is empty); with a negative e
every group loses -e or more by leaving. Groups without a plan have no row. Where they are many, e may have no
lower end (an agent whom no group can do without could be paid ever more); then e >= 0 is asked for.

Few rows bind: solve, look for violated groups (:mod:`fedpact.coalition.groups`), add them, solve again. The rows
are plans that exist, so an empty core is certain as soon as the rows so far show it, if v(N) is the optimum.

Of the points that reach e the one closest to the equal split is taken. It is unique, so agents that are alike in v
pay the same. It solves a least-distance problem, min |z| subject to G z >= h, whose dual is a non-negative least
squares problem (Lawson and Hanson): with y >= 0 minimising |E y - f| for E = (G', h') and f = (0, ..., 0, 1), and
r = E y - f, z = -r_1..k / r_{k+1}. G is projected on the vectors that sum to zero, so z keeps the total. The
optimal points may have no interior, so h is first a little less than it should be, and then the rows that bind are
solved as equations.

Rule ``core`` has the same program with e >= 0: the most equal of the splits that no group would leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import highspy
import numpy as np
from scipy.optimize import nnls

from fedpact.coalition.cost_game import CostGame, Members, Split
from fedpact.coalition.groups import GroupSearch
from fedpact.describe.arrays import Bools, Floats
from fedpact.errors import InfeasibleError, SolverError

_INFINITY = highspy.kHighsInf
# The solver's tolerance, and by how much the closest point may miss e; both well below the game's TOL.
_SOLVER_TOL = 1e-10
_SLACK = 1e-8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Optimum:
    x: Floats
    e: float
    weights: Floats
    """(R,) duals of the groups' rows: a balanced collection, up to a factor, that proves e."""


def _solve(k: int, groups: Sequence[Members], limits: Floats, total: float, floor: float) -> _Optimum | None:
    """Minimise e >= ``floor`` with x(S) <= limit + e and x(N) = total; None if e has no lower end."""
    highs = highspy.Highs()
    for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
        highs.setOptionValue(option, value)
    for option in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        highs.setOptionValue(option, _SOLVER_TOL)
    highs.addVars(k + 1, np.array([*[-_INFINITY] * k, floor]), np.full(k + 1, _INFINITY))
    highs.changeColCost(k, 1.0)
    highs.addRow(total, total, k, np.arange(k, dtype=np.int32), np.ones(k))
    for group, limit in zip(groups, limits, strict=True):
        columns = np.array([*group, k], dtype=np.int32)
        highs.addRow(-_INFINITY, float(limit), len(columns), columns, np.array([*[1.0] * len(group), -1.0]))
    highs.run()
    status = highs.getModelStatus()
    if status in (highspy.HighsModelStatus.kUnbounded, highspy.HighsModelStatus.kUnboundedOrInfeasible):
        return None  # never infeasible: e can be as large as it takes
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError("the least core has no solution", solver_status=highs.modelStatusToString(status))
    solution = highs.getSolution()
    values = np.array(solution.col_value)
    return _Optimum(x=values[:k], e=float(values[k]), weights=-np.array(solution.row_dual)[1:])


def _closest_to_equal(k: int, groups: Sequence[Members], limits: Floats, slack: float) -> Floats:
    """(k,) the point of x(S) <= limit, x(N) = 1 that is closest to the equal split, give or take ``slack``."""
    inside = np.array([[place in group for place in range(k)] for group in groups]).reshape(-1, k) * 1.0
    short = inside.mean(axis=1) - limits
    unit = short.max(initial=0.0)
    if unit <= slack:
        return np.full(k, 1 / k)
    G = inside.mean(axis=1, keepdims=True) - inside
    z, binding = _least_distance(G, (short - slack) / unit)
    exact = np.linalg.lstsq(G[binding], short[binding], rcond=None)[0]
    return np.asarray(1 / k + (exact if (G @ exact >= short - slack).all() else unit * z))


def _least_distance(G: Floats, h: Floats) -> tuple[Floats, Bools]:
    """(k,) the shortest z with G z >= h, and which rows hold it there."""
    E = np.vstack([G.T, h])
    f = np.array([*[0.0] * G.shape[1], 1.0])
    try:
        y, _ = nnls(E, f, maxiter=100 * len(G) + 100)
    except RuntimeError as error:
        raise SolverError("the split closest to equal was not found", solver_status=str(error)) from None
    residual = E @ y - f
    z = -residual[:-1] / residual[-1]
    return z - z.mean(), y > 0


class _CoreProgram:
    """The least core over the groups so far; grows by groups that its solution asks too much of."""

    def __init__(self, search: GroupSearch) -> None:
        self.game, self.search = search.game, search
        self.groups: list[Members] = []

    def solve(self, floor: float = -_INFINITY) -> Split:
        """Find the split with the least e >= ``floor`` (in units of v(N)) that is closest to equal."""
        game, k = self.game, self.game.fed.k
        while True:
            limits = np.array([game.value(group).cost for group in self.groups]) / game.total
            best = _solve(k, self.groups, limits, 1.0, floor)
            if best is None:
                ray = _solve(k, self.groups, np.zeros(len(self.groups)), 0.0, -1.0)
                assert ray is not None, "e has a lower end of -1"
                if self.add(self.search.find_usable(ray.x, most=k)):
                    continue  # these groups keep e from falling without end
                return Split(x=self.solve(floor=0.0).x)
            slack = _SLACK * max(1.0, abs(best.e))
            x = _closest_to_equal(k, self.groups, limits + best.e, slack) * game.total
            new = self.search.find_better_off(x, best.e * game.total, most=k)
            if not self.add(new):
                return Split(x=x, e=best.e * game.total)

    def witness(self) -> list[Members]:
        """Give the groups that together show why e cannot be less, weightiest first."""
        limits = np.array([self.game.value(group).cost for group in self.groups]) / self.game.total
        best = _solve(self.game.fed.k, self.groups, limits, 1.0, 0.0)
        assert best is not None, "e has a lower end of 0"
        order = np.argsort(-best.weights, kind="stable")
        return [self.groups[at] for at in order if best.weights[at] > 1e-9]

    def add(self, groups: Iterable[Members]) -> bool:
        """Add rows for groups that have a plan and no row yet; whether there were any."""
        before = len(self.groups)
        for group in groups:
            if group not in self.groups and self.game.value(group).cost < np.inf:
                self.groups.append(group)
        return len(self.groups) > before


def _empty_core(game: CostGame, witness: list[Members], e: float) -> InfeasibleError:
    groups = [" with ".join(map(repr, game.names(group))) for group in witness]
    shown = "; ".join(groups[:4]) + (f"; and {len(groups) - 4} more" if len(groups) > 4 else "")
    how_sure = "" if game.value(game.everyone).is_proved else " as far as the plans found go"
    return InfeasibleError(
        f"the core is empty{how_sure}: however the cost is split, one of these groups would do better by leaving: "
        f"{shown}; rule 'least-core' gives a split by whose leaving no group saves more than {e:.6g}",
        agents=game.names(witness[0]),
    )


def find_least_core(search: GroupSearch) -> Split:
    """Find the split of v(N) with the least e, of those the one closest to equal."""
    program, everyone = _CoreProgram(search), search.game.everyone
    if len(everyone) > 1:  # each agent alone, and all agents but one, mostly give e a lower end
        program.add(combinations(everyone, 1))
        program.add(combinations(everyone, len(everyone) - 1))
    return program.solve()


def find_core(search: GroupSearch) -> Split:
    """Find the split of v(N) that no group would leave and that is closest to equal.

    Raises
    ------
    InfeasibleError
        If the core is empty; names groups of which one would leave whatever the split.
    """
    program = _CoreProgram(search)
    point = program.solve(floor=0.0)
    if point.e is not None and point.e > search.game.tol:
        raise _empty_core(search.game, program.witness(), point.e)
    return Split(x=point.x)
