"""What accuracy costs: a staircase of the cost over the tolerated error, with what no plan can undercut.

A plan for one error is enough for every larger one, so its cost holds to the right, up to the next plan. A bound
from below for one error holds for every smaller one, so it holds to the left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import fedpact as fp
from fedpact.explain.frontier import explain_frontier, say_note
from fedpact.explain.numbers import format_number
from fedpact.web.charts.chart import Chart, Trace, axis, draw, legend_below, make_figure, plain
from fedpact.web.view import View


def _line(x: list[float], y: list[float], name: str, hints: list[str], **more: Any) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "name": name,
        "hovertext": hints,
        "hoverinfo": "text",
        **more,
    }


def _mark_today(today: float) -> dict[str, Any]:
    line = {"color": "@muted", "width": 1.5, "dash": "dot"}
    across = {"type": "line", "xref": "x", "yref": "paper", "x0": today, "x1": today, "y0": 0, "y1": 1}
    place = {"x": math.log10(today), "xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom"}
    text = {"text": f"today {format_number(today)}", "showarrow": False, "font": {"size": 12, "color": "@ink"}}
    return {"shapes": [{**across, "line": line}], "annotations": [{**place, **text}]}


def _find_ticks(values: list[float]) -> list[float]:
    """Return round numbers, as many as a logarithmic axis has room for.

    Examples
    --------
    >>> _find_ticks([0.025, 0.1, 0.4])
    [0.02, 0.05, 0.1, 0.2, 0.5]
    """
    low, high = min(values) / 1.3, max(values) * 1.3
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [
        tick
        for power in powers
        for tick in (float(f"{step}e{power}") for step in (1, 2, 5))
        if low <= tick <= high
    ]


def _draw_planned(planned: list[tuple[float, fp.Plan]]) -> list[Trace]:
    values = [value for value, _ in planned]
    at = [f"epsilon {format_number(value)}" for value in values]
    costs, bounds = [plan.cost for _, plan in planned], [plan.lower_bound for _, plan in planned]
    return [
        _line(
            values,
            bounds,
            "no plan costs less",
            [f"{where}: none below {format_number(bound)}" for where, bound in zip(at, bounds, strict=True)],
            line={"color": "@second", "width": 1.5, "dash": "dash", "shape": "vh"},
            marker={"symbol": "line-ew-open", "size": 7, "color": "@second"},
        ),
        _line(
            values,
            costs,
            "cost of the plan",
            [f"{where}: cost {format_number(cost)}" for where, cost in zip(at, costs, strict=True)],
            line={"color": "@accent", "width": 2.5, "shape": "hv"},
            marker={"symbol": "circle", "size": 7, "color": "@accent"},
        ),
    ]


def _draw_missing(missing: list[fp.planning.FrontierPoint]) -> list[Trace]:
    if not missing:
        return []
    return [
        _line(
            [point.value for point in missing],
            [0.0] * len(missing),
            "no plan exists",
            [f"epsilon {format_number(point.value)}: {plain(say_note(point))}" for point in missing],
            mode="markers",
            cliponaxis=False,
            marker={"symbol": "x", "size": 10, "color": "@bad"},
        )
    ]


def draw_frontier(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw cost and lower bound over epsilon, and where no plan exists; nothing if there is none at all."""
    curve = fp.Frontier.from_dict(answer)
    planned = [(point.value, point.plan) for point in curve.points if point.plan is not None]
    missing = [point for point in curve.points if point.plan is None]
    figure = make_figure(
        [*_draw_planned(planned), *_draw_missing(missing)],
        height=380,
        xaxis=axis("tolerated error epsilon (log scale)", type="log", tickvals=_find_ticks(curve.values)),
        yaxis=axis("cost", rangemode="tozero"),
        margin={"l": 8, "r": 24, "t": 36, "b": 8, "pad": 4},
        **(_mark_today(curve.today) if curve.today else {}),
        **legend_below(),
    )
    return tuple(draw(chart, figure) for chart in explain_frontier(curve).charts)
