"""How often plans from estimated rates miss the true target, with and without regard to the estimation error.

Federations are drawn whose truth is known (:mod:`reproduction.simulated_federations`), those in which
something has to be labelled. Their agents see n unlabelled points each, and three plans are made from that:

- ``confident``: by ``method``, at a confidence;
- ``trusting``: by the same method, with the estimates taken for the truth;
- ``optimal``: the cheapest for the estimates, by branch and bound, which leaves no slack for anything.

A plan misses if on the true distributions some agent's failure probability exceeds delta. That is computed,
not simulated; what neither the exact sum nor a certified interval decides is counted apart and taken for missed
in the upper limits. A plan at a confidence may miss with probability 1 - confidence at most, whatever the truth
is, so it may over any mixture of truths. Every federation is drawn anew and planned for at one n, so the rows
of different n are independent. Limits are Clopper and Pearson's. Costs are relative to the plan by the same
``method`` that knows the truth.

All federations come from one stream of random numbers; a cell has the state in which its own begin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.coverage_page import ALL, LABELS, conclude, draw, tabulate
from reproduction.experiment import NO_END, Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.simulated_federations import FAMILIES, draw_sites, draw_truth
from reproduction.tallies import clopper_pearson, exceeds
from reproduction.values import read_chance, read_choice, read_each, read_whole_number

METHODS = ("lp", "union", "tree")


def _read_points(settings: Settings) -> list[int]:
    return sorted(set(read_each(settings, "points", lambda n, key: read_whole_number(n, key, least=1))))


def _read_settings(settings: Settings) -> dict[str, Any]:
    """Read what all cells have in common."""
    return {
        "points": _read_points(settings),
        "confidence": read_chance(settings["confidence"], "confidence"),
        "method": read_choice(settings["method"], "method", METHODS),
        "max_nodes": read_whole_number(settings["max_nodes"], "max_nodes", least=1),
    }


def _draw(rng: np.random.Generator, family: str, n: int) -> tuple[fp.Federation, fp.Federation]:
    """Draw a truth in which something is bad for somebody, and what its agents see of it."""
    while True:
        truth = draw_truth(rng, family)
        if exceeds(fp.planning.disagreement(truth), truth.epsilon[:, None, None]).any():
            return truth, draw_sites(rng, truth, n)


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """One cell per seed: a federation for every number of points."""
    about, tasks = _read_settings(settings), []
    read_chance(settings["limits_hold"], "limits_hold")
    rng = np.random.default_rng(0)
    for seed in range(settings["seeds"]):
        family = FAMILIES[seed % len(FAMILIES)]
        tasks.append(Task(about | {"family": family, "stream": rng.bit_generator.state}))
        for n in about["points"]:
            _draw(rng, family, n)
    return tasks


def is_missed(truth: fp.Federation, m: Any) -> bool | None:
    """Whether a plan misses some agent's target; None if an estimate had to say."""
    seen = fp.verify(truth, m)
    sure = [name for name, how in seen.how.items() if how != "estimate"]
    if any(exceeds(seen.failure[name].low, truth.delta) for name in sure):
        return True
    return False if len(sure) == truth.k and all(seen.met.values()) else None


def _plan(fed: fp.Federation, method: str, max_nodes: int | None = None) -> fp.Plan:
    return fp.plan(fed, method, max_nodes=max_nodes, time_limit=NO_END)


def _try_plans(truth: fp.Federation, sites: fp.Federation, cell: Mapping[str, Any]) -> Iterator[Answer]:
    method, cost = cell["method"], _plan(truth, cell["method"]).cost
    found = {
        "confident": _plan(fp.planning.at_confidence(sites, cell["confidence"]), method),
        "trusting": _plan(sites, method),
        "optimal": _plan(sites, "exact", cell["max_nodes"]),
    }
    for name, one in found.items():
        yield {"plan": name, "is_missed": is_missed(truth, one.m), "cost_ratio": one.cost / cost}


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    rng = np.random.default_rng()
    rng.bit_generator.state = cell["stream"]
    trials = []
    for n in cell["points"]:
        truth, sites = _draw(rng, cell["family"], n)
        about = {"family": cell["family"], "n": n}
        trials += [about | trial for trial in _try_plans(truth, sites, cell)]
    return {"trials": trials}


def count_trials(trials: Sequence[Answer], family: str, risk: float) -> Answer:
    """Count the trials of one plan at one n, with limits that are each wrong with probability ``risk`` at most."""
    size = len(trials)
    missed = sum(trial["is_missed"] is True for trial in trials)
    undecided = sum(trial["is_missed"] is None for trial in trials)
    return {
        "family": family,
        "n": trials[0]["n"],
        "plan": trials[0]["plan"],
        "federations": size,
        "missed": missed,
        "undecided": undecided,
        "low": clopper_pearson(missed, size, risk)[0],
        "high": clopper_pearson(missed + undecided, size, risk)[1],
        "cost_ratio": float(np.mean([trial["cost_ratio"] for trial in trials])),
    }


def _add_up(trials: Iterable[Answer], families: Sequence[str], limits_hold: float) -> list[Answer]:
    """Rows by family, number of points and plan; the limits of all are right at once."""
    groups: dict[tuple[str, int, str], list[Answer]] = {}
    for trial in trials:
        family = ALL if ALL in families else trial["family"]
        groups.setdefault((family, trial["n"], trial["plan"]), []).append(trial)
    risk = (1 - limits_hold) / (2 * len(groups))
    order = {name: place for place, name in enumerate((*families, *LABELS))}
    keys = sorted(groups, key=lambda key: (order[key[0]], key[1], order[key[2]]))
    return [count_trials(groups[key], key[0], risk) for key in keys]


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    trials = [trial for answer in answers[0] for trial in answer["trials"]]
    limits_hold = read_chance(settings["limits_hold"], "limits_hold")
    return {
        "rows": _add_up(trials, [ALL], limits_hold),
        "by_family": _add_up(trials, FAMILIES, limits_hold),
        "confidence": read_chance(settings["confidence"], "confidence"),
        "limits_hold": limits_hold,
        "method": settings["method"],
    }


COVERAGE = Experiment(
    name="coverage",
    about="How often plans from estimated rates miss the true target, at a confidence and without.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
)
