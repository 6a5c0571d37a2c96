"""Honest and lying hospitals, simulated, against what the check of contributions promises.

The sites of :func:`reproduction.simulate_contributions`, for an example of the catalogue: false alarms
among honest ones beside the level, and lies that are caught beside the exact lower bound from the most telling
pair alone. A cell has all agents at one quota, with random numbers of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.contribution_check_page import conclude, draw, tabulate
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from reproduction.simulate_contributions import simulate_contributions
from reproduction.simulated_sites import simulate_sites
from reproduction.tallies import clopper_pearson
from reproduction.values import read_chance, read_each, read_share, read_size, read_whole_number


def _read_federation(name: str) -> str:
    """Read the name of an example that sites can be drawn from."""
    fed = fp.examples.build(name)
    simulate_sites(fed, np.random.default_rng(0))
    if fed.k < 2:
        raise fp.FederationError(
            f"federation must have at least two agents, to lie with another's data; {name!r} has 1"
        )
    return name


def _read_settings(settings: Settings) -> dict[str, Any]:
    """Read what all cells have in common."""
    sizes = {key: read_whole_number(settings[key], key, least=1) for key in ("sites", "lying_sites")}
    return sizes | {
        "federation": _read_federation(settings["federation"]),
        "lies": read_each(settings, "lies", read_share),
        "level": read_chance(settings["level"], "level"),
    }


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    about = _read_settings(settings)
    read_chance(settings["confidence"], "confidence")
    quotas = list(
        dict.fromkeys(read_each(settings, "quotas", lambda m, key: read_size(m, key, least=1, most=10**6)))
    )
    return [Task(about | {"m": m, "seed": seed}) for m in quotas for seed in range(settings["seeds"])]


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    asked = {key: cell[key] for key in ("m", "lies", "level", "sites", "lying_sites")}
    rng = np.random.default_rng([cell["seed"], cell["m"]])
    return dict(simulate_contributions(fp.examples.build(cell["federation"]), rng=rng, **asked))


def _gather(answers: Sequence[Answer], key: str) -> list[Answer]:
    """Add up the sites of rows that are about the same."""
    groups: dict[Any, Answer] = {}
    for row in (row for answer in answers for row in answer[key]):
        about = row["agent"], row["m"], row.get("lie")
        known = groups.get(about, {"sites": 0, "flagged": 0})
        groups[about] = row | {count: known[count] + row[count] for count in ("sites", "flagged")}
    return list(groups.values())


def _judge(rows: Sequence[Answer], level: float) -> str:
    """Tell how false alarms compare with the level, by the limits of all rows at once."""
    if any(row["low"] > level for row in rows):
        return "above"
    return "within" if all(row["high"] <= level for row in rows) else "not-above"


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    """Add up the draws; the limits of all honest rows hold at once with the confidence."""
    confidence, level = (read_chance(settings[key], key) for key in ("confidence", "level"))
    honest, lying = (_gather(answers[0], key) for key in ("honest", "lying"))
    risk = (1 - confidence) / len(honest) / 2
    for row in honest:
        row["low"], row["high"] = clopper_pearson(row["flagged"], row["sites"], risk)
    return {
        "federation": settings["federation"],
        "honest": honest,
        "lying": lying,
        "status": _judge(honest, level),
        "level": level,
        "confidence": confidence,
    }


CONTRIBUTION_CHECK = Experiment(
    name="contribution-check",
    about="How often the check of contributions flags honest sites, and sites that lie.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
)
