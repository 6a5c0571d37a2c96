"""Where the paper's programs are locally oblivious, computed, beside where the paper says so.

Two maps over the plans of two agents, for the class of singletons. At every plan of a grid both agents' reports
are built for all four neighbours, planned and verified; beyond some plans it is proved that no reports lead
there (:mod:`fedpact.mechanism.obliviousness.largest_plan`).

- pac: Lemma 1 of the paper says all m with m_1, m_2 >= 2 H log H. For epsilon > 0 plans are bounded, so there
  is an upper end, and the lower end is not needed (ERRATA A6, B4).
- expected: Lemma 5 says all m in [2 + log(1/epsilon) / log(2H), 2 log(H) / epsilon]^2. Its own
  construction (:mod:`reproduction.own_points`) is built as well; and all reports of agent 1 whose masses are
  multiples of 1/parts on the two agents' points, a third, and the one where all hypotheses agree are tried, to
  see whether one raises the plan's other entry (ERRATA A8).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.obliviousness_page import conclude, draw, tabulate
from reproduction.own_points import (
    give_distributions,
    list_reached,
    place_own_points,
    singletons_with_common_point,
)
from reproduction.tallies import list_grid
from reproduction.values import read_chance, read_each, read_size, read_whole_number

_MAPS = ("pac", "expected")
_LEAST_H, _MOST_H = 4, 100
_MOST_PARTS = 100
_SLICES = 8


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
    if len(m) != 2 or place_own_points(_build(about), m) is None:
        raise fp.FederationError(
            f"searched must be a plan of two agents that the paper's masses exist for; it is {m}"
        )
    return about | {"m": m, "parts": parts}


def _build(cell: Mapping[str, Any]) -> fp.Federation:
    if cell["objective"] == "pac":
        return fp.examples.singletons(cell["H"] - 1, epsilon=cell["epsilon"], delta=cell["delta"])
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
    found = fp.mechanism.obliviousness(fed, m=cell["m"])
    return {
        "m": cell["m"],
        "reached": found.reached,
        "status": found.status.name,
        "construction": found.construction,
        "reached_by_paper": None if is_pac else len(list_reached(fed, cell["m"])),
    }


def _cut_search(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    return [Task(_read_search(settings) | {"slice": [first, _SLICES]}) for first in range(_SLICES)]


def _search_reports(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Plans that every eighth report of agent 1 on the grid leads to, in the paper's construction."""
    fed, (first, step) = _build(cell), cell["slice"]
    masses = place_own_points(fed, cell["m"])
    assert masses is not None, "was checked before"
    n = masses.shape[1]
    reports = itertools.islice(list_grid(n, (0, 1, 2, n - 1), cell["parts"]), first, None, step)
    plans = [
        fp.plan(give_distributions(fed, np.vstack([report, masses[1:]])), "lp").m.tolist() for report in reports
    ]
    return {"reports": len(plans), "plans": sorted([list(m) for m in {tuple(m) for m in plans}])}


def find_ends(fed: fp.Federation) -> dict[str, float]:
    """Tell more than which no plan asks of one of two agents with equal targets and costs, whatever is reported.

    Fractional plans end at s, with which an agent alone rules out any pair that is there for its sake; rounded
    ones at s + 1 + sqrt(1 + 2 s). fedpact's ``largest_plan.py`` has the proof, for any costs.

    Examples
    --------
    >>> round(find_ends(fp.examples.singletons(epsilon=0.01))["largest"], 1)
    384.3
    """
    epsilon = float(fed.epsilon[0])
    needed, margin = (math.log(fed.H / fed.delta), 1) if fed.objective == "pac" else (math.log(fed.H), 2)
    s = needed / -math.log1p(-epsilon / margin)
    return {"fractional_end": s, "largest": s + 1 + math.sqrt(1 + 2 * s)}


def _bound_region(settings: Settings, objective: str, points: Sequence[Answer]) -> Answer:
    """One map with the ends of its region: as the paper states them, where fractional plans end, and all plans."""
    about = _read_map(settings, objective)
    fed, H, epsilon = _build(about), about["H"], about["epsilon"]
    stated: list[float | None] = [2 * H * math.log(H), None]
    if objective == "expected":
        stated = [2 + math.log(1 / epsilon) / math.log(2 * H), 2 * math.log(H) / epsilon]
    return (
        {"objective": objective, "H": H, "epsilon": epsilon, "stated": stated}
        | find_ends(fed)
        | {"points": list(points)}
    )


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
