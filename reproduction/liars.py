"""What sites that lie can do in a run, and whether the operator is told.

Candidates err at every site's points, each with a chance of its own; the first is right everywhere and labels at
honest sites. Liars do what broke version 0.1: they invent their points, so that candidates seem to differ on half
of them and the plan relies on liars, and label by one and the same candidate that is wrong. A target is broken if
the chosen candidate errs more often than epsilon at an honest site. The operator is told if the outcome is
disputed, or if all samples are one site's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Table, Task
from reproduction.tallies import exceeds
from reproduction.values import read_chance, read_choice, read_each, read_size

METHODS = ("lp", "union", "tree")


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    about: dict[str, Any] = {key: read_chance(settings[key], key) for key in ("epsilon", "delta", "most_wrong")}
    about |= {key: read_size(settings[key], key, least=3, most=1000) for key in ("sites", "candidates")}
    about["points"] = read_size(settings["points"], "points", least=10, most=10**5)
    about["method"] = read_choice(settings["method"], "method", METHODS)
    counts = read_each(
        settings, "liars", lambda value, key: read_size(value, key, least=0, most=about["sites"] - 1)
    )
    return [
        Task(about | {"liars": count, "withstands_liar": withstands, "seeds": settings["seeds"]})
        for count in counts
        for withstands in (False, True)
    ]


def _make_federation(cell: Mapping[str, Any], rng: np.random.Generator) -> fp.Federation:
    said: dict[str, list[NDArray[np.int64]]] = {}
    for place in range(cell["sites"]):
        truth = rng.integers(0, 2, cell["points"])
        said[f"site-{place + 1}"] = [
            np.where(rng.random(cell["points"]) < wrong, 1 - truth, truth)
            for wrong in np.linspace(0, cell["most_wrong"], cell["candidates"])
        ]
    return fp.Federation.from_predictions(said, epsilon=cell["epsilon"], delta=cell["delta"])


def _let_lie(site: Any, rng: np.random.Generator, candidate: int) -> Any:
    """Let a site invent its points, and label by a candidate that is wrong."""
    invented = rng.integers(0, 2, site.pool.predicted.labels.shape)
    pool = replace(site.pool, predicted=replace(site.pool.predicted, labels=invented))
    return replace(site, pool=pool, labeller=lambda places: invented[candidate][places])


def _run(cell: Mapping[str, Any], seed: int) -> tuple[bool, bool, int]:
    """Whether an honest target is broken, whether the operator is told, and how many samples were labelled."""
    rng = np.random.default_rng([seed, cell["liars"]])
    fed = _make_federation(cell, rng)
    sites = fp.protocol.simulate_sites(fed, teacher=fed.hypotheses[0], seed=seed)
    quotas = fp.plan(fed, cell["method"]).contributions
    liars = sorted(quotas, key=lambda name: (quotas[name] == 0, quotas[name], name))[: cell["liars"]]
    sites |= {name: _let_lie(sites[name], rng, cell["candidates"] * 2 // 3) for name in liars}
    terms = {"method": cell["method"], "withstands_liar": cell["withstands_liar"]}
    outcome = fp.protocol.run(fed, sites, **terms)
    chosen = fed.hypotheses.index(outcome.hypothesis)
    errors = [np.mean(own[chosen] != own[0]) for name, own in fed.labels.items() if name not in liars]
    labelled = [m for m in outcome.contributions.values() if m]
    is_told = outcome.status.value == "disputed" or len(labelled) == 1
    return bool(exceeds(errors, cell["epsilon"]).any()), is_told, sum(labelled)


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    broken, told, samples = (
        np.array(column) for column in zip(*(_run(cell, s) for s in range(cell["seeds"])), strict=True)
    )
    return {
        "liars": cell["liars"],
        "sites": cell["sites"],
        "withstands_liar": cell["withstands_liar"],
        "runs": cell["seeds"],
        "samples": float(samples.mean()),
        "broken": int(broken.sum()),
        "unseen": int((broken & ~told).sum()),
        "told": int(told.sum()),
    }


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    return {"rows": answers[0]}


def _tabulate(results: Mapping[str, Any]) -> list[Table]:
    rows = [
        (
            f"{row['liars']} of {row['sites']}",
            "one" if row["withstands_liar"] else "none",
            f"{row['samples']:.1f}",
            f"{row['broken']} of {row['runs']}",
            f"{row['unseen']} of {row['runs']}",
            f"{row['told']} of {row['runs']}",
        )
        for row in results["rows"]
    ]
    columns = (
        "liars",
        "planned to withstand",
        "samples",
        "an honest target is broken",
        "and nobody is told",
        "told",
    )
    return [Table("Runs with sites that lie", columns, rows, left=2)]


def _conclude(results: Mapping[str, Any]) -> list[str]:
    said = []
    for row in results["rows"]:
        if row["liars"] == 1:
            way = "planned to withstand one" if row["withstands_liar"] else "planned as usual"
            broken = f"an honest target is broken in {row['broken']} of {row['runs']} runs"
            said.append(f"one liar of {row['sites']}, {way}: {broken}, in {row['unseen']} of them unseen")
    return said


LIARS = Experiment(
    name="liars",
    about="What sites that lie can do in a run, and whether the operator is told.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=_tabulate,
    conclude=_conclude,
)
