"""How many labels a proof takes on public predictions, where nothing is assumed.

Every collection is labelled in many random orders (``orders``), at every epsilon, until each site's choice is
proved, in several ways:

- ``pools``: the promise is about the collection's own points, which are labelled one by one;
- ``batch b``: the same, and b labels of a site come in before one looks again;
- ``distributions``: the promise is about what the points were drawn from, at a confidence;
- ``chosen before``: of pools, with several sites that begin one after the other, each expecting most of what was
  chosen before it.

delta is for all sites together. What is true of the pools is known, so every choice and every certificate is held
against it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.data.public_predictions import Collection
from reproduction.experiment import Answer, Arrays, Settings, Task
from reproduction.selection.parameters import read_parameters
from reproduction.selection.sites import (
    Data,
    federate,
    pack_collection,
    read_class,
    row_of,
    unpack_collection,
)
from reproduction.tallies import exceeds

POOLS, DISTRIBUTIONS, CHOSEN_BEFORE = "pools", "distributions", "chosen before"


def find_hoeffding(H: int, k: int, epsilon: float, delta: float) -> int:
    """Labels of all k sites with which Hoeffding's inequality and a union bound promise the same.

    Examples
    --------
    >>> find_hoeffding(30, 1, 0.05, 0.05)
    5673
    """
    return k * math.ceil(2 / epsilon**2 * math.log(2 * H * k / delta))


def _list_ways(k: int, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    batches = [one for one in asked["batches"] if one > 1]
    ways: list[dict[str, Any]] = [{"way": POOLS, "batch": 1}]
    ways += [{"way": f"batch {one}", "batch": one} for one in batches]
    ways += [{"way": DISTRIBUTIONS, "batch": 1, "confidence": asked["confidence"]}]
    return ways + ([{"way": CHOSEN_BEFORE, "batch": 1, "weights": "chosen-before"}] if k > 1 else [])


def cut(settings: Settings, data: Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """One cell per collection, epsilon and way; without data it is the first class that was trained."""
    asked = read_parameters(settings).labels
    stand_in = earlier[0][:1] if data.has_stand_in else []
    collections = data.collections | {one["name"]: read_class(one) for one in stand_in}
    return [
        Task(
            {"collection": name, "sites": list(own), "epsilon": epsilon, "delta": asked["delta"]}
            | {"orders": asked["orders"], "way": way},
            pack_collection(own),
        )
        for name, own in collections.items()
        for epsilon in asked["epsilons"]
        for way in _list_ways(len(own), asked)
    ]


def _count(selection: Any, collection: Collection) -> dict[str, int]:
    """Count the sites of one run that have their proof, and what is not as it says."""
    regret = {site: own.regret[row_of(selection.chosen[site])] for site, own in collection.items()}
    proved = selection.certified_epsilon
    certified = [site for site in collection if not exceeds(proved[site], selection.epsilon[site])]
    return {
        "certified": len(certified),
        "above": sum(bool(exceeds(regret[site], selection.epsilon[site])) for site in certified),
        "false": sum(bool(exceeds(regret[site], proved[site])) for site in collection),
    }


def count_labels(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Label one collection in one way, in every order."""
    collection = unpack_collection(arrays, cell["sites"])
    fed = federate(collection, epsilon=cell["epsilon"], delta=cell["delta"], guarantee="joint")
    labels = {site: own.labels for site, own in collection.items()}
    options = dict(cell["way"])
    way, runs, steps = options.pop("way"), [], {}
    for order in range(cell["orders"]):
        found = fp.select(fed, labels, assume="agnostic", rng=order, **options)
        runs.append({"labels": found.labels, "rounds": found.rounds} | _count(found, collection))
        if order == 0 and way == POOLS:
            steps = {
                site: [[step.labels, step.epsilon] for step in own] + [[found.labels_asked[site], own[-1].epsilon]]
                for site, own in found.steps.items()
            }
    values = {key: np.array([run[key] for run in runs]) for key in runs[0]}
    H, k = len(next(iter(collection.values())).said), len(collection)
    return {
        "collection": cell["collection"],
        "way": way,
        "batch": options["batch"],
        "epsilon": cell["epsilon"],
        "sites": list(collection),
        "candidates": H,
        "points": sum(len(own.labels) for own in collection.values()),
        "orders": cell["orders"],
        "mean": float(values["labels"].mean()),
        "most": int(values["labels"].max()),
        "rounds": float(values["rounds"].mean()),
        "certified": float(values["certified"].mean() / k),
        "above": int(values["above"].sum()),
        "false": int(values["false"].sum()),
        "hoeffding": find_hoeffding(H, k, cell["epsilon"], cell["delta"]) if cell["epsilon"] else None,
        "steps": steps,
    }
