"""What coordination saves: the plan beside selfish play and everybody alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fedpact as fp
from fedpact.explain.against import Against, explain_against, list_ways
from fedpact.explain.numbers import format_number
from fedpact.web.charts.chart import Chart, axis, downwards, draw, fit_height, make_figure, plain
from fedpact.web.view import View

_COLOURS = {"plan": "@accent", "selfish": "@second", "alone": "@third"}


def read_against(answer: Mapping[str, Any]) -> Against:
    """Read what the part "against" is about."""
    return Against(
        plan=answer["plan"],
        standalone=answer["standalone"],
        costs=answer["costs"],
        played=fp.game.Dynamics.from_dict(answer["dynamics"]),
        unmet=answer["unmet"],
    )


def draw_against(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw what each way costs; ways without a cost have no bar, and the table says why."""
    seen = read_against(answer)
    drawn = [way for way in list_ways(seen) if way.cost is not None]
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
    figure = make_figure(
        [trace],
        height=fit_height(len(drawn) + 1),
        xaxis=axis("cost", range=[0, 1.3 * max(*costs, 1e-9)], nticks=6),
        yaxis=downwards([way.title for way in drawn]),
    )
    return (draw(explain_against(seen).charts[0], figure),)
