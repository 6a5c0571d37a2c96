"""The page of :mod:`reproduction.exchangeability`: tables, sentences and figure, from its results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from reproduction.experiment import Table
from reproduction.figures import Figure, Panel, draw_panels

Row = Mapping[str, Any]

WAYS = {"bought": "bought where it is cheapest", "shared": "shared equally"}
_NEVER = "never"


def _say_ratio(value: float | None) -> str:
    return _NEVER if value is None else f"{value:.3g}"


def _say_way(row: Row, way: str) -> str:
    judged = row[way]
    return f"{judged['failure']:.3g}{' missed' if judged['is_missed'] else ''}"


def _show(title: str, rows: Sequence[Row], column: str, key: str) -> Table:
    columns = (column, "distance", "optimum", "fails, bought", "fails, shared", "cost", "scaled up", "alone")
    cells = [
        (
            f"{row[key]:g}",
            f"{row['distance']:.3g}",
            f"{row['optimum']:g}",
            _say_way(row, "bought"),
            _say_way(row, "shared"),
            _say_ratio(row["bought"]["ratio"]),
            _say_ratio(row["scaled"]),
            _say_ratio(row["alone"]),
        )
        for row in rows
    ]
    return Table(f"{title}; costs as multiples of the optimum", columns, cells, left=0)


def _say_missed(row: Row, way: str) -> str:
    low, high = row["intervals"][way] or (0.0, 1.0)
    return f"{row['missed'][way]} ({low:.0%} to {high:.0%})"


def _show_drawn(rows: Sequence[Row]) -> Table:
    columns = (
        "concentration",
        "distance",
        "drawn",
        "missed, bought",
        "missed, shared",
        "scaled up",
        "never",
        "alone",
    )
    cells = [
        (
            f"{row['concentration']:g}",
            f"{row['distance']:.3g}",
            str(row["federations"]),
            _say_missed(row, "bought"),
            _say_missed(row, "shared"),
            "-" if row["scaled"] is None else f"{row['scaled']:.3g} ({row['scaled_most']:.3g})",
            str(row["never"]),
            _say_ratio(row["alone"]),
        )
        for row in rows
        if row["federations"]
    ]
    return Table("Random federations: missed (95% interval); costs / optimum, mean (most)", columns, cells, left=0)


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show the two agents, the paper's example, and what was drawn."""
    return [
        _show("Two agents, from identical to disjoint data", results["two"], "t", "degree"),
        _show("Alice and Bob", results["alice_bob"], "epsilon", "epsilon"),
        _show_drawn(results["drawn"]),
    ]


def _say_two(rows: Sequence[Row], way: str) -> str:
    missed = [row for row in rows if row[way]["is_missed"]]
    if not missed:
        return f"two agents: {WAYS[way]}, as many samples as one needs alone meet the targets at every t"
    first = min(missed, key=lambda row: row["degree"])
    worst = max(missed, key=lambda row: row[way]["failure"])
    return (
        f"two agents: {WAYS[way]}, as many samples as one needs alone miss a target at {len(missed)} of "
        f"{len(rows)} degrees, first at t = {first['degree']:g}, and fail with probability "
        f"{worst[way]['failure']:.3g} at t = {worst['degree']:g}"
    )


def _say_scaled(rows: Sequence[Row], most: int) -> str:
    known = [row for row in rows if row["scaled"] is not None]
    never = [f"{row['degree']:g}" for row in rows if row["scaled"] is None]
    end = f"; {most:,} samples are not enough at t = {', '.join(never)}" if never else ""
    if not known:
        return f"two agents: buying more in the same way never meets the targets{end}"
    worst = max(known, key=lambda row: row["scaled"])
    return (
        f"two agents: buying more in the same way until the targets are met costs up to {worst['scaled']:.3g} "
        f"times the optimum, at t = {worst['degree']:g}, where each alone costs {worst['alone']:.3g} times{end}"
    )


def _say_alice_bob(rows: Sequence[Row]) -> str:
    missed = sum(row["bought"]["is_missed"] for row in rows)
    worst = max(rows, key=lambda row: row["bought"]["ratio"])
    return (
        f"Alice and Bob: counting samples misses a target at {missed} of {len(rows)} epsilon; it costs up to "
        f"{worst['bought']['ratio']:.3g} times the optimum, at epsilon = {worst['epsilon']:g}, and each alone "
        f"{worst['alone']:.3g} times"
    )


def _say_drawn(rows: Sequence[Row], way: str) -> str:
    low, high = (end(rows, key=lambda row: row["distance"]) for end in (min, max))
    shares = [row["missed"][way] / row["federations"] for row in (low, high)]
    verdict = "more often where data differ most" if shares[1] > shares[0] else "not more often where they do"
    return (
        f"random federations: {WAYS[way]}, it misses a target in {shares[0]:.0%} at distance "
        f"{low['distance']:.2g} and in {shares[1]:.0%} at {high['distance']:.2g}: {verdict}"
    )


def _say_drawn_costs(rows: Sequence[Row]) -> str:
    """Say what scaling up and going alone cost where data differ most."""
    high = max(rows, key=lambda row: row["distance"])
    scaled = "" if high["scaled"] is None else f" costs {high['scaled']:.3g} times the optimum on average, and"
    return (
        f"random federations at distance {high['distance']:.2g}: buying more in the same way{scaled} is never "
        f"enough in {high['never']} of {high['federations']}; each alone costs {high['alone']:.3g} times"
    )


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say how often counting samples misses, and what it costs."""
    drawn = [row for row in results["drawn"] if row["federations"]]
    said = [_say_two(results["two"], way) for way in WAYS]
    said += [_say_scaled(results["two"], results["most_samples"]), _say_alice_bob(results["alice_bob"])]
    return said + ([*(_say_drawn(drawn, way) for way in WAYS), _say_drawn_costs(drawn)] if drawn else [])


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw failure and cost of the two agents against how much their data differ."""
    rows = sorted(results["two"], key=lambda row: row["degree"])
    failures = Panel(
        title="failure of as many samples as one needs alone",
        y_axis="largest failure probability",
        lines={name: [row[way]["failure"] for row in rows] for way, name in WAYS.items()},
        limits={},
        level=("delta", results["delta"]),
    )
    costs = Panel(
        title="what meeting the targets costs",
        y_axis="cost / optimum",
        lines={
            "buying more in the same way": [math.nan if row["scaled"] is None else row["scaled"] for row in rows],
            "each alone": [row["alone"] for row in rows],
        },
        limits={},
        level=("optimum", 1.0),
    )
    x_axis = "heterogeneity t: identical data at 0, disjoint at 1"
    return draw_panels([row["degree"] for row in rows], [failures, costs], x_axis=x_axis, scale="linear")
