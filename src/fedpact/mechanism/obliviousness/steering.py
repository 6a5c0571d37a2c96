"""Check by planning and verifying that one agent's report moves the plan to a neighbour.

Nothing that a construction says of itself is believed: for distributions D and a report D_i' the planner has to
answer m and m', and the guarantee engine has to find both m and m' enough, whether D or (D_i', D_-i) is true.

A search shows what can be reached; what it does not reach may be reached by a report that was not tried.
Reports are drawn around what stands: each mass is multiplied by a random factor, small and large ones alike, and
some mass is added to one point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.mechanism.claims import table_of, with_distributions
from fedpact.mechanism.obliviousness.result import NeighbourPlan, SteeringOutcome, SteeringReport
from fedpact.planning.plan import plan
from fedpact.statistics.verification import Verification, VerificationStatus, verify

N_MISREPORTS = 200


def list_neighbours(m: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Every vector of whole numbers that differs from ``m`` by one sample of one agent, one more first."""
    for agent in range(len(m)):
        for step in (1, -1):
            if m[agent] + step >= 0:
                moved = m.copy()
                moved[agent] += step
                yield moved


class Steering:
    """A planner at some distributions, and what it answers if one agent reports another one.

    Parameters
    ----------
    fed
        The class, the targets and the costs.
    distributions
        (k, n) what stands before anybody reports anything else.
    method
        How it is planned.
    """

    def __init__(self, fed: Federation, distributions: NDArray[np.float64], method: str) -> None:
        self.fed, self.method, self.distributions = fed, method, distributions
        self.start = with_distributions(fed, distributions)
        self.m = plan(self.start, method).m
        self.reports_tried = 0

    def name(self, m: NDArray[np.int64]) -> dict[str, int]:
        """Contributions by agent."""
        return dict(zip(self.fed.names, m.tolist(), strict=True))

    def masses(self, distribution: NDArray[np.float64]) -> dict[str, float]:
        """Masses by point."""
        points = table_of(self.fed, "a report").points
        return dict(zip(points, distribution.tolist(), strict=True))

    def reach(self, steer: Callable[[int, NDArray[np.int64]], SteeringReport]) -> tuple[NeighbourPlan, ...]:
        """Collect what ``steer`` says each agent can do about every neighbour of the plan."""
        agents = range(self.fed.k)
        return tuple(
            NeighbourPlan(contributions=self.name(m), reports=tuple(steer(agent, m) for agent in agents))
            for m in list_neighbours(self.m)
        )

    def find_none(self, agent: int) -> SteeringReport:
        """Say that no report of an agent was found."""
        return SteeringReport(agent=self.fed.names[agent], outcome=SteeringOutcome.NOT_FOUND)

    def try_report(
        self, agent: int, report: NDArray[np.float64], wanted: Sequence[NDArray[np.int64]]
    ) -> SteeringReport:
        """Say where a report leads, and for a ``wanted`` neighbour whether both plans are enough in both cases."""
        self.reports_tried += 1
        rows = self.distributions.copy()
        rows[agent] = report
        moved = with_distributions(self.fed, rows)
        answer = plan(moved, self.method).m
        seen: list[Verification] = []
        if any((answer == m).all() for m in wanted):
            seen = [verify(truth, m) for truth in (self.start, moved) for m in (self.m, answer)]
        is_enough = seen and all(one.status is VerificationStatus.MET for one in seen)
        return SteeringReport(
            agent=self.fed.names[agent],
            report=self.masses(report),
            plan=self.name(answer),
            failure={name: max(one.failure[name].high for one in seen) for name in self.fed.names if seen},
            outcome=SteeringOutcome.REACHED if is_enough else SteeringOutcome.MISSED,
        )


def draw_reports(row: NDArray[np.float64], count: int, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Distributions around ``row`` (n,)."""
    for _ in range(count):
        size = 10 ** rng.uniform(-3, 0)
        report = row * np.exp(size * rng.standard_normal(len(row)))
        report[rng.integers(len(row))] += size * rng.uniform(0, 0.5)
        yield report / report.sum()


def search_neighbours(steering: Steering, count: int, rng: np.random.Generator) -> tuple[NeighbourPlan, ...]:
    """Look for reports of every agent, ``count`` each, that lead to the neighbours of the plan."""
    found: dict[tuple[int, tuple[int, ...]], SteeringReport] = {}
    for agent, row in enumerate(steering.distributions):
        wanted = list(list_neighbours(steering.m))
        for report in draw_reports(row, count, rng):
            tried = steering.try_report(agent, report, wanted)
            if tried.plan is not None and tried.failure:  # it leads to one of them
                m = tuple(tried.plan.values())
                found[agent, m] = tried
                wanted = [other for other in wanted if not tried.is_reached or tuple(other.tolist()) != m]
            if not wanted:
                break
    return steering.reach(lambda agent, m: found.get((agent, tuple(m.tolist())), steering.find_none(agent)))
