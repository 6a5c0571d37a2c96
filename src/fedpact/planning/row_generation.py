"""Covering programs by row and column generation.

    minimise  sum_j c_j(m_j)    subject to  sum_j a_rj m_j >= b_r  for every row r,    floor_j <= m_j <= capacity_j

with all a_rj >= 0; the floor is zero, or what is contributed already. Of millions of rows only about k bind:
solve, ask the caller for rows that the solution violates, add them, solve again from the last basis; rows are only
ever added. With many agents columns are generated too: who has contributed is there from the start, another agent
enters when its reduced cost is negative. Because every coefficient is non-negative, a program is feasible exactly
if every row holds with everybody at capacity, so each row brings along agents enough to satisfy it.

Convex costs are epigraphs: t_j >= tangent of c_j, with new tangents where the solution lies below the curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import highspy
import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Floats, Ints, Places
from fedpact.describe.costs import Cost, Linear
from fedpact.errors import SolverError

TOL = 1e-9
COST_TOL = 1e-6
"""How far below its curve a cost may stay, relative to the cost; well above the solver's own tolerance."""
MANY_AGENTS = 2_000
_NEW_COLUMNS = 200
_SAME = 1e-9
_SAME_DIGITS = 2.0**36
_SMALL = 1e-3
_SPAN = 1e-14
_PLENTY = 2.0**50
_INFINITY = highspy.kHighsInf
_SOLVED = (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kModelEmpty)


def find_largest(values: Floats) -> Places:
    """Find the first along the last axis that is the largest but for rounding, so that processors agree on it."""
    return np.asarray((values >= values.max(axis=-1, keepdims=True) - _SAME).argmax(axis=-1))


def order_from_largest(values: Floats) -> Places:
    """Order from the largest on, those that differ by rounding as they come."""
    return np.argsort(-np.round(values, 9), kind="stable")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row:
    """One constraint sum_j a_j m_j >= b, with what it stands for."""

    a: Floats
    """(k,)"""
    b: float
    truth: int
    """The truth that the row protects against."""
    hypotheses: Places
    """Hypotheses that must be eliminated."""
    weights: Floats
    """How much each of them counts, summing to one."""
    requirement: int
    """Whose target the row serves."""

    @property
    def pair(self) -> tuple[int, int]:
        """The truth and the hypothesis that counts most."""
        return self.truth, int(self.hypotheses[find_largest(self.weights)])


def row_of_pair(a: Floats, b: float, truth: int, hypothesis: int, requirement: int) -> Row:
    """Make the row that eliminates one hypothesis."""
    only, whole = np.array([hypothesis]), np.ones(1)
    return Row(a=a, b=b, truth=truth, hypotheses=only, weights=whole, requirement=requirement)


class Separator(Protocol):
    """Finds rows that ``m`` violates; none means that ``m`` satisfies the whole program."""

    def __call__(self, m: Floats, /) -> Sequence[Row]:
        """Rows that ``m`` violates."""
        ...


class UnreachableRow(Exception):  # noqa: N818
    """A row that not even everybody at capacity satisfies; never leaves the planning package."""

    def __init__(self, row: Row) -> None:
        self.row = row
        super().__init__()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """Optimum of a covering program, with the rows that were generated and their duals."""

    m: Floats
    """(k,)"""
    value: float
    rows: tuple[Row, ...]
    duals: Floats
    """(R,) what one more unit on the right-hand side costs."""


