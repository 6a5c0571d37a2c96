"""What no plan can undercut: the integer program that every plan satisfies.

Every vector that meets the targets misses each bad pair with probability delta at most
(:mod:`fedpact.planning.pair_lp`), so the cheapest integer vector that does so costs no more than the optimum. With
noise, pairs that are far apart have a second row (:mod:`fedpact.statistics.label_noise`). Rows are generated for
the fractional program first, then for the integer one: solve, look for violated pairs, add, solve.
"""

from __future__ import annotations

import math

import numpy as np

from fedpact.describe.arrays import Ints
from fedpact.describe.federation import Federation
from fedpact.errors import InfeasibleError
from fedpact.planning.certificates import AllOf
from fedpact.planning.cost_units import rescale_costs
from fedpact.planning.infeasible import unreachable
from fedpact.planning.pair_lp import PairProgram
from fedpact.planning.result import BoundBy
from fedpact.planning.rounding import capacities
from fedpact.planning.row_generation import CoveringProgram, Separator, Solution, UnreachableRow
from fedpact.statistics.request import least_of, teacher_of

_MANY_AGENTS = 200
# The nodes are what ends the integer search, so that it ends the same way every time.
_NODES = 500
_ROUNDS = 50
_SECONDS = 10.0


class LowerBound:
    """The program from below, for the whole space or for a box of it."""

    def __init__(self, fed: Federation) -> None:
        self.fed = fed
        without = PairProgram(fed, is_bound=True)
        self.pairs: Separator = without
        if fed.noise is not None and teacher_of(fed) is None:
            self.pairs = AllOf([PairProgram(fed, is_bound=True, by_noise=True), without])
        self.program = CoveringProgram([agent.cost for agent in fed.agents], capacities(fed), least_of(fed))
        try:
            self.fractional: Solution = self.program.solve(self.pairs)
        except UnreachableRow as blocked:
            raise unreachable(fed, blocked.row.requirement, blocked.row.pair) from None

    def in_box(self, low: Ints, high: Ints) -> float:
        """Cost of the fractional program in a box; infinite if no point of the box satisfies it."""
        return self.program.value_in_box(low.astype(np.float64), high.astype(np.float64))

    def best(self) -> tuple[float, BoundBy]:
        """Proven lower bound of the integer program, or of its relaxation if the agents are many; and which."""
        if self.fed.k > _MANY_AGENTS or not self.program.has_all_columns:
            return self.fractional.value, BoundBy.PAIRS
        found = self.program.integer_bound(self.pairs, seconds=_SECONDS, nodes=_NODES, rounds=_ROUNDS)
        return max(found, self.fractional.value), BoundBy.INTEGER_PAIRS


def bound_below(fed: Federation) -> float:
    """Cost that no plan undercuts, from the program over single pairs; infinite if that has no solution."""
    scaled, unit = rescale_costs(fed)
    try:
        return LowerBound(scaled).fractional.value * unit
    except InfeasibleError:
        return math.inf
