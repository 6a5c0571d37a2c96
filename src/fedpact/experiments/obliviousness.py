"""Where the paper's programs are locally oblivious, computed, beside where the paper says so.

Two maps over the plans of two agents, for the class of singletons. At every plan of a grid both agents' reports
are built for all four neighbours, planned and verified; beyond some plans it is proved that no reports lead
there (:mod:`fedpact.mechanism.obliviousness.largest_plan`).

- pac: Lemma 1 of the paper says all m with m_1, m_2 >= 2 H log H. For epsilon > 0 plans are bounded, so there
  is an upper end, and the lower end is not needed (ERRATA A6, B4).
- expected: Lemma 5 says all m in [2 + log(1/epsilon) / log(2H), 2 log(H) / epsilon]^2. Its own
  construction is built as well; and all reports of agent 1 whose masses are multiples of 1/parts on the two
  agents' points, a third, and the one where all hypotheses agree are tried, to see whether one raises the plan's
  other entry (ERRATA A8).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fedpact.describe.constructions import singletons
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import read_chance, read_whole_number
from fedpact.errors import FederationError
from fedpact.experiments.obliviousness_page import conclude, draw, tabulate
from fedpact.experiments.sweep.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from fedpact.experiments.sweep.read_values import read_each, read_size
from fedpact.mechanism.audit.misreports import list_grid
from fedpact.mechanism.obliviousness.largest_plan import find_enough, find_largest_plan
from fedpact.mechanism.obliviousness.obliviousness import obliviousness
from fedpact.mechanism.obliviousness.own_points import OWN_POINTS, place_own_points
from fedpact.mechanism.obliviousness.search_neighbours import find_plans
from fedpact.mechanism.obliviousness.steering import Steering

_MAPS = ("pac", "expected")
_LEAST_H, _MOST_H = 4, 100
_MOST_PARTS = 100
_SLICES = 8


def singletons_with_common_point(H: int = 8, epsilon: float | str = 0.1) -> Federation:
    """Two agents, H - 1 singletons and the all-negative hypothesis, and one point at which all agree.

    Examples
    --------
    >>> singletons_with_common_point()
    Federation('singletons-with-common-point': 2 agents, 8 hypotheses, table, expected, per-agent)
    """
    labels = np.zeros((H, H), dtype=np.int64)
    labels[1:, :-1] = np.eye(H - 1, dtype=np.int64)
    return Federation.from_table(
        labels,
        np.full((2, H), 1 / H),
        epsilon=epsilon,
        delta=0.5,
        objective="expected",
        name="singletons-with-common-point",
    )


def _read_map(settings: Settings, objective: str) -> dict[str, Any]:
    """Read what the cells of one map have in common."""
    H = read_size(settings[f"{objective}_H"], f"{objective}_H", least=_LEAST_H, most=_MOST_H)
    return {
        "objective": objective,
        "H": H,
        "epsilon": read_chance(settings[f"{objective}_epsilon"], f"{objective}_epsilon"),
        "delta": read_chance(settings["delta"], "delta"),
    }


def _read_search(settings: Settings) -> dict[str, Any]:
    """Read what the cells of the search have in common; the paper's masses must exist for its plan."""
    m = read_each(settings, "searched", lambda count, key: read_whole_number(count, key, least=1))
    parts = read_size(settings["parts"], "parts", least=1, most=_MOST_PARTS)
    about = _read_map(settings, "expected")
    if len(m) != 2 or place_own_points(_build(about), np.array(m)) is None:
        raise FederationError(
            f"searched must be a plan of two agents that the paper's masses exist for; it is {m}"
        )
    return about | {"m": m, "parts": parts}


def _build(cell: Mapping[str, Any]) -> Federation:
    if cell["objective"] == "pac":
        return singletons(cell["H"] - 1, epsilon=cell["epsilon"], delta=cell["delta"])
    return singletons_with_common_point(cell["H"], cell["epsilon"])


def _cut_maps(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    _read_search(settings)
    tasks = []
    for objective in _MAPS:
        about, counts = _read_map(settings, objective), read_each(settings, objective, read_whole_number)
        tasks += [Task(about | {"m": list(m)}) for m in itertools.product(counts, counts)]
    return tasks


def _look_at_plan(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Of 8 cases, a neighbour and an agent that reports, how many are reached at one plan, and by the paper."""
    fed, is_pac = _build(cell), cell["objective"] == "pac"
    found = obliviousness(fed, m=cell["m"])
    paper = None if is_pac else obliviousness(fed, m=cell["m"], construction=OWN_POINTS)
    return {
        "m": cell["m"],
        "reached": found.reached,
        "status": found.status.name,
        "construction": found.construction,
        "reached_by_paper": None if paper is None else paper.reached,
        "status_of_paper": None if paper is None else paper.status.name,
    }


def _cut_search(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    return [Task(_read_search(settings) | {"slice": [first, _SLICES]}) for first in range(_SLICES)]


def _search_reports(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Plans that every eighth report of agent 1 on the grid leads to, in the paper's construction."""
    fed, (first, step) = _build(cell), cell["slice"]
    built = place_own_points(fed, np.array(cell["m"]))
    assert built is not None, "was checked before"
    steering = Steering(fed, built.distributions, "lp")
    points = (*built.points.own[:3], built.points.common[0])
    reports = itertools.islice(list_grid(built.distributions.shape[1], points, cell["parts"]), first, None, step)
    found = find_plans(steering, 0, reports)
    return {"reports": steering.reports_tried, "plans": [list(m) for m in sorted(found)]}


def _bound_region(settings: Settings, objective: str, points: Sequence[Answer]) -> Answer:
    """One map with the ends of its region: as the paper states them, where fractional plans end, and all plans."""
    about = _read_map(settings, objective)
    fed, H, epsilon = _build(about), about["H"], about["epsilon"]
    stated: list[float | None] = [2 * H * math.log(H), None]
    if objective == "expected":
        stated = [2 + math.log(1 / epsilon) / math.log(2 * H), 2 * math.log(H) / epsilon]
    ends = {"fractional_end": float(find_enough(fed)[0]), "largest": float(find_largest_plan(fed)[0])}
    return {"objective": objective, "H": H, "epsilon": epsilon, "stated": stated} | ends | {"points": list(points)}


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    points, slices = answers
    first = len(settings["pac"]) ** 2
    plans = sorted({tuple(m) for some in slices for m in some["plans"]})
    return {
        "pac": _bound_region(settings, "pac", points[:first]),
        "expected": _bound_region(settings, "expected", points[first:]),
        "search": {
            "m": _read_search(settings)["m"],
            "parts": settings["parts"],
            "reports": sum(some["reports"] for some in slices),
            "plans": len(plans),
            "highest_own": max(m[0] for m in plans),
            "highest_other": max(m[1] for m in plans),
        },
    }


OBLIVIOUSNESS = Experiment(
    name="obliviousness",
    about="At which plans either agent alone can move the paper's plan by a sample, and where the paper says so.",
    stages=(
        Stage(cut=_cut_maps, compute=_look_at_plan),
        Stage(cut=_cut_search, compute=_search_reports),
    ),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
)
