"""What the targets cost at the margin.

The duals of the union program (:mod:`fedpact.planning.union`) price its constraints, before rounding:

- *delta*: every row asks for log(1/delta) plus something that does not depend on delta, so the cost rises by
  the sum of the duals when delta falls by a factor of e.
- *epsilon_i*, pac: which hypotheses are bad changes in steps. The price is that of the next step: epsilon_i is
  raised to the least rate at which a hypothesis leaves the rows that bind for agent i, and the program is
  solved again from the last solution.
- *epsilon_i*, expected: a row's right-hand side falls by 1 / (epsilon_i - theta_i) per unit of epsilon_i, so
  the price is the sum of dual / (epsilon_i - theta_i) over agent i's rows.

An agent none of whose rows binds has price zero: a larger epsilon_i would save nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Floats
from fedpact.describe.federation import Federation
from fedpact.describe.progress import Progress, count_done
from fedpact.describe.settings import Assumed, Guarantee, Objective
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError
from fedpact.planning.cost_units import rescale_costs
from fedpact.planning.draft import solve_union
from fedpact.planning.infeasible import unreachable
from fedpact.planning.lower_bound import LowerBound
from fedpact.planning.row_generation import Row, Solution, UnreachableRow
from fedpact.planning.union import UnionProgram
from fedpact.result import Result
from fedpact.statistics.per_agent_split import is_split
from fedpact.statistics.rates import rates_of
from fedpact.statistics.request import ask
from fedpact.statistics.weights import JOINT

_BINDS = 1e-9
_COUNTS = 1e-6
_NOTHING = 1e-5
_NOTHING_BINDS = Solution(m=np.zeros(0), value=0.0, rows=(), duals=np.zeros(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class EpsilonPrice:
    """What one agent's tolerance costs at the margin."""

    epsilon: float
    share: float
    """Share of the fractional cost that this agent's rows are there for."""
    next_epsilon: float | None
    """Least larger epsilon at which a hypothesis leaves the rows that bind, which may save nothing by itself; None
    if nothing binds, or for the expected objective."""
    saving: float | None
    """What the plan would cost less at ``next_epsilon``, before rounding."""
    rate: float
    """Cost saved per unit of epsilon: on the way to ``next_epsilon``, or as a derivative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowPrices(Assumed, Result):
    """What delta and every epsilon cost at the margin, before rounding."""

    ROWS: ClassVar = "epsilon"
    DERIVED: ClassVar = ("halving_delta",)

    delta: float | None
    """What dividing delta by e costs; None for the expected objective."""
    epsilon: dict[str, EpsilonPrice]
    """Agent -> the price of its epsilon."""
    fractional_cost: float
    objective: Objective
    guarantee: Guarantee
    name: str
    """The federation's name."""

    @property
    def halving_delta(self) -> float | None:
        """About what half the delta costs."""
        return None if self.delta is None else float(np.log(2)) * self.delta


@takes_federation
def shadow_prices(
    fed: Federation, *, teacher: str | None = None, progress: Progress | None = None
) -> ShadowPrices:
    """Price delta and every agent's epsilon at the margin.

    ``teacher`` is the hypothesis that labels, if that is known; ``progress`` is called with the number of agents
    done and their total.

    Raises
    ------
    InfeasibleError
        If the capacities leave the union program no solution.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> prices = shadow_prices(alice_bob())
    >>> round(prices.halving_delta, 3), prices.epsilon["alice"].next_epsilon
    (0.756, 0.2)
    """
    fed = ask(fed, teacher=teacher)
    if is_split(fed):
        raise FederationError(
            "prices need exact rates, and these are estimates or hidden counts; leave the confidence out, or ask "
            "the sites for reports that hide nothing"
        )
    fed, unit = rescale_costs(fed)
    program = UnionProgram(fed)
    solution = _solve(fed, program) if LowerBound(fed).fractional.rows else _NOTHING_BINDS
    names = count_done(fed.names, progress)
    prices = {name: _price(fed, program, solution, agent, unit) for agent, name in enumerate(names)}
    return ShadowPrices(
        delta=float(solution.duals.sum()) * unit if fed.objective == "pac" else None,
        epsilon=prices,
        fractional_cost=solution.value * unit,
        **fed.stated(),
        name=fed.name,
    )


def _solve(fed: Federation, program: UnionProgram, start: Floats | None = None) -> Solution:
    solution = solve_union(fed, program, start)
    if isinstance(solution, UnreachableRow):
        raise unreachable(fed, solution.row.requirement, solution.row.pair, "union")
    return solution


def _price(fed: Federation, program: UnionProgram, solution: Solution, agent: int, unit: float) -> EpsilonPrice:
    """Price an agent's epsilon where a cost of 1 is worth ``unit``."""
    binding = [
        (float(dual), row)
        for dual, row in zip(solution.duals, solution.rows, strict=True)
        if dual > _BINDS and row.requirement in (agent, JOINT)
    ]
    total = float(sum(dual * row.b for dual, row in zip(solution.duals, solution.rows, strict=True)))
    share = sum((dual * row.b for dual, row in binding if row.requirement == agent), 0.0)
    epsilon = fed.agents[agent].epsilon
    step = saving = None
    if fed.objective == "expected":
        rooms = [(dual, epsilon - float(program.theta[agent, row.truth])) for dual, row in binding]
        rate = sum((dual / room for dual, room in rooms if room > 0), 0.0)
    else:
        step = _next_step(fed, agent, [row for _, row in binding])
        saving = None if step is None else _saving(fed, agent, step, solution)
        rate = 0.0 if step is None or saving is None else saving / (step - epsilon)
    return EpsilonPrice(
        epsilon=epsilon,
        share=share / total if total else 0.0,
        next_epsilon=step,
        saving=None if saving is None else saving * unit,
        rate=rate * unit,
    )


def _next_step(fed: Federation, agent: int, rows: list[Row]) -> float | None:
    """Least rate of a hypothesis that counts in the rows and is bad for ``agent``."""
    levels = []
    for row in rows:
        hypotheses = row.hypotheses[row.weights > _COUNTS]
        p = rates_of(fed).above.between(np.full(len(hypotheses), row.truth), hypotheses)[agent]
        levels += p[exceeds(p, fed.agents[agent].epsilon)].tolist()
    return min(levels, default=None)


def _saving(fed: Federation, agent: int, epsilon: float, solution: Solution) -> float:
    """Solve again with another epsilon for one agent; zero if it saves no more than the solver's tolerance."""
    tolerances = fed.epsilon
    tolerances[agent] = epsilon
    looser = fed.replace(epsilon=tolerances)
    if not LowerBound(looser).fractional.rows:
        return solution.value
    saved = solution.value - _solve(looser, UnionProgram(looser), 0.9 * solution.m).value
    return saved if saved > _NOTHING * solution.value else 0.0
