"""The page of :mod:`reproduction.coverage`: tables, sentences and figure, from its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reproduction.experiment import Table
from reproduction.figures import Figure, Panel, draw_panels

Row = Mapping[str, Any]

ALL = "all"
LABELS = {
    "confident": "planned at the confidence",
    "trusting": "estimates taken for the truth",
    "optimal": "optimum of the estimates",
}
WITHIN = "plans at the confidence miss no more often than promised: so say the upper limits of all rows at once"
NOT_ABOVE = "no row refutes the promise; more federations would tell how much less often plans miss"
ABOVE = "some row misses more often than promised: plans do not keep what they say"


def _share(row: Row) -> float:
    return float(row["missed"] / row["federations"])


def _of_plan(rows: Sequence[Row], plan: str) -> list[Row]:
    return [row for row in rows if row["plan"] == plan]


def _show_all(results: Mapping[str, Any]) -> Table:
    rows = [
        (
            f"{row['n']:,}",
            row["plan"],
            f"{row['federations']:,}",
            f"{row['missed']:,}",
            f"{row['undecided']:,}",
            f"{_share(row):.3f}",
            f"{row['low']:.3f} - {row['high']:.3f}",
            f"{row['cost_ratio']:.2f}",
        )
        for row in results["rows"]
    ]
    promise = f"confident plans promise at most {1 - results['confidence']:.6g}"
    columns = ("points", "plan", "federations", "missed", "undecided", "share", "limits", "cost")
    return Table(f"True targets missed by {results['method']}; {promise}", columns, rows, 2)


def _show_families(results: Mapping[str, Any]) -> Table:
    groups: dict[tuple[int, str], list[Row]] = {}
    for row in results["by_family"]:
        groups.setdefault((row["n"], row["family"]), []).append(row)
    rows = []
    for n in sorted({n for n, _ in groups}):
        for (own, family), group in groups.items():
            if own == n:
                missed = [f"{row['missed']} of {row['federations']}" for row in group]
                rows.append([f"{n:,}", family, *missed, *(f"{row['cost_ratio']:.2f}" for row in group)])
    columns = ("points", "family", *LABELS, *(f"cost, {plan}" for plan in LABELS))
    families = "labels drawn one by one, thresholds on a line, noisy copies of one model"
    return Table(f"Missed, and cost, by family: {families}", columns, rows, 2)


def tabulate(results: Mapping[str, Any]) -> list[Table]:
    """Show every plan at every number of points, over all federations and by family."""
    return [_show_all(results), _show_families(results)]


def judge(results: Mapping[str, Any]) -> str:
    """Say how often plans at the confidence miss, beside what they promise."""
    confident, promise = _of_plan(results["rows"], "confident"), 1 - results["confidence"]
    if any(row["low"] > promise for row in confident):
        return ABOVE
    return WITHIN if all(row["high"] <= promise for row in confident) else NOT_ABOVE


def _say_at(rows: Sequence[Row], say: Callable[[Row], str]) -> str:
    """Say something about the fewest and the most points."""
    ends = rows if len(rows) == 1 else (rows[0], rows[-1])
    return " and ".join(f"{say(row)} at {row['n']:,} points" for row in ends)


def _say_confident(rows: Sequence[Row]) -> str:
    missed, total = sum(row["missed"] for row in rows), sum(row["federations"] for row in rows)
    cost = _say_at(rows, lambda row: f"{row['cost_ratio']:.2f}")
    return f"confident: {missed:,} of {total:,} plans miss; relative to plans from the truth they cost {cost}"


def _say_others(rows: Sequence[Row], plan: str) -> str:
    missed = _say_at(_of_plan(rows, plan), lambda row: f"{_share(row):.0%}")
    return f"{plan}: plans miss in {missed}"


def _say_undecided(rows: Sequence[Row]) -> str:
    undecided = sum(row["undecided"] for row in rows)
    return f"in {undecided:,} cases it could not be decided for certain; limits take them for missed"


def conclude(results: Mapping[str, Any]) -> list[str]:
    """Say whether the promise is kept, what that costs, and what comes of trusting estimates."""
    rows = results["rows"]
    return [
        judge(results),
        _say_confident(_of_plan(rows, "confident")),
        f"{_say_others(rows, 'trusting')}: an overestimated rate leaves them with too few samples, and only what "
        f"{results['method']} gives away to the optimum protects them",
        f"{_say_others(rows, 'optimal')}: they have no slack",
        _say_undecided(rows),
        f"limits are Clopper and Pearson's, all right at once with probability {results['limits_hold']:g}",
    ]


def draw(results: Mapping[str, Any]) -> Figure:
    """Draw the share missed against n, the promise, and what plans cost."""
    x = sorted({row["n"] for row in results["rows"]})
    table = {label: _of_plan(results["rows"], plan) for plan, label in LABELS.items()}
    missed = Panel(
        title="federations missed",
        y_axis="share of federations in which a target is missed",
        lines={label: [_share(row) for row in rows] for label, rows in table.items()},
        limits={label: [(row["low"], row["high"]) for row in rows] for label, rows in table.items()},
        level=(f"promised at confidence {results['confidence']:g}", 1 - results["confidence"]),
    )
    cost = Panel(
        title="what that costs",
        y_axis="cost relative to planning from the truth",
        lines={label: [row["cost_ratio"] for row in rows] for label, rows in table.items()},
        limits={},
        level=("planned from the truth", 1.0),
    )
    return draw_panels(x, [missed, cost], x_axis="unlabelled points of every site")
