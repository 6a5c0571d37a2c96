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


def _find_best(
    steering: Steering, agent: int, count: int, rng: np.random.Generator
) -> dict[tuple[int, ...], SteeringReport]:
    """By neighbour a report that leads there, one for which all plans are enough if there is any."""
    wanted = {tuple(m.tolist()) for m in list_neighbours(steering.m)}
    found: dict[tuple[int, ...], SteeringReport] = {}
    for report in draw_reports(steering.distributions[agent], count, rng):
        moved, answer = steering.answer(agent, report)
        key = tuple(answer.tolist())
        if key in wanted:
            found[key] = steering.judge(agent, report, moved, answer)
            wanted -= {key} if found[key].is_reached else set()
        if not wanted:
            break
    return found


def search_neighbours(steering: Steering, count: int, rng: np.random.Generator) -> tuple[NeighbourPlan, ...]:
    """Look for reports of every agent, ``count`` each, that lead to the neighbours of the plan."""
    found = [_find_best(steering, agent, count, rng) for agent in range(steering.fed.k)]
    nothing = SteeringOutcome.NOT_FOUND
    return steering.reach(
        lambda agent, m: found[agent].get(tuple(m.tolist())) or steering.describe(agent, nothing)
    )
