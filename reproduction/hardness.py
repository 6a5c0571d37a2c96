"""Planning is NP-hard: random set-cover instances, answered by plans, beside a solver of set cover.

*The paper's reduction* (Theorem 2) has one agent, who draws uniformly from a point per set and a point per
element and tolerates no error; h_i is 1 at element i and at the sets that hold it, h* nowhere. With 1 - delta
<= |X|^-m, m samples are enough if and only if m sets cover all elements (the paper has >=, with which the claim
fails, ERRATA B2). Below the smallest cover c no sequence of samples tells h* from all h_i, and some of c
samples does; so for every m >= c the cheapest plan has exactly c samples.

That is hard for delta exponentially close to 1 only. *With one agent per set* planning is as hard for every
delta: agent j always draws the point of set j, at which h_i has the label i if i is in the set and 0 if not. A
pair (h*, h_i) is told apart by the sets that hold i, a pair (h_i, h_l) by those that hold either. So the chance to
miss a pair is 0 or 1, contributions are enough for any delta < 1 if and only if they cover all elements, and the
cheapest plan costs what the smallest cover has sets.

The size of the smallest cover is found by an integer program of its own; the exact search's work is counted in
boxes, not in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.experiment import NO_END, Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.hardness_page import METHODS, conclude, draw, tabulate
from reproduction.values import read_chance, read_each, read_size

Members = NDArray[np.bool_]

_MOST_ELEMENTS, _MOST_SETS = 60, 40
_MOST_UNIONS = 16
MIN_SUCCESS = 1e-6
"""Chances below this are not told from ties."""


def _read_pair(most: int) -> Any:
    """Make a reader of elements and sets."""

    def read(value: Any, key: str) -> list[int]:
        if not isinstance(value, list) or len(value) != 2:
            raise fp.FederationError(f"{key} must be pairs of elements and sets; one is {value!r}")
        elements = read_size(value[0], f"{key}: elements", least=1, most=most)
        return [elements, read_size(value[1], f"{key}: sets", least=1, most=_MOST_SETS)]

    return read


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    about = {"max_nodes": read_size(settings["max_nodes"], "max_nodes", least=1, most=10**9)}
    density = read_chance(settings["density"], "density")
    paper = [
        about | {"reduction": "one agent", "size": size, "density": density, "seed": seed}
        for size in read_each(settings, "sizes", _read_pair(_MOST_UNIONS))
        for seed in range(settings["seeds"])
    ]
    density, deltas = (
        read_chance(settings["agent_density"], "agent_density"),
        read_each(settings, "deltas", read_chance),
    )
    ours = [
        about | {"reduction": "one agent per set", "size": size, "density": density, "seed": seed, "delta": delta}
        for size in read_each(settings, "agent_sizes", _read_pair(_MOST_ELEMENTS))
        for seed in range(settings["seeds"])
        for delta in deltas
    ]
    return [Task(cell) for cell in (*paper, *ours)]


def draw_members(seed: int, size: Sequence[int], density: float) -> Members:
    """Draw (sets, elements) which set holds which element; no set is empty, every element is in some set.

    Examples
    --------
    >>> draw_members(0, [3, 2], 0.5).astype(int).tolist()
    [[0, 1, 0], [1, 0, 1]]
    """
    elements, sets = size
    rng = np.random.default_rng([seed, elements, sets])
    members = rng.random((sets, elements)) < density
    for element in np.flatnonzero(~members.any(axis=0)):
        members[rng.integers(sets), element] = True
    for place in np.flatnonzero(~members.any(axis=1)):
        members[place, rng.integers(elements)] = True
    return members


def find_smallest_cover(members: Members) -> int:
    """Fewest sets that hold all elements, by HiGHS on the integer program of set cover."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    sets = len(members)
    found = milp(
        np.ones(sets),
        constraints=LinearConstraint(members.T.astype(float), 1.0),
        integrality=np.ones(sets, dtype=np.int64),
        bounds=Bounds(0, 1),
    )
    if not found.success:
        raise fp.errors.SolverError("the smallest cover was not found", solver_status=found.message)
    return round(found.fun)


def cover_greedily(members: Members) -> int:
    """How many sets it takes if each is the one that holds most of what is left."""
    left, count = np.ones(members.shape[1], dtype=bool), 0
    while left.any():
        left &= ~members[(members & left).sum(axis=1).argmax()]
        count += 1
    return count


