"""How many labels it takes to find a candidate that labels, rightly or with some labels wrong.

Every candidate of a federation labels in turn. Labels are right (noise 0) or each is wrong with probability
``noise``, then one of the other labels that candidates give there. Beside a plan's samples stand

- ``asked``: the labels of the same plan's draws that are not implied by those before;
- ``chosen``: those of adaptive labelling.

A choice misses if it differs from who labels on more than epsilon of some site's points. Samples of the Arizona
hospitals cost what each charges, others 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.data.public_predictions import Collection
from reproduction.experiment import NO_END, Answer, Arrays, Settings, Task
from reproduction.selection.parameters import ARIZONA, read_parameters
from reproduction.selection.sites import Data, federate, pack_collection, read_class, row_of, unpack_collection
from reproduction.tallies import exceeds

ASKED, CHOSEN = "asked where not implied", "chosen"
PLANNERS = ("lp", "union", "tree")


def cut(settings: Settings, data: Data, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    """One cell for the Arizona hospitals and one per class that was trained."""
    wish = read_parameters(settings)
    tasks = [Task(wish.truths | {"federation": ARIZONA, "seed": 0})] if ARIZONA in wish.federations else []
    for one in earlier[0]:
        about = {"federation": one["name"], "seed": one["seed"], "sites": one["sites"]}
        tasks.append(Task(wish.truths | about, pack_collection(read_class(one))))
    return tasks


def flip_labels(
    collection: Collection, truth: int, noise: float, rng: np.random.Generator
) -> Callable[[str, NDArray[Any]], NDArray[np.int64]]:
    """Label by one candidate, each label wrong with some probability.

    Examples
    --------
    >>> from reproduction.data.public_predictions import Labelled
    >>> north = {"north": Labelled(np.array([[0, 1], [1, 1]]), np.array([0, 0]))}
    >>> flip_labels(north, 0, 0.0, np.random.default_rng(0))("north", np.array([0, 1])).tolist()
    [0, 1]
    """

    def label(site: str, points: NDArray[Any]) -> NDArray[np.int64]:
        said = collection[site].said[:, points]
        found = said[truth].copy()
        for place in np.flatnonzero(rng.random(len(points)) < noise).tolist():
            others = np.unique(said[said[:, place] != found[place], place])
            found[place] = rng.choice(others) if len(others) else found[place]
        return found

    return label


def _has_missed(fed: fp.Federation, rates: NDArray[np.float64], chosen: Mapping[str, str], truth: str) -> bool:
    rows = [fed.hypotheses.index(chosen[site]) for site in fed.names]
    apart = rates[np.arange(fed.k), rows, fed.hypotheses.index(truth)]
    return bool(exceeds(apart, fed.epsilon).any())


def _sum_up(found: Sequence[tuple[float, bool, bool]]) -> Answer:
    cost, certified, missed = (np.array(column) for column in zip(*found, strict=True))
    return {
        "runs": len(found),
        "mean": float(cost.mean()),
        "most": float(cost.max()),
        "certified": float(certified.mean()),
        "missed": int(missed.sum()),
    }


def label_by_candidate(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Let every candidate of one federation label."""
    collection = unpack_collection(arrays, cell.get("sites", ()))
    asked = {"epsilon": cell["epsilon"], "delta": cell["delta"]}
    fed = federate(collection, **asked) if collection else fp.examples.build(ARIZONA)
    fed = fed if collection else fed.replace(**asked)
    rates = fp.planning.disagreement(fed)
    plans = {method: fp.plan(fed, method, time_limit=NO_END) for method in PLANNERS}
    plan = plans[cell["method"]]

    def run(truth: str, labels: Any, **options: Any) -> tuple[float, bool, bool]:
        found = fp.select(fed, labels, **options)
        is_certified = found.status.value == "certified"
        return found.cost, is_certified, _has_missed(fed, rates, found.chosen, truth)

    ways = {
        ASKED: [
            run(truth, truth, ask="implied-free", plan=plan, rng=draw)
            for truth in fed.hypotheses
            for draw in range(cell["draws"])
        ],
        CHOSEN: [run(truth, truth) for truth in fed.hypotheses],
    }
    rows = [{"noise": 0.0, "way": way} | _sum_up(found) for way, found in ways.items()]
    for noise in cell["noise"] if collection else ():
        noisy = [
            run(
                truth,
                flip_labels(collection, row_of(truth), noise, np.random.default_rng([cell["seed"], draw, at])),
                assume="noisy",
                noise=noise,
                rng=draw,
            )
            for at, truth in enumerate(fed.hypotheses)
            for draw in range(cell["draws"])
        ]
        rows.append({"noise": noise, "way": CHOSEN} | _sum_up(noisy))
    return {
        "federation": cell["federation"],
        "seed": cell["seed"],
        "sites": fed.k,
        "candidates": fed.H,
        "plans": {method: one.cost for method, one in plans.items()},
        "rows": rows,
    }
