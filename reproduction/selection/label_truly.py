"""Whether every site's choice is near its best candidate, if labels are the true ones and no candidate is right.

Two ways, at the same epsilon, and the same delta for all sites together:

- ``plan``: the quotas of a plan, drawn with replacement and pooled; the candidate with the fewest mistakes is
  taken, the first of several. A plan assumes that a candidate is right, so of this nothing is promised.
- ``adaptive``: nothing is assumed, every site has a choice of its own, and labelling ends with the proof.

Near is a choice whose regret on all of the site's points is at most epsilon: that is what is promised. Beside them
stands what a plan asks for that assumes nothing either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.experiment import NO_END, Answer, Arrays, Settings, Task
from reproduction.federated.risk_minimisation import choose, draw_places
from reproduction.federated.sites import Points
from reproduction.selection.parameters import read_parameters
from reproduction.selection.sites import Data, federate, pack_collection, read_class, row_of, unpack_collection
from reproduction.tallies import exceeds

PLAN, ADAPTIVE = "plan", "adaptive"


def cut(settings: Settings, data: Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """One cell per class that was trained."""
    asked = read_parameters(settings).true_labels
    return [
        Task(
            asked | {"federation": one["name"], "seed": one["seed"], "sites": one["sites"]},
            pack_collection(read_class(one)),
        )
        for one in earlier[0]
    ]


def _judge(is_near: Any, labels: Any) -> Answer:
    """Sum up which sites' choices are near the best (draws, k), and how many labels each draw took."""
    return {
        "draws": len(is_near),
        "near": np.mean(is_near, axis=0).tolist(),
        "all_near": int(np.all(is_near, axis=1).sum()),
        "labels": float(np.mean(labels)),
        "most": int(np.max(labels)),
    }


def label_truly(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Label one federation truly, in both ways."""
    collection = unpack_collection(arrays, cell["sites"])
    asked = {"epsilon": cell["epsilon"], "delta": cell["delta"], "guarantee": "joint"}
    fed, regret = federate(collection, **asked), np.array([own.regret for own in collection.values()])
    m = fp.plan(fed, cell["method"], time_limit=NO_END).m
    own = [Points(one.labels, one.said) for one in collection.values()]
    places = draw_places(own, m, cell["draws"], np.random.default_rng([cell["seed"], 1]))
    by_plan = ~exceeds(regret[:, choose(own, places, m)].T, cell["epsilon"])
    near, labels = [], []
    truth = {site: one.labels for site, one in collection.items()}
    for order in range(cell["orders"]):
        found = fp.select(fed, truth, assume="agnostic", rng=order)
        rows = [row_of(found.chosen[site]) for site in collection]
        near.append(~exceeds(regret[np.arange(fed.k), rows], cell["epsilon"]))
        labels.append(found.labels)
    nothing_assumed = fp.plan(fed.replace(assume="agnostic"), "union", time_limit=NO_END)
    return {
        "federation": cell["federation"],
        "seed": cell["seed"],
        "agnostic_plan": float(nothing_assumed.m.sum()),
        "sites": list(collection),
        "points": [len(one.labels) for one in collection.values()],
        "candidates": fed.H,
        "best_error": [float((one.said != one.labels).mean(axis=1).min()) for one in collection.values()],
        "ways": {PLAN: _judge(by_plan, int(m.sum())), ADAPTIVE: _judge(np.array(near), labels)},
    }
