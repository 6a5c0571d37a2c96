"""Equilibria of many agents: one strip for each agent, with what it gives in every equilibrium and in the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import fedpact as fp
from fedpact.explain.equilibria import chart_strips, find_strips
from fedpact.explain.numbers import count_of
from fedpact.web.charts.chart import (
    Chart,
    Trace,
    count_axis,
    downwards,
    draw,
    fit_height,
    legend_below,
    make_figure,
    plain,
)
from fedpact.web.view import View


def _draw_counts(found: fp.Equilibria, strips: Sequence[str]) -> Trace:
    points = [
        (count, row, times, name)
        for row, name in enumerate(strips)
        for count, times in sorted(Counter(m[name] for m in found.equilibria).items())
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [count for count, *_ in points],
        "y": [row for _, row, *_ in points],
        "name": "in an equilibrium",
        "hovertext": [
            f"{plain(name)}: {count_of(count, 'sample')} in {count_of(times, 'equilibrium', 'equilibria')}"
            for count, _, times, name in points
        ],
        "hoverinfo": "text",
        "cliponaxis": False,
        "marker": {"symbol": "line-ns-open", "size": 16, "color": "@accent", "line": {"width": 2}},
    }


def _draw_plan(strips: Sequence[str], plan: Mapping[str, int]) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [plan[name] for name in strips],
        "y": list(range(len(strips))),
        "name": "in the plan",
        "hovertext": [f"{plain(name)}: {count_of(plan[name], 'sample')} in the plan" for name in strips],
        "hoverinfo": "text",
        "cliponaxis": False,
        "marker": {"symbol": "diamond-open", "size": 11, "color": "@bad", "line": {"width": 2}},
    }


def draw_equilibria(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw strips of what everybody gives; nothing without equilibria, nor where the game is drawn for two."""
    found = fp.Equilibria.from_dict(answer["equilibria"])
    if not found.equilibria or len(found.names) == 2:
        return ()
    planned = answer["plans"]["plan"]
    plan: Mapping[str, int] = {} if planned is None else planned["contributions"]
    strips = find_strips(found, plan)
    traces = [_draw_counts(found, strips)]
    if plan:
        traces.append(_draw_plan(strips, plan))
    figure = make_figure(
        traces,
        height=fit_height(len(strips)) + 30,
        xaxis=count_axis("samples", max(m[name] for m in found.equilibria for name in strips)),
        yaxis=downwards(strips) | {"showgrid": True},
        **legend_below(),
    )
    return (draw(chart_strips(found, plan), figure),)
