"""Threshold payments: what every sample could have cost at most and still been bought.

The paper takes the costs c_i as known. Where agents report them too, paying what was reported invites a higher
report. Let m(c) minimise sum_j c_j m_j over a set that does not depend on the costs. For two costs t < t' of
agent i, the others' fixed, optimality of m(t) and of m(t') gives (t - t')(m_i(t) - m_i(t')) <= 0: **m_i does
not increase in c_i**, whichever optimum is taken where there are several. So Myerson's payment

    P_i = c_i n_i(c_i) + integral over t from c_i to the ceiling of n_i(t) dt,    n_i(t) = m_i(t) rounded up,

makes the true cost a best report whatever the others report. Rounding up keeps the monotonicity and, every
coefficient of the program being non-negative, the targets (a whole number that the solver misses by its noise
counts as reached; the union bound behind the program has more slack than that); dropping samples afterwards, as
``plan`` does, would not. The set is that of the paper's program (:mod:`fedpact.planning.pair_lp`), which depends
on the reported data alone.

V(t), the optimum as agent i's cost varies, is concave and piecewise linear with slope m_i(t). Its breakpoints
are found without a grid: two lines that touch V are cut, and where V lies below the cut a new line is there, on
which the same is done with both halves (Eisner and Severance, 1976).

An agent without whom the program has no solution is bought at any cost: it has no threshold, and a ceiling on
what a sample may cost has to be declared before reports are taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Linear
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.errors import RuleError
from fedpact.mechanism.payment.rule import (
    Case,
    Payment,
    PlanningRule,
    Terms,
    Truthful,
    check_linear_costs,
)
from fedpact.planning.cost_units import rescale_costs
from fedpact.planning.infeasible import unreachable
from fedpact.planning.pair_lp import PairProgram
from fedpact.planning.rounding import capacities
from fedpact.planning.row_generation import CoveringProgram, UnreachableRow

_SNAP = 1e-7
_TOL = 1e-9


@dataclass(frozen=True, slots=True)
class Line:
    """A line that touches V: its value at cost zero of the agent, and its slope m_i."""

    start: float
    slope: float

    def at(self, t: float) -> float:
        """Value at cost ``t``."""
        return self.start + self.slope * t

    def meets(self, other: Line) -> float:
        """Where a steeper line meets a flatter one."""
        return (other.start - self.start) / (self.slope - other.slope)


@dataclass(frozen=True, slots=True)
class Step:
    """Up to which cost per sample an agent is asked for how many samples."""

    upto: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Thresholds:
    """Contributions that do not increase in the own cost, and what is paid for them."""

    m: NDArray[np.int64]
    """(k,)"""
    payments: NDArray[np.float64]
    """(k,)"""
    steps: tuple[tuple[Step, ...], ...]
    """For every agent, how many samples it is asked for as its cost rises from what it reported."""


class _Optimum:
    """V: the optimum of the paper's program as a function of one agent's cost per sample."""

    def __init__(self, fed: Federation) -> None:
        self.fed = fed
        self.rates = np.array([agent.cost.rate for agent in fed.agents if isinstance(agent.cost, Linear)])
        self._program = CoveringProgram([agent.cost for agent in fed.agents], capacities(fed))
        self._separate = PairProgram(fed)
        self.solution = self._program.solve(self._separate)

    def first_line(self, agent: int) -> Line:
        """Line that touches V at the agent's own cost, with the solution's own slope."""
        slope = float(self.solution.m[agent])
        return Line(self.solution.value - slope * self.rates[agent], slope)

    def touch(self, agent: int, t: float) -> Line:
        """Line that touches V at cost ``t``."""
        self._program.set_rate(agent, t)
        found = self._program.solve(self._separate)
        self._program.set_rate(agent, self.rates[agent])
        slope = float(found.m[agent])
        return Line(found.value - slope * t, slope)

    def without(self, agent: int) -> Line:
        """V where the agent is not asked for anything."""
        most = capacities(self.fed)
        most[agent] = 0.0
        program = CoveringProgram([other.cost for other in self.fed.agents], most)
        return Line(program.solve(PairProgram(self.fed)).value, 0.0)

    def lines(self, agent: int, low: float, first: Line, high: float, last: Line) -> list[tuple[float, Line]]:
        """Lines that V consists of from ``first`` to ``last``, each with the cost at which the next takes over."""
        if first.slope - last.slope <= _SNAP:
            return [(high, first)]
        cut = min(max(first.meets(last), low), high)
        between = self.touch(agent, cut)
        is_corner = between.at(cut) >= first.at(cut) - _TOL * max(1.0, abs(first.at(cut)))
        if is_corner or cut in (low, high):
            return [(cut, first), (high, last)]
        before = self.lines(agent, low, first, cut, between)
        return before[:-1] + self.lines(agent, cut, between, high, last)


def _round_up(m_fractional: float) -> int:
    """Whole number of samples; what is within the solver's noise of one counts as it."""
    return math.ceil(m_fractional - _SNAP)


