"""How the agents' data differ: a heat map of the largest difference of a rate, for every two agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fedpact as fp
from fedpact.explain.divergence import explain_divergence
from fedpact.explain.numbers import format_number
from fedpact.web.charts.chart import Chart, draw, list_axis, make_figure, plain
from fedpact.web.view import View

_WRITTEN = 8
_APART = 30


def draw_divergence(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw how far the data of any two agents are apart; nothing for one agent."""
    found = fp.planning.Divergence.from_dict(answer)
    names, values = found.names, found.values.tolist()
    texts = [[format_number(value) for value in row] for row in values]
    hints = [
        [f"{plain(a)}, {plain(b)}: {text}" for b, text in zip(names, row, strict=True)]
        for a, row in zip(names, texts, strict=True)
    ]
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": values,
        "zmin": 0,
        "hovertext": hints,
        "hoverinfo": "text",
        "xgap": 2 if len(names) <= _APART else 0,
        "ygap": 2 if len(names) <= _APART else 0,
        "colorscale": [[0, "@heat-low"], [0.5, "@heat-middle"], [1, "@heat-high"]],
        "colorbar": {"thickness": 10, "outlinewidth": 0, "tickfont": {"color": "@muted", "size": 11}},
    }
    if len(names) <= _WRITTEN:
        trace |= {"text": texts, "texttemplate": "%{text}", "textfont": {"size": 12}}
    figure = make_figure(
        [trace],
        height=min(260 + 20 * len(names), 720),
        xaxis=list_axis(names, tickangle=-90 if len(names) > 6 else 0),
        yaxis=list_axis(names, range=[len(names) - 0.5, -0.5]),
    )
    return tuple(draw(chart, figure) for chart in explain_divergence(found).charts)
