"""The path of play of many agents: a heat map of samples, one row for everybody who ever contributes."""

from __future__ import annotations

from typing import Any

import fedpact as fp
from fedpact.explain.dynamics import chart_path, find_movers
from fedpact.web.charts.chart import Chart, Trace, axis, downwards, draw, fit_height, make_figure, plain

_WRITTEN = 14


def _draw_heat(played: fp.game.Dynamics, movers: list[int], steps: list[int]) -> Trace:
    counts = [[played.path[step][agent] for step in steps] for agent in movers]
    trace: dict[str, Any] = {
        "type": "heatmap",
        "x": steps,
        "y": list(range(len(movers))),
        "z": counts,
        "zmin": 0,
        "hovertext": [
            [f"step {step}: {plain(played.names[agent])} {played.path[step][agent]:,}" for step in steps]
            for agent in movers
        ],
        "hoverinfo": "text",
        "xgap": 1,
        "ygap": 1,
        "colorscale": [[0, "@heat-low"], [0.5, "@heat-middle"], [1, "@heat-high"]],
        "colorbar": {
            "thickness": 10,
            "outlinewidth": 0,
            "title": {"text": "samples", "font": {"size": 11, "color": "@muted"}},
            "tickfont": {"color": "@muted", "size": 11},
        },
    }
    if len(steps) <= _WRITTEN:
        texts = [[f"{count:,}" for count in row] for row in counts]
        trace |= {"text": texts, "texttemplate": "%{text}", "textfont": {"size": 12}, "showscale": False}
    return trace


def draw_path(played: fp.game.Dynamics) -> tuple[Chart, ...]:
    """Draw what everybody who ever contributes gives at each of the last steps of play."""
    data, movers = chart_path(played), find_movers(played)
    steps = [row[0] for row in data.rows]
    figure = make_figure(
        [_draw_heat(played, movers, steps)],
        height=min(fit_height(len(movers)), 900),
        xaxis=axis(
            "step of play", showgrid=False, tickformat="d", **({"dtick": 1} if len(steps) <= _WRITTEN else {})
        ),
        yaxis=downwards([played.names[agent] for agent in movers]),
    )
    return (draw(data, figure),)
