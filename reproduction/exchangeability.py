"""What counting samples only costs, or fails, where data are not exchangeable.

Much of the literature takes data to be exchangeable: accuracy depends on the total number of samples, not on who
drew them. Whoever believes that reads the largest standalone need N = max_i n_ind(i) as enough for all
(``fp.compare`` has it too) and

- *buys* the N samples where they are cheapest, from the first of equally cheap agents;
- or *shares* them equally among all agents, which is as good to a believer.

The paper holds that utilities depend on who contributes. Here the exact failure probability says by how much:

- two agents with masses (1 + t)/2 on points of their own and (1 - t)/2 on the other's, t from 0, identical data,
  to 1, disjoint data;
- the paper's Alice and Bob, who need both points;
- tables drawn at random, agents' masses from a Dirichlet distribution about common ones. Heterogeneity is the mean
  total variation distance between two agents' data.

A plan misses if some agent's failure probability is above delta. What misses can be *scaled up*: the believer
finds out and buys more in the same way until all targets are met, if they ever are. That, and each alone, is set
against the optimum.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.exchangeability_page import conclude, draw, tabulate
from reproduction.experiment import NO_END, Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.tallies import wilson
from reproduction.values import read_chance, read_each, read_positive, read_share, read_size

_COSTS = (1.0, 2.0, 3.0)


def _read_tolerance(value: Any, key: str) -> float:
    """Read an epsilon that the paper's example can be built for."""
    return float(fp.examples.alice_bob(read_chance(value, key)).epsilon[0])


def _read_families(settings: Settings) -> list[dict[str, Any]]:
    """Read everything that federations are built from, one entry each."""
    epsilon, delta = (read_chance(settings[key], key) for key in ("epsilon", "delta"))
    asked = {"epsilon": epsilon, "delta": delta}
    points = read_size(settings["points"], "points", least=1, most=3)
    drawn = asked | {
        "family": "drawn",
        "agents": read_size(settings["agents"], "agents", least=2, most=4),
        "points": read_size(settings["random_points"], "random_points", least=2, most=10),
        "hypotheses": read_size(settings["hypotheses"], "hypotheses", least=2, most=20),
    }
    return [
        *(
            asked | {"family": "two agents", "points": points, "degree": degree}
            for degree in read_each(settings, "heterogeneity", read_share)
        ),
        *(
            {"family": "alice-bob", "epsilon": value, "delta": delta}
            for value in read_each(settings, "alice_bob", _read_tolerance)
        ),
        *(
            drawn | {"concentration": value, "seed": seed}
            for value in read_each(settings, "concentrations", read_positive)
            for seed in range(settings["seeds"])
        ),
    ]


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    most = read_size(settings["most_samples"], "most_samples", least=1, most=10**9)
    return [Task(about | {"most_samples": most}) for about in _read_families(settings)]


def build_two(cell: Mapping[str, Any]) -> fp.Federation:
    """Give two agents (1 + t)/2 of their mass on points of their own, evenly, and the rest on the other's."""
    n, t = cell["points"], cell["degree"]
    own = np.repeat([(1 + t) / 2, (1 - t) / 2], n) / n
    return fp.Federation.from_table(
        fp.planning.classes.all_labelings(2 * n), [own, own[::-1]], epsilon=cell["epsilon"], delta=cell["delta"]
    )


def draw_one(cell: Mapping[str, Any]) -> fp.Federation:
    """Draw agents whose masses vary about common ones; labels and common masses are the same for a seed."""
    rng = np.random.default_rng([cell["seed"], 0])
    k, n = cell["agents"], cell["points"]
    labels, common = rng.integers(0, 2, (cell["hypotheses"], n)), rng.dirichlet(np.ones(n))
    cost = rng.choice(_COSTS, k)
    masses = rng.dirichlet(cell["concentration"] * n * common + 1e-3, k)
    return fp.Federation.from_table(labels, masses, epsilon=cell["epsilon"], delta=cell["delta"], cost=cost)


def build_federation(cell: Mapping[str, Any]) -> fp.Federation:
    """Build the federation that a cell is about."""
    if cell["family"] == "alice-bob":
        return fp.examples.alice_bob(cell["epsilon"], cell["delta"])
    return build_two(cell) if cell["family"] == "two agents" else draw_one(cell)