def _steps(optimum: _Optimum, agent: int, ceiling: float) -> tuple[Step, ...]:
    """How many samples the agent is asked for at costs from its own to the ceiling."""
    low, first = float(optimum.rates[agent]), optimum.first_line(agent)
    try:
        last = optimum.without(agent) if math.isinf(ceiling) else optimum.touch(agent, ceiling)
    except UnreachableRow:
        raise RuleError(
            f"agent {optimum.fed.names[agent]!r} is indispensable: no plan does without it, so no cost is "
            f"too high for it and it has no finite threshold; declare a ceiling on the cost per sample",
            code="indispensable",
            agents=(optimum.fed.names[agent],),
        ) from None
    lines = optimum.lines(agent, low, first, ceiling, last)
    return tuple(Step(float(upto), _round_up(line.slope)) for upto, line in lines)


def _pay(rate: float, steps: tuple[Step, ...]) -> float:
    """Pay for every sample of the first step the highest cost at which it would still be asked for."""
    total, start = rate * steps[0].count, rate
    for step in steps:
        total += (step.upto - start) * step.count if step.count else 0.0
        start = step.upto
    return total


@memoized
def find_thresholds(fed: Federation, ceiling: tuple[float, ...] | None = None) -> Thresholds:
    """Contributions of the paper's program, rounded up, and threshold payments for them.

    ``ceiling`` is the most that a sample of each agent may cost; infinite where there is none.

    Examples
    --------
    Two sites of the same data: the cheap one does all the work, and is paid what the other would have cost.

    >>> fed = Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]] * 2, cost=[1, 3], epsilon=0.1, delta=0.25)
    >>> found = find_thresholds(fed)
    >>> found.m.tolist(), found.payments.round(6).tolist()
    ([3, 0], [9.0, 0.0])
    """
    check_linear_costs(fed, "costs under rule 'threshold'", "; use rule 'pwyc'")
    scaled, unit = rescale_costs(fed)
    with np.errstate(over="ignore"):  # a ceiling beyond all numbers is none
        ceilings = np.full(fed.k, np.inf) if ceiling is None else np.array(ceiling) / unit
    try:
        optimum = _Optimum(scaled)
    except UnreachableRow as blocked:
        raise unreachable(fed, blocked.row.requirement, blocked.row.pair, "lp") from None
    m = np.array([_round_up(share) for share in optimum.solution.m.tolist()], dtype=np.int64)
    steps = tuple(
        _steps(optimum, agent, float(ceilings[agent])) if m[agent] else (Step(float(ceilings[agent]), 0),)
        for agent in range(fed.k)
    )
    paid = [_pay(float(rate), some) for rate, some in zip(optimum.rates, steps, strict=True)]
    return Thresholds(
        m=m,
        payments=np.array(paid) * unit,
        steps=tuple(tuple(Step(step.upto * unit, step.count) for step in some) for some in steps),
    )


def _thresholds_of(fed: Federation, terms: Terms) -> Thresholds:
    return find_thresholds(fed, None if terms.ceiling is None else tuple(terms.ceiling.tolist()))


@final
class Threshold(PlanningRule):
    """For every sample, the highest cost at which it would still have been asked for."""

    in_data = Truthful.NO
    in_costs = Truthful.DOMINANT
    terms = ("ceiling",)
    private = "costs"

    def contribute(self, fed: Federation, terms: Terms) -> NDArray[np.int64]:
        """Contributions of the paper's program, rounded up."""
        return _thresholds_of(fed, terms).m

    def quota_costs(self, fed: Federation, terms: Terms) -> list[list[float]]:
        """Costs at which the steps of each agent end."""
        steps = _thresholds_of(fed, terms).steps
        return [[step.upto for step in some if math.isfinite(step.upto)] for some in steps]

    def pay(self, case: Case, agent: int) -> Payment:
        """Pay each sample its threshold."""
        return Payment(float(_thresholds_of(case.fed, case.terms).payments[agent]), 0.0)
