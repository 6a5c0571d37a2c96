"""One federation and seed: plan, ask, draw and choose in every way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.experiment import Answer, Arrays
from reproduction.federated.parameters import WRITERS
from reproduction.federated.quotas import Way, ask
from reproduction.federated.risk_minimisation import (
    choose,
    draw_places,
    find_best,
    simulate_misses,
    simulate_worst,
)
from reproduction.federated.sites import Sites, open_hospitals, open_writers
from reproduction.simulated_sites import SimulatedSites, simulate_sites
from reproduction.tallies import exceeds


class _Drawn(NamedTuple):
    """Everything that the ways of one cell share."""

    cell: Mapping[str, Any]
    sites: Sites
    fed: fp.Federation
    simulated: SimulatedSites
    places: list[NDArray[np.int64]]
    """(draws, most) for every site; a way takes as many from the left as it asks for."""
    best: list[int]
    """The best candidate of every site."""
    needs: list[int]
    """What every site needs alone."""


def _judge_guarantee(drawn: _Drawn, m: NDArray[np.int64], group: tuple[int, ...]) -> dict[str, list[Any]]:
    """Tell for the sites of a group whether their targets are met, and how often they were failed.

    What a site needs alone decides for one that is alone; then no probability is computed.
    """
    fed, draws = drawn.fed, drawn.cell["draws"]
    if len(group) == 1:
        (site,) = group
        share = float(simulate_worst(fed, drawn.simulated, m, draws)[site])
        return {"failure": [None], "is_met": [bool(m[site] >= drawn.needs[site])], "missed": [share]}
    seen = fp.verify(fed, m)
    worst = [fed.hypotheses.index(teacher) for teacher in seen.worst_truth.values()]
    missed = simulate_misses(fed, drawn.simulated, m, draws)[np.arange(fed.k), worst].tolist()
    return {
        "failure": [[one.low, min(1.0, one.high)] for one in seen.failure.values()],
        "is_met": list(seen.met.values()),
        "missed": missed,
    }


def _judge_candidates(drawn: _Drawn, chosen: NDArray[np.intp], group: tuple[int, ...]) -> dict[str, list[Any]]:
    """Tell how the chosen candidates err at test points, and how often within epsilon of the best one."""
    test = list(drawn.sites.test.values())
    errors, within = [], []
    for site in group:
        error = test[site].wrong.mean(axis=1)
        gap = error[chosen] - error[drawn.best[site]]
        errors.append(float(error[chosen].mean()))
        within.append(float((~exceeds(gap, drawn.cell["epsilon"])).mean()))
    return {"error": errors, "within": within}


def _run_way(drawn: _Drawn, way: Way) -> Answer:
    """Judge every group of a way, and put the sites in their order."""
    found: dict[str, list[Any]] = {}
    for group in way.groups:
        m = way.quotas_of(group)
        chosen = choose(list(drawn.sites.own.values()), drawn.places, m)
        judged = _judge_guarantee(drawn, m, group) | _judge_candidates(drawn, chosen, group)
        for key, values in judged.items():
            found.setdefault(key, []).extend(values)
    return {"m": way.m.tolist()} | found


def run_ways(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Compute one cell."""
    sites = (open_writers if cell["federation"] == WRITERS else open_hospitals)(cell, arrays)
    predictions = {name: own.predictions for name, own in sites.own.items()}
    fed = fp.Federation.from_predictions(predictions, cost=1.0, epsilon=cell["epsilon"], delta=cell["delta"])
    asked = ask(fed, cell["method"])
    most = np.max([way.m for way in asked.ways.values()], axis=0)
    rng = np.random.default_rng([cell["seed"], 1])
    best = [find_best(own, test) for own, test in zip(sites.own.values(), sites.test.values(), strict=True)]
    places = draw_places(list(sites.own.values()), most, cell["draws"], np.random.default_rng([cell["seed"], 2]))
    drawn = _Drawn(cell, sites, fed, simulate_sites(fed, rng), places, best, asked.needs)
    errors = zip(sites.test.values(), best, strict=True)
    mistakes = sum(own.wrong.sum(axis=1) for own in sites.own.values())
    return {
        "federation": cell["federation"],
        "seed": cell["seed"],
        "candidates": fed.H,
        "sites": list(fed.names),
        "asked": asked.to_dict(),
        "is_realizable": bool(np.min(mistakes) == 0),
        "best_error": [float(test.wrong[candidate].mean()) for test, candidate in errors],
        "ways": {name: _run_way(drawn, way) for name, way in asked.ways.items()},
    }