def measure_distance(fed: fp.Federation) -> float:
    """Measure the mean total variation distance between two agents' data.

    Examples
    --------
    >>> round(measure_distance(alice_bob(0.1)), 6)
    0.6
    """
    evidence: Any = fed.evidence
    pairs = itertools.combinations(evidence.distributions, 2)
    return float(np.mean([np.abs(one - other).sum() / 2 for one, other in pairs]))


def _buy(fed: fp.Federation, total: int) -> NDArray[np.int64]:
    """(k,) all samples from the first of the cheapest agents."""
    cheapest = int(np.argmin([float(agent.cost(1)) for agent in fed.agents]))
    return np.where(np.arange(fed.k) == cheapest, total, 0)


def _scale_up(fed: fp.Federation, total: int, most: int) -> int | None:
    """Find how many samples, from ``total`` to ``most``, are enough if bought where cheapest; None if none are."""
    low, high = total - 1, total
    while not fp.verify(fed, _buy(fed, high)).is_feasible:
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fp.verify(fed, _buy(fed, middle)).is_feasible else (middle, high)
    return high


def _judge(fed: fp.Federation, m: NDArray[np.int64], optimum: float) -> Answer:
    """Tell the largest failure probability that contributions leave, whether they miss, and their cost."""
    seen = fp.verify(fed, m)
    return {
        "failure": max(failure.high for failure in seen.failure.values()),
        "is_missed": not seen.is_feasible,
        "ratio": fed.cost_of(m) / optimum,
    }


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    fed = build_federation(cell)
    needs = {name: need or 0 for name, need in fp.game.standalone(fed).items()}
    best = fp.plan(fed, "exact", time_limit=NO_END)
    if not best.m.any():
        return {"is_needed": False}
    if best.status is not fp.planning.PlanStatus.OPTIMAL:
        raise fp.errors.SolverError("the optimum of a federation was not found", solver_status=best.status.value)
    total = max(needs.values())
    shared = np.array([total // fed.k + (place < total % fed.k) for place in range(fed.k)])
    scaled = _scale_up(fed, total, cell["most_samples"])
    return {
        "is_needed": True,
        "distance": measure_distance(fed),
        "needs": list(needs.values()),
        "optimum": best.cost,
        "bought": _judge(fed, _buy(fed, total), best.cost),
        "shared": _judge(fed, shared, best.cost),
        "scaled": None if scaled is None else fed.cost_of(_buy(fed, scaled)) / best.cost,
        "alone": fed.cost_of(np.array(list(needs.values()))) / best.cost,
    }


def _add_up(concentration: float, answers: Sequence[Answer]) -> Answer:
    """Put the federations of one concentration together, those apart in which nobody needs anything."""
    some = [answer for answer in answers if answer["is_needed"]]
    missed = {way: sum(answer[way]["is_missed"] for answer in some) for way in ("bought", "shared")}
    scaled = [answer["scaled"] for answer in some if answer["scaled"] is not None]
    return {
        "concentration": concentration,
        "federations": len(some),
        "distance": float(np.mean([answer["distance"] for answer in some])) if some else None,
        "missed": missed,
        "intervals": {way: list(wilson(count, len(some))) if some else None for way, count in missed.items()},
        "worst_failure": max((answer["bought"]["failure"] for answer in some), default=None),
        "never": len(some) - len(scaled),
        "scaled": float(np.mean(scaled)) if scaled else None,
        "scaled_most": max(scaled, default=None),
        "alone": float(np.mean([answer["alone"] for answer in some])) if some else None,
    }


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    known = list(zip(_read_families(settings), answers[0], strict=True))
    rows = {
        family: [about | answer for about, answer in known if about["family"] == family]
        for family in ("two agents", "alice-bob")
    }
    groups: dict[float, list[Answer]] = {}
    for about, answer in known:
        if about["family"] == "drawn":
            groups.setdefault(about["concentration"], []).append(answer)
    drawn = [_add_up(concentration, some) for concentration, some in groups.items()]
    return {
        "delta": settings["delta"],
        "most_samples": settings["most_samples"],
        "two": rows["two agents"],
        "alice_bob": rows["alice-bob"],
        "drawn": drawn,
    }


EXCHANGEABILITY = Experiment(
    name="exchangeability",
    about="What counting samples only costs, or fails, the more the agents' data differ.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
)
