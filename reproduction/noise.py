"""What privacy costs: plans from reports with noise, beside plans from the same reports without.

Three sites have candidates that err at each point with a chance of the site's own, independently, so that two of
them disagree at a rate that is known. Each site's counts get the noise that :func:`fedpact.sites.add_noise` would
give them for the privacy budget: the same scale, by OpenDP's accounting. OpenDP draws from the operating system,
so that nobody can take its noise off again; here, where nothing is secret, rounded Gaussians of that scale are
drawn from a seed, so that anybody can compute the same. Plans are made at a confidence, by ``union``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import fedpact as fp
from reproduction.experiment import Answer, Arrays, Experiment, Settings, Stage, Table, Task
from reproduction.figures import Figure, draw_lines
from reproduction.values import read_chance, read_each, read_positive, read_size

_MOST_CANDIDATES, _MOST_POINTS = 1000, 10**7


def _read_count(most: int) -> Any:
    return lambda value, key: read_size(value, key, least=2, most=most)


def _cut(settings: Settings, data: None, earlier: Sequence[Sequence[Answer]]) -> list[Task]:
    about: dict[str, Any] = {key: read_chance(settings[key], key) for key in ("epsilon", "delta", "confidence")}
    about["errors"] = read_each(settings, "errors", read_chance)
    about["budget"] = [
        read_positive(settings["privacy_epsilon"], "privacy_epsilon"),
        read_chance(settings["privacy_delta"], "privacy_delta"),
    ]
    return [
        Task(about | {"H": H, "n": n, "seeds": settings["seeds"]})
        for H in read_each(settings, "candidates", _read_count(_MOST_CANDIDATES))
        for n in read_each(settings, "points", _read_count(_MOST_POINTS))
    ]


def _make_reports(cell: Mapping[str, Any]) -> list[fp.Report]:
    """Count where the candidates of every site disagree."""
    draw = np.random.default_rng(0)
    return [
        fp.report(draw.random((cell["H"], cell["n"])) < error, name=f"site-{place}", n_classes=2)
        for place, error in enumerate(cell["errors"], start=1)
    ]


def _make_noisy(site: fp.Report, scale: float, budget: Sequence[float], rng: np.random.Generator) -> fp.Report:
    drawn = site.counts.astype(np.int64) + np.rint(rng.normal(0, scale, len(site.counts))).astype(np.int64)
    noise = fp.sites.Noise(scale=scale, privacy_epsilon=budget[0], privacy_delta=budget[1])
    return replace(site, counts=np.clip(drawn, 0, site.n), noise=noise)


def _find_scale(site: fp.Report, budget: Sequence[float]) -> float:
    """Scale of the noise that a report gets; it hangs on the number of candidates and the budget alone."""
    noise = fp.sites.add_noise(site, privacy_epsilon=budget[0], privacy_delta=budget[1]).noise
    assert noise is not None, "was just added"
    return noise.scale


def _find_cost(cell: Mapping[str, Any], sites: Sequence[fp.Report]) -> float:
    fed = fp.Federation.from_reports(sites, epsilon=cell["epsilon"], delta=cell["delta"])
    return fp.plan(fed, "union", confidence=cell["confidence"]).cost


def _compute(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    sites, budget = _make_reports(cell), cell["budget"]
    scale = _find_scale(sites[0], budget)
    costs = []
    for seed in range(cell["seeds"]):
        rng = np.random.default_rng([seed, cell["H"], cell["n"]])
        costs.append(_find_cost(cell, [_make_noisy(site, scale, budget, rng) for site in sites]))
    return {
        "candidates": cell["H"],
        "points": cell["n"],
        "scale": scale,
        "counts": [float(site.counts.mean()) for site in sites],
        "exact": _find_cost(cell, sites),
        "noisy": {"mean": float(np.mean(costs)), "least": min(costs), "most": max(costs)},
    }


def _sum_up(settings: Settings, data: None, answers: Sequence[Sequence[Answer]]) -> Answer:
    return {"draws": settings["seeds"], "rows": answers[0]}


def _tabulate(results: Mapping[str, Any]) -> list[Table]:
    rows = [
        (
            f"{row['candidates']:,}",
            f"{row['points']:,}",
            f"{row['scale']:.1f}",
            f"{row['exact']:g}",
            f"{row['noisy']['mean']:.1f}",
            f"{row['noisy']['least']:g} - {row['noisy']['most']:g}",
        )
        for row in results["rows"]
    ]
    columns = (
        "candidates",
        "points of a site",
        "scale of the noise",
        "cost without",
        "with noise",
        "least - most",
    )
    return [
        Table(
            f"Samples that a plan asks for; with noise the mean of {results['draws']} draws", columns, rows, left=0
        )
    ]


def _conclude(results: Mapping[str, Any]) -> list[str]:
    ratios = {(row["candidates"], row["points"]): row["noisy"]["mean"] / row["exact"] for row in results["rows"]}
    (H, n), dearest = max(ratios.items(), key=lambda entry: entry[1])
    free = sum(ratio <= 1.01 for ratio in ratios.values())
    return [
        f"noise makes plans at most {dearest:.1f} times as dear, with {H:,} candidates and {n:,} points",
        f"in {free} of {len(ratios)} cases it costs a hundredth at most: counts grow with points, noise does not",
    ]


def _draw(results: Mapping[str, Any]) -> Figure:
    rows = results["rows"]
    return draw_lines(
        {
            f"{H} candidates": [row["noisy"]["mean"] / row["exact"] for row in rows if row["candidates"] == H]
            for H in dict.fromkeys(row["candidates"] for row in rows)
        },
        x=list(dict.fromkeys(row["points"] for row in rows)),
        title="what noise in reports costs",
        x_axis="unlabelled points of a site",
        y_axis="cost with noise / without",
    )


NOISE = Experiment(
    name="noise",
    about="What privacy costs: plans from reports with noise beside plans from the same reports without.",
    stages=(Stage(cut=_cut, compute=_compute),),
    sum_up=_sum_up,
    tabulate=_tabulate,
    conclude=_conclude,
    draw=_draw,
    packages=("opendp",),
    extras=("privacy",),
)
