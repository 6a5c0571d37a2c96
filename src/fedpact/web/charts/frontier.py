"""What accuracy costs: a staircase of the cost over the tolerated error, with what no plan can undercut.

A plan for one error is enough for every larger one, so its cost holds to the right, up to the next plan. A bound
from below for one error holds for every smaller one, so it holds to the left.
"""

from __future__ import annotations

import math
from typing import Any

import fedpact as fp
from fedpact.explain import Explanation
from fedpact.explain.frontier import explain_frontier, say_note
from fedpact.explain.numbers import format_number
from fedpact.web.charts.chart import LEGEND_BELOW, Answer, Trace, axis, draw, make_figure, plain, scatter


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
    ticks = [float(f"{step}e{power}") for power in powers for step in (1, 2, 5)]
    return [tick for tick in ticks if low <= tick <= high]


def _draw_line(points: list[tuple[float, float]], name: str, said: str, shape: str, **style: Any) -> Trace:
    """Draw costs over errors; ``said`` stands between the two numbers of a hint."""
    hints = [f"epsilon {format_number(x)}: {said} {format_number(y)}" for x, y in points]
    marker = {"symbol": style.pop("symbol"), "size": 7, "color": style["color"]}
    return scatter(points, name, hints, mode="lines+markers", line={"shape": shape, **style}, marker=marker)


def _draw_missing(missing: list[fp.planning.FrontierPoint]) -> list[Trace]:
    points = [(point.value, 0.0) for point in missing]
    hints = [f"epsilon {format_number(point.value)}: {plain(say_note(point))}" for point in missing]
    marker = {"symbol": "x", "size": 10, "color": "@bad"}
    return [scatter(points, "no plan exists", hints, cliponaxis=False, marker=marker)] if missing else []


def show_frontier(answer: Answer, beside: Answer | None = None) -> Explanation:
    """Draw cost and lower bound over epsilon, and where no plan exists; nothing if there is none at all."""
    curve = fp.Frontier.from_dict(answer)
    planned = [(point.value, point.plan) for point in curve.points if point.plan is not None]
    bounds, costs = ([(x, p.lower_bound) for x, p in planned], [(x, p.cost) for x, p in planned])
    low = {"color": "@second", "width": 1.5, "dash": "dash", "symbol": "line-ew-open"}
    high = {"color": "@accent", "width": 2.5, "symbol": "circle"}
    figure = make_figure(
        [
            _draw_line(bounds, "no plan costs less", "none below", "vh", **low),
            _draw_line(costs, "cost of the plan", "cost", "hv", **high),
            *_draw_missing([point for point in curve.points if point.plan is None]),
        ],
        height=380,
        xaxis=axis("tolerated error epsilon (log scale)", type="log", tickvals=_find_ticks(curve.values)),
        yaxis=axis("cost", rangemode="tozero"),
        margin={"l": 8, "r": 24, "t": 36, "b": 8, "pad": 4},
        **(_mark_today(curve.today) if curve.today else {}),
        **LEGEND_BELOW,
    )
    said = explain_frontier(curve)
    return draw(said, *([figure] if said.charts else []), tables=())