class CoveringProgram:
    """A restricted covering program that grows by rows and columns."""

    def __init__(self, costs: Sequence[Cost], capacity: Floats, floor: Ints | None = None) -> None:
        self.costs, self.capacity = tuple(costs), capacity
        self.floor = np.zeros(len(costs)) if floor is None else floor.astype(np.float64)
        self._sunk = float(sum(self.costs[j](self.floor[j]) for j in np.flatnonzero(self.floor)))
        self.rows: list[Row] = []
        self._seen: set[bytes] = set()
        self._places: list[int] = []
        self._units: list[float] = []
        self._column = np.full(len(costs), -1)
        self._epigraph: dict[int, int] = {}
        self._highs = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
            self._highs.setOptionValue(option, value)
        # So that the solver's gaps are shares of what is left to pay.
        self._highs.changeObjectiveOffset(-self._sunk)
        self._slope_at_zero = np.array([cost.tangent(0.0)[0] for cost in costs])
        first = np.arange(len(costs)) if len(costs) <= MANY_AGENTS else np.flatnonzero(self.floor)
        self._add_columns(first)

    @property
    def has_all_columns(self) -> bool:
        """Whether every agent has entered."""
        return bool((self._column >= 0).all())

    def solve(self, separate: Separator, start: Floats | None = None) -> Solution:
        """Solve to the end: no violated row, no profitable column, no cost below its curve.

        ``start`` (k,) is the solution of a similar program: the rows that it violates are added first.
        """
        self._add_new(separate(start) if start is not None else ())
        while True:
            m, value, duals = self._solve_restricted()
            if not self._add_new(separate(m)):
                return Solution(m=m, value=value, rows=tuple(self.rows), duals=duals)

    def set_rate(self, agent: int, rate: float) -> None:
        """Let an agent of linear cost charge another rate; the rows so far stay valid."""
        self.costs = (*self.costs[:agent], Linear(rate), *self.costs[agent + 1 :])
        self._slope_at_zero[agent] = rate
        if self._column[agent] >= 0:
            self._highs.changeColCost(int(self._column[agent]), rate)

    def value_in_box(self, low: Floats, high: Floats) -> float:
        """Optimum over the rows so far with ``low`` <= m <= ``high``; infinite if there is none."""
        agents = np.flatnonzero(self._column >= 0)
        columns = self._column[agents].astype(np.int32)
        caps = self.capacity[agents]
        self._highs.changeColsBounds(len(columns), columns, low[agents], np.minimum(high[agents], caps))
        try:
            self._highs.run()
            status = self._highs.getModelStatus()
            value = float(self._highs.getInfo().objective_function_value)
        finally:  # an interrupt must not leave the box behind
            self._highs.changeColsBounds(len(columns), columns, self.floor[agents], caps)
        if status == highspy.HighsModelStatus.kInfeasible:
            return np.inf
        return self._sunk + (value if status == highspy.HighsModelStatus.kOptimal else 0.0)

    def integer_bound(self, separate: Separator, *, seconds: float, nodes: int, rounds: int) -> float:
        """Proven lower bound with whole m, generating rows for the integer solutions too; needs all columns."""
        agents = np.flatnonzero(self._column >= 0)
        columns = self._column[agents].astype(np.int32)
        self._set_kind(columns, highspy.HighsVarType.kInteger)
        for option, value in (("time_limit", seconds), ("mip_max_nodes", nodes)):
            self._highs.setOptionValue(option, value)
        best = 0.0
        for _ in range(rounds):
            self._highs.run()
            best = max(best, float(self._highs.getInfo().mip_dual_bound))
            if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                break
            m = np.zeros(len(self.costs))
            m[agents] = np.rint(np.array(self._highs.getSolution().col_value)[columns])
            if not self._add_new(separate(m)):
                break
        self._set_kind(columns, highspy.HighsVarType.kContinuous)
        self._highs.setOptionValue("time_limit", _INFINITY)
        return self._sunk + best

    def _set_kind(self, columns: NDArray[np.int32], kind: highspy.HighsVarType) -> None:
        self._highs.changeColsIntegrality(len(columns), columns, np.full(len(columns), kind))

    def _solve_restricted(self) -> tuple[Floats, float, Floats]:
        before = np.empty(0)
        while True:
            status = self._run()
            if status not in _SOLVED:
                raise SolverError(
                    "the covering program stopped without an optimum",
                    solver_status=self._highs.modelStatusToString(status),
                )
            solution = self._highs.getSolution()
            values, row_duals = np.array(solution.col_value), np.array(solution.row_dual)
            m = np.zeros(len(self.costs))
            inside = np.flatnonzero(self._column >= 0)
            m[inside] = np.clip(values[self._column[inside]], self.floor[inside], self.capacity[inside])
            duals = np.maximum(row_duals[self._places], 0.0) / self._units if self.rows else np.zeros(0)
            is_refined = self._refine_costs(m, values)
            if not is_refined and not self._price_columns(duals):
                return m, self._sunk + float(self._highs.getInfo().objective_function_value), duals
            if is_refined and np.array_equal(values, before):
                raise SolverError(
                    "the covering program does not come to an end", solver_status="the costs are too large for it"
                )
            before = values

    def _run(self) -> highspy.HighsModelStatus:
        """Solve from the last basis, and if rounding led that astray once more from scratch."""
        self._highs.run()
        if self._highs.getModelStatus() not in _SOLVED:
            self._highs.clearSolver()
            self._highs.run()
        return self._highs.getModelStatus()

    def _refine_costs(self, m: Floats, values: Floats) -> bool:
        """Add tangents where the solution pays less than the curve asks."""
        short = [
            agent
            for agent, place in self._epigraph.items()
            if values[place] < (due := float(self.costs[agent](m[agent]))) - COST_TOL * max(1.0, due)
        ]
        for agent in short:
            self._add_tangent(agent, m[agent])
        return bool(short)

    def _price_columns(self, duals: Floats) -> bool:
        """Add the agents outside with the most negative reduced cost."""
        outside = np.flatnonzero(self._column < 0)
        if not len(outside) or not self.rows:
            return False
        worth = np.zeros(len(self.costs))
        for place in np.flatnonzero(duals):
            worth += duals[place] * self.rows[place].a
        reduced = self._slope_at_zero[outside] - worth[outside]
        good = np.flatnonzero(reduced < -TOL)
        chosen = outside[good[np.argsort(reduced[good], kind="stable")[:_NEW_COLUMNS]]]
        self._add_columns(np.sort(chosen))
        return bool(len(chosen))

    def _add_new(self, rows: Sequence[Row]) -> bool:
        """Add rows, of those that differ by rounding (as of symmetric truths) the first; whether any was new."""
        before = len(self.rows)
        for row in rows:
            fraction, exponent = np.frexp(np.append(row.a, row.b))
            key = np.rint(fraction * _SAME_DIGITS).tobytes() + exponent.tobytes()
            if key not in self._seen:
                self._seen.add(key)
                self._add_row(row)
        return len(self.rows) > before

    def _add_row(self, row: Row) -> None:
        unit = self._unit(row)
        outside = np.flatnonzero((self._column < 0) & (row.a > 0))
        if len(outside):
            self._add_columns(self._cheapest_cover(row, outside))
        inside = np.flatnonzero(self._column >= 0)
        inside = inside[row.a[inside] > 0]
        self._places.append(self._highs.getNumRow())
        self.rows.append(row)
        self._units.append(unit)
        columns = self._column[inside].astype(np.int32)
        self._highs.addRow(row.b / unit, _INFINITY, len(inside), columns, row.a[inside] / unit)

    def _unit(self, row: Row) -> float:
        """Return what a row is divided by, so that the solver does not take a coefficient that it needs for zero.

        Where the agents of large coefficients are at capacity too soon, that is a smaller one. A coefficient that
        is smaller by ``_SPAN`` is none, nor is one too small for ``_PLENTY`` samples: its agent would have to give
        more than anybody ever can.
        """
        most = np.multiply(row.a, self.capacity, out=np.zeros(len(row.a)), where=row.a > 0)
        order = np.argsort(-row.a, kind="stable")
        reached = np.cumsum(np.minimum(most, row.b)[order]) >= row.b * (1 - TOL)
        needed = float(row.a[order[reached.argmax()]])
        if not reached.any() or needed < max(_SPAN * row.a.max(), row.b / _PLENTY):
            raise UnreachableRow(row)
        return needed if needed < _SMALL else 1.0

    def _cheapest_cover(self, row: Row, outside: Places) -> Places:
        """Agents outside, best value first, until the row can hold."""
        most = np.minimum(self.capacity, row.b / np.maximum(row.a, 1e-300))
        reach = np.where(self._column >= 0, row.a * most, 0.0)
        price = self._slope_at_zero[outside] / row.a[outside]
        few = np.argpartition(price, min(_NEW_COLUMNS, len(price) - 1))[:_NEW_COLUMNS]
        for some in (few, np.arange(len(price))):
            order = outside[some[np.argsort(price[some], kind="stable")]]
            gain = np.cumsum(np.minimum(row.a[order] * self.capacity[order], row.b))
            if reach.sum() + gain[-1] >= row.b:
                break
        count = int(np.searchsorted(gain, row.b - reach.sum())) + 1 if reach.sum() < row.b else 1
        return np.sort(order[:count])

    def _add_columns(self, agents: Places) -> None:
        for agent in agents:
            self._column[agent] = self._highs.getNumCol()
            values = np.array([row.a[agent] for row in self.rows]) / np.array(self._units)
            where = np.array(self._places, dtype=np.int32)[values > 0]
            cost = self.costs[agent]
            price = cost.rate if isinstance(cost, Linear) else 0.0
            bounds = float(self.floor[agent]), float(self.capacity[agent])
            self._highs.addCol(price, *bounds, len(where), where, values[values > 0])
            if not isinstance(cost, Linear):
                self._epigraph[int(agent)] = self._highs.getNumCol()
                self._highs.addCol(1.0, 0.0, _INFINITY, 0, np.empty(0, dtype=np.int32), np.empty(0))
                for at in sorted({*cost.kinks, bounds[0]}):
                    self._add_tangent(int(agent), at)

    def _add_tangent(self, agent: int, at: float) -> None:
        slope, intercept = self.costs[agent].tangent(at)
        places = np.array([self._epigraph[agent], self._column[agent]], dtype=np.int32)
        self._highs.addRow(intercept, _INFINITY, 2, places, np.array([1.0, -slope]))
