"""Tables, sentences and box plots of mixtures, from their results alone."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from reproduction.composition.boxes import AGENTS, METRICS, find_trend
from reproduction.experiment import Table
from reproduction.figures import BoxPanel, Figure, draw_boxes

_LEVEL = 0.01


def _say_p(p: float | None) -> str:
    return "-" if p is None else "< 1e-16" if p < 1e-16 else f"{p:.2g}"


def tabulate_boxes(results: Mapping[str, Any]) -> list[Table]:
    """For every variant and m the means at up to five lambdas, both ends among them, and the test of the trend."""
    columns = ["m", "agent", "metric", *(f"lambda {share:g}" for share in _pick(results["lambdas"]))]
    columns += ["expected", "steps so", "Page's L", "p"]
    tables = []
    for variant in results["variants"]:
        rows = [
            [f"{m:,}", agent, metric, *_say_row(results, variant, m, agent, metric)]
            for m, agent, metric in product(results["sizes"], AGENTS, METRICS)
        ]
        first, second = results["agents"]
        who = f"agent 1 is {first}" + (f", agent 2 {second}" if variant.startswith("two") else "")
        tables.append(Table(f"{variant}: means over {results['seeds']} seeds; {who}", columns, rows, 3))
    return tables


def _pick(lambdas: list[float]) -> list[float]:
    """Five of the shares at most, both ends among them."""
    last = len(lambdas) - 1
    places = sorted({round(part * last / 4) for part in range(5)})
    return [lambdas[place] for place in places]


def _say_row(results: Mapping[str, Any], variant: str, m: int, agent: str, metric: str) -> list[str]:
    wanted = {"variant": variant, "m": m, "agent": agent, "metric": metric}
    boxes = {box["lambda"]: box for box in results["boxes"] if wanted.items() <= box.items()}
    trend = find_trend(results, variant, m, agent, metric)
    means = [f"{boxes[share]['mean']:.3f}" for share in _pick(results["lambdas"])]
    steps = f"{trend['steps_as_expected']}/{len(results['lambdas']) - 1}"
    statistic = "-" if trend["L"] is None else f"{trend['L']:,.0f}"
    return [*means, trend["expected"], steps, statistic, _say_p(trend["p"])]


def conclude_boxes(results: Mapping[str, Any]) -> list[str]:
    """Say for which m the trends are there."""
    said = []
    for variant in results["variants"]:
        for agent, metric in product(AGENTS, METRICS):
            trends = {m: find_trend(results, variant, m, agent, metric) for m in results["sizes"]}
            clear = [m for m, row in trends.items() if row["p"] is not None and row["p"] < _LEVEL]
            verb = next(iter(trends.values()))["expected"]
            sizes = f"m = {', '.join(f'{m:,}' for m in clear)}" if clear else "no m"
            if all(row["p"] is None for row in trends.values()):
                sizes = "no m, for want of seeds or lambdas to test it with"
            said.append(f"{variant}: {agent}'s {metric} {verb} with lambda (p < {_LEVEL:g}) for {sizes}")
    rows = [row for row in results["trend_in_m"] if row["p"] is not None]
    if not rows:
        return [*said, "whether more samples help is not tested with fewer than three m"]
    clear_in_m = sum(row["p"] < _LEVEL for row in rows)
    said.append(
        f"more samples help: of {len(rows)} trends in m (every lambda, agent and metric) {clear_in_m} have "
        f"p < {_LEVEL:g}"
    )
    return said


def draw_composition(results: Mapping[str, Any]) -> Figure:
    """Box plots over lambda, one colour for every m; a row for every variant."""
    panels = [
        BoxPanel(f"{variant}: {agent}", metric, _groups(results, variant, agent, metric))
        for variant, metric, agent in product(results["variants"], METRICS, AGENTS)
    ]
    shares = [f"{share:g}" for share in results["lambdas"]]
    return draw_boxes(shares, panels, x_axis="lambda, agent 1's share of the samples", columns=4)


def _groups(
    results: Mapping[str, Any], variant: str, agent: str, metric: str
) -> dict[str, list[Mapping[str, Any]]]:
    groups = {}
    for m in results["sizes"]:
        wanted = {"variant": variant, "m": m, "agent": agent, "metric": metric}
        groups[f"m = {m:,}"] = [box for box in results["boxes"] if wanted.items() <= box.items()]
    return groups
