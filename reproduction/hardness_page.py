"""The page of :mod:`reproduction.hardness`: tables, sentences and figure, from its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reproduction.experiment import Table
from reproduction.figures import Figure, Panel, draw_panels

METHODS = ("lp", "union", "tree", "greedy")
"""Compared with the smallest cover; "greedy" is that of set cover and plans nothing."""
TITLES = {
    "one agent": "The paper's reduction: one agent, delta close to 1",
    "one agent per set": "One agent per set, any delta",
}
_TOP_DELTA = "~ 1"


def _say_ratio(ratio: Mapping[str, float]) -> str:
    return f"{ratio['mean']:.3g} ({ratio['most']:.3g})"


def _show(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    columns = ("elements", "sets", "delta", "instances", "equal", "cover", "boxes", *METHODS)
    cells = [
        (
            str(row["elements"]),
            str(row["sets"]),
            _TOP_DELTA if row["delta"] is None else f"{row['delta']:g}",
            f"{row['instances']:,}",
            f"{row['agree']:,}",
            f"{row['cover']:.2f}",
            f"{row['boxes']['mean']:.3g} ({row['boxes']['most']:,})",
            *(_say_ratio(row["ratios"][method]) for method in METHODS),
        )
        for row in rows
    ]
    return Table(
        f"{title}: plans equal to the cover; boxes and costs / cover as mean (most)", columns, cells, left=0
    )


def _of(results: Mapping[str, Any], reduction: str) -> list[Mapping[str, Any]]:
    return [row for row in results["rows"] if row["reduction"] == reduction]


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show both reductions, a row for every size."""
    return [_show(title, _of(results, reduction)) for reduction, title in TITLES.items()]


def _say_equal(rows: Sequence[Mapping[str, Any]], reduction: str) -> str:
    total, agree, proved = (sum(row[key] for row in rows) for key in ("instances", "agree", "proved"))
    verdict = "the reduction holds on every one" if total == agree == proved else "the reduction is not shown"
    return (
        f"{reduction}: the exact plan has as many samples as the smallest cover has sets in {agree:,} of "
        f"{total:,} instances, proved to be optimal in {proved:,}: {verdict}"
    )


def _say_asked(rows: Sequence[Mapping[str, Any]]) -> str:
    asked, right = (sum(row[key] for row in rows) for key in ("asked", "right"))
    verdict = "always" if asked == right else f"not in {asked - right:,} of them"
    return (
        f"one agent: whether m samples are enough was asked {asked:,} times with 1 - delta = |X|^-m, and it said "
        f"whether m sets cover {verdict} (ERRATA B2)"
    )


def _say_factor(rows: Sequence[Mapping[str, Any]]) -> str:
    factor, worst = min(row["factor"] for row in rows), max(row["ratios"]["lp"]["most"] for row in rows)
    return (
        f"one agent: at these deltas the paper's approximation factor 1 + log H / log(1/delta) is at least "
        f"{factor:,.0f}; its program costs up to {worst:.3g} times the smallest cover"
    )


def _say_planners(rows: Sequence[Mapping[str, Any]]) -> str:
    worst = ", ".join(f"{name} {max(row['ratios'][name]['most'] for row in rows):.3g}" for name in METHODS)
    return f"one agent per set: at the worst the others cost this many times the smallest cover: {worst}"


def _say_growth(rows: Sequence[Mapping[str, Any]]) -> str:
    first, last = rows[0], rows[-1]
    return (
        f"one agent per set: the exact search looks at {first['boxes']['mean']:.3g} boxes on average with "
        f"{first['sets']} sets and at {last['boxes']['mean']:.3g} with {last['sets']}, at "
        f"{last['boxes']['most']:,} at the most"
    )


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say whether plans answer set cover, and at what work."""
    paper, ours = (_of(results, reduction) for reduction in TITLES)
    return [
        _say_equal(paper, "one agent"),
        _say_asked(paper),
        _say_factor(paper),
        _say_equal(ours, "one agent per set"),
        _say_planners(ours),
        _say_growth(ours),
    ]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw the work of the exact search and what the planners cost, by number of sets, at the first delta."""
    every = _of(results, "one agent per set")
    rows = [row for row in every if row["delta"] == every[0]["delta"]]
    work, cost = "boxes", "cost"
    panels = [
        Panel(
            title=f"work of the exact search, delta = {every[0]['delta']:g}",
            y_axis="boxes looked at",
            lines={work: [row["boxes"]["mean"] for row in rows]},
            limits={work: [(row["boxes"]["least"], row["boxes"]["most"]) for row in rows]},
            level=("a single box", 1.0),
        ),
        Panel(
            title="what plans cost",
            y_axis=f"{cost} / smallest cover",
            lines={method: [row["ratios"][method]["mean"] for row in rows] for method in METHODS},
            limits={},
            level=("smallest cover", 1.0),
        ),
    ]
    return draw_panels([row["sets"] for row in rows], panels, x_axis="sets")
