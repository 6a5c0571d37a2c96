"""Search what an agent can make of the plan by reporting another distribution.

A search shows what can be reached; what it does not reach may be reached by a report that was not tried.
Reports are drawn around what stands: each mass is multiplied by a random factor, small and large ones alike, and
some mass is added to one point.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fedpact.mechanism.obliviousness.result import NeighbourPlan, SteeringOutcome, SteeringReport
from fedpact.mechanism.obliviousness.steering import Steering, list_neighbours

REPORTS = 200


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
    nothing = [SteeringReport(agent=name, outcome=SteeringOutcome.NOT_FOUND) for name in steering.fed.names]
    return steering.reach(lambda agent, m: found.get((agent, tuple(m.tolist())), nothing[agent]))
