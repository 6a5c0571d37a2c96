"""Honest and lying hospitals, simulated, against what the check of contributions promises.

The sites of :func:`fedpact.experiments.simulate_contributions`, for an example of the catalogue: false alarms
among honest ones beside the level, and lies that are caught beside the exact lower bound from the most telling
pair alone. A cell has all agents at one quota, with random numbers of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fedpact.describe.examples import build
from fedpact.describe.numbers import read_chance, read_whole_number
from fedpact.errors import FederationError
from fedpact.experiments.contribution_check_page import conclude, draw, tabulate
from fedpact.experiments.simulate_contributions import (
    ContributionSimulation,
    combine_simulations,
    read_lies,
    simulate_contributions,
)
from fedpact.experiments.simulated_sites import simulate_sites
from fedpact.experiments.sweep.experiment import Answer, Arrays, Experiment, Settings, Stage, Task
from fedpact.mechanism.sample_checks.power import read_quotas


def _read_federation(name: str) -> str:
    """Read the name of an example that sites can be drawn from."""
    fed = build(name)
    simulate_sites(fed, np.random.default_rng(0))
    if fed.k < 2:
        raise FederationError(
            f"federation must have at least two agents, to lie with another's data; {name!r} has 1"
        )
    return name


def _read_settings(settings: Settings) -> dict[str, Any]:
    """Read what all cells have in common."""
    if not settings["lies"]:
        raise FederationError("lies must hold at least one value; it is empty")
    sizes = {key: read_whole_number(settings[key], key, least=1) for key in ("sites", "lying_sites")}
    return sizes | {
        "federation": _read_federation(settings["federation"]),
        "lies": read_lies(settings["lies"]),
        "level": read_chance(settings["level"], "level"),
    }


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    about = _read_settings(settings)
    read_chance(settings["confidence"], "confidence")
    quotas = list(dict.fromkeys(read_quotas(settings["quotas"])))
    return [Task(about | {"m": m, "seed": seed}) for m in quotas for seed in range(settings["seeds"])]


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    sizes = {key: cell[key] for key in ("lies", "level", "sites", "lying_sites")}
    rng = np.random.default_rng([cell["seed"], cell["m"]])
    return simulate_contributions(build(cell["federation"]), quotas=[cell["m"]], rng=rng, **sizes).to_dict()


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    parts = [ContributionSimulation.from_dict(answer) for answer in answers[0]]
    found = combine_simulations(parts, confidence=read_chance(settings["confidence"], "confidence")).to_dict()
    del found["version"]
    return found


CONTRIBUTION_CHECK = Experiment(
    name="contribution-check",
    about="How often the check of contributions flags honest sites, and sites that lie.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=tabulate,
    conclude=conclude,
    draw=draw,
)
