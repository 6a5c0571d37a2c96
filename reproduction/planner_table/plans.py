"""One class, planned by every method: how much dearer than the proven optimum each is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.experiment import NO_END, Answer, Arrays, Settings, Task
from reproduction.planner_table.checkpoints import SiteImages, read_checkpoints
from reproduction.values import read_chance, read_each, read_share, read_whole_number

METHODS = ("lp", "union", "tree")
TABLE, GRID, LARGE, WRITERS = "table", "grid", "large", "writers"
_NODES = {LARGE: "large_max_nodes", WRITERS: "writers_max_nodes"}

Kind = TypeVar("Kind", bound=np.generic)


_LISTS: dict[str, Callable[[Any, str], float]] = {
    **dict.fromkeys(("H", "large_H", "grid_H", "writers_H", "more_writers"), partial(read_whole_number, least=2)),
    **dict.fromkeys(("deltas", "grid_deltas"), read_chance),
    "grid_epsilons": read_share,
}
_NEEDED = ("H", "deltas")


def read_plans(settings: Settings) -> Settings:
    """Read what is planned; what else there is stays as it is. A part may be left out, the paper's table not."""
    lists = {
        key: read_each(settings, key, read) if settings[key] or key in _NEEDED else []
        for key, read in _LISTS.items()
    }
    nodes = {key: read_whole_number(settings[key], key) for key in ("max_nodes", *_NODES.values())}
    return {**settings, **lists, **nodes, "epsilon": read_share(settings["epsilon"], "epsilon")}


def _list_cases(settings: Settings) -> Iterator[dict[str, Any]]:
    """List what is planned: the paper's table, a grid of epsilon and delta, larger classes, more writers."""
    seeds, epsilon, deltas = range(settings["seeds"]), settings["epsilon"], settings["deltas"]

    def case(part: str, H: int, k: int, seed: int, epsilon: float, delta: float) -> dict[str, Any]:
        return {"part": part, "H": H, "writers": k, "seed": seed, "epsilon": epsilon, "delta": delta}

    yield from (
        case(TABLE, H, 2, seed, epsilon, delta) for H in settings["H"] for delta in deltas for seed in seeds
    )
    for H in settings["grid_H"]:
        for one in settings["grid_epsilons"]:
            yield from (case(GRID, H, 2, 0, one, delta) for delta in settings["grid_deltas"])
    yield from (case(LARGE, H, 2, 0, epsilon, delta) for H in settings["large_H"] for delta in deltas[:1])
    for k in settings["more_writers"]:
        yield from (case(WRITERS, H, k, 0, epsilon, deltas[0]) for H in settings["writers_H"])


def find_largest(settings: Settings) -> int:
    """How many checkpoints the largest class that is planned has."""
    return max(int(case["H"]) for case in _list_cases(read_plans(settings)))


def sample_class(checkpoints: NDArray[Kind], H: int, seed: int) -> NDArray[Kind]:
    """Sample H checkpoints; with one seed, a larger class contains the smaller one."""
    if len(checkpoints) < H:
        raise fp.FederationError(
            f"H = {H} is more than the {len(checkpoints)} checkpoints that differ; train more of them"
        )
    return checkpoints[np.random.default_rng(seed).permutation(len(checkpoints))[:H]]


def cut_plans(settings: Settings, data: SiteImages, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """Plan one class in every cell."""
    settings = read_plans(settings)
    checkpoints = read_checkpoints(earlier[0])
    ends = np.cumsum((0, *data.sizes))
    shared: dict[tuple[int, int, int], Arrays] = {}
    tasks = []
    for case in _list_cases(settings):
        key = case["H"], case["seed"], case["writers"]
        if key not in shared:
            labels = sample_class(checkpoints, case["H"], case["seed"])
            shared[key] = {data.names[j]: labels[:, ends[j] : ends[j + 1]] for j in range(case["writers"])}
        nodes = settings[_NODES.get(case["part"], "max_nodes")]
        tasks.append(Task(case | {"max_nodes": nodes, "names": list(shared[key])}, shared[key]))
    return tasks


def plan_class(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Plan by every method, and search for the optimum within so many boxes."""
    fed = fp.Federation.from_predictions(
        {name: np.asarray(arrays[name], dtype=np.int64) for name in cell["names"]},
        cost=1.0,
        epsilon=cell["epsilon"],
        delta=cell["delta"],
    )
    plans = {method: fp.plan(fed, method) for method in METHODS}
    best = fp.plan(fed, "exact", max_nodes=cell["max_nodes"], time_limit=NO_END)
    bound = max(best.lower_bound, *(one.lower_bound for one in plans.values()))
    return {key: cell[key] for key in ("part", "H", "writers", "seed", "epsilon", "delta")} | {
        "samples": {method: int(one.m.sum()) for method, one in plans.items()} | {"exact": int(best.m.sum())},
        "contributions": {method: one.m.tolist() for method, one in plans.items()} | {"exact": best.m.tolist()},
        "lower_bound": math.ceil(bound - 1e-9),
        "is_proved": math.ceil(bound - 1e-9) == int(best.m.sum()),
        "theorem": 1 + math.log(cell["H"]) / math.log(1 / cell["delta"]),
    }
