"""What coordination saves: the plan beside selfish play and everybody alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedpact.explain.numbers import format_number
from fedpact.web.charts.chart import Chart, axis, downwards, fit_height, make_figure, plain
from fedpact.web.view import View
from fedpact.web.words.plan import list_ways, say_saving

_COLOURS = {"plan": "@accent", "selfish": "@second", "alone": "@third"}


def draw_against(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw what each way costs; ways without a cost have no bar, and the table says why."""
    ways = list_ways(answer)
    drawn = [way for way in ways if way.cost is not None]
    if not drawn:
        return ()
    costs = [float(way.cost or 0.0) for way in drawn]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": costs,
        "y": list(range(len(drawn))),
        "text": [format_number(cost) for cost in costs],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertext": [f"{plain(way.title)}: {format_number(way.cost)}<br>{plain(way.note)}" for way in drawn],
        "hoverinfo": "text",
        "marker": {"color": [_COLOURS[way.name] for way in drawn]},
    }
    return (
        Chart(
            name="against",
            title="Cost in all",
            description=say_saving(answer),
            figure=make_figure(
                [trace],
                height=fit_height(len(drawn) + 1),
                xaxis=axis("cost", range=[0, 1.3 * max(*costs, 1e-9)], nticks=6),
                yaxis=downwards([way.title for way in drawn]),
            ),
            columns=("way", "cost", "note"),
            rows=tuple((way.title, way.cost, way.note) for way in ways),
        ),
    )