def give_each_set_an_agent(members: Members, delta: float) -> fp.Federation:
    """Make a federation whose cheapest plan has as many samples as the smallest cover has sets, for any delta.

    Examples
    --------
    >>> give_each_set_an_agent(np.array([[True, True], [False, True]]), 0.1).evidence.labels.tolist()
    [[0, 0], [1, 0], [2, 2]]
    """
    sets, elements = members.shape
    labels = np.vstack([np.zeros((1, sets), dtype=np.int64), (members * np.arange(1, elements + 1)).T])
    return fp.Federation.from_table(labels, np.eye(sets), epsilon=0.5, delta=delta, name="set-cover-by-agents")


def _plan_all(fed: fp.Federation, max_nodes: int) -> Answer:
    """Tell what every planner's plan costs, and how many boxes the exact search looked at."""
    boxes = 0

    def count(*state: float) -> None:
        nonlocal boxes
        boxes += 1

    exact = fp.plan(fed, "exact", max_nodes=max_nodes, time_limit=NO_END, progress=count)
    costs = {method: fp.plan(fed, method).cost for method in METHODS if method != "greedy"}
    return costs | {
        "exact": exact.cost,
        "is_proved": exact.status is fp.planning.PlanStatus.OPTIMAL,
        "boxes": boxes,
    }


def _ask_one_agent(cell: Mapping[str, Any], members: Members, cover: int) -> Answer:
    """Ask for covers of 1, 2, ... sets, as many as are told from ties; the last federation is planned for."""
    elements, sets = cell["size"]
    family = [np.flatnonzero(row).tolist() for row in members]
    most = math.floor(-math.log(MIN_SUCCESS) / math.log(elements + sets) + 1e-9)
    feds = {m: fp.examples.set_cover(elements, family, m) for m in range(1, most + 1)}
    right = sum(fp.verify(fed, [m]).is_feasible == (cover <= m) for m, fed in feds.items())
    last = feds[most]
    found = _plan_all(last, cell["max_nodes"])
    agrees = found["exact"] == cover if cover <= most else found["exact"] > most
    factor = 1 + math.log(last.H) / math.log(1 / last.delta)
    return found | {"asked": most, "right": right, "agrees": agrees, "factor": factor}


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    members = draw_members(cell["seed"], cell["size"], cell["density"])
    cover = find_smallest_cover(members)
    if cell["reduction"] == "one agent":
        found = _ask_one_agent(cell, members, cover)
    else:
        fed = give_each_set_an_agent(members, cell["delta"])
        found = _plan_all(fed, cell["max_nodes"])
        factor = 1 + math.log(fed.H) / math.log(1 / fed.delta)
        found |= {"asked": 0, "right": 0, "agrees": found["exact"] == cover, "factor": factor}
    return found | {"cover": cover, "greedy": cover_greedily(members)}


def _add_up(answers: Sequence[Answer]) -> Answer:
    """Put the instances of one size together."""
    boxes, covers = [answer["boxes"] for answer in answers], [answer["cover"] for answer in answers]
    ratios = {method: [answer[method] / answer["cover"] for answer in answers] for method in METHODS}
    return {
        "instances": len(answers),
        "agree": sum(answer["agrees"] for answer in answers),
        "proved": sum(answer["is_proved"] for answer in answers),
        "asked": sum(answer["asked"] for answer in answers),
        "right": sum(answer["right"] for answer in answers),
        "cover": float(np.mean(covers)),
        "boxes": {"mean": float(np.mean(boxes)), "least": min(boxes), "most": max(boxes)},
        "factor": min(answer["factor"] for answer in answers),
        "ratios": {name: {"mean": float(np.mean(some)), "most": max(some)} for name, some in ratios.items()},
    }


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    cells = [task.cell for task in _cut(settings, data, ())]
    groups: dict[tuple[Any, ...], list[Answer]] = {}
    for cell, answer in zip(cells, answers[0], strict=True):
        groups.setdefault((cell["reduction"], *cell["size"], cell.get("delta")), []).append(answer)
    rows = [
        {"reduction": reduction, "elements": elements, "sets": sets, "delta": delta} | _add_up(some)
        for (reduction, elements, sets, delta), some in groups.items()
    ]
    return {"rows": rows}


HARDNESS = Experiment(
    name="hardness",
    about="Set cover answered by plans: the paper's reduction, one for any delta, and what planners make of both.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
)
