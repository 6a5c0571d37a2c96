"""The path of play of many agents: lines for a few who move, a heat map of samples over steps for more."""

from __future__ import annotations

from typing import Any

import fedpact as fp
from fedpact.web.charts.chart import (
    Chart,
    Trace,
    axis,
    count_axis,
    downwards,
    fit_height,
    label,
    legend_below,
    make_figure,
    plain,
)
from fedpact.web.numbers import count_of, format_number

_MOST_STEPS = 60
_FEW = 5
_STYLES = (
    ("@accent", "solid", "circle"),
    ("@second", "dash", "square"),
    ("@third", "dot", "diamond"),
    ("@fourth", "dashdot", "triangle-up"),
    ("@bad", "longdash", "x"),
)


def _find_movers(played: fp.Dynamics) -> list[int]:
    movers = [agent for agent in range(len(played.names)) if any(m[agent] for m in played.path)]
    return movers or list(range(min(len(played.names), _FEW)))


def _draw_lines(played: fp.Dynamics, movers: list[int], steps: list[int]) -> list[Trace]:
    return [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": steps,
            "y": [played.path[step][agent] for step in steps],
            "name": label(played.names[agent]),
            "hovertext": [
                f"step {step}: {plain(played.names[agent])} {played.path[step][agent]:,}" for step in steps
            ],
            "hoverinfo": "text",
            "line": {"color": colour, "dash": dash, "width": 2, "shape": "hv"},
            "marker": {"symbol": symbol, "size": 7, "color": colour},
        }
        for agent, (colour, dash, symbol) in zip(movers, _STYLES, strict=False)
    ]


def _draw_heat(played: fp.Dynamics, movers: list[int], steps: list[int]) -> Trace:
    return {
        "type": "heatmap",
        "x": steps,
        "y": list(range(len(movers))),
        "z": [[played.path[step][agent] for step in steps] for agent in movers],
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


def _make(played: fp.Dynamics, movers: list[int], steps: list[int]) -> dict[str, Any]:
    if len(movers) <= _FEW:
        return make_figure(
            _draw_lines(played, movers, steps),
            height=360,
            xaxis=axis("step of play", tickformat="d"),
            yaxis=count_axis("samples", max(max(played.path[step]) for step in steps)),
            **legend_below(),
        )
    names = [played.names[agent] for agent in movers]
    return make_figure(
        [_draw_heat(played, movers, steps)],
        height=min(fit_height(len(movers)), 900),
        xaxis=axis("step of play", showgrid=False, tickformat="d"),
        yaxis=downwards(names),
    )


def draw_path(played: fp.Dynamics) -> tuple[Chart, ...]:
    """Draw the last steps of play, one line or one row for everybody who ever contributes."""
    movers = _find_movers(played)
    steps = list(range(len(played.path)))[-_MOST_STEPS:]
    left = "" if len(steps) == len(played.path) else f" The last {_MOST_STEPS} of them are drawn."
    end = "Play never settles." if played.cycle else f"At the end the cost is {format_number(played.costs[-1])}."
    description = (
        f"Samples of everybody who ever contributes ({count_of(len(movers), 'agent')}) at each of "
        f"{count_of(len(played.path), 'step')} of play.{left} {end}"
    )
    return (
        Chart(
            name="path",
            title="The path of play",
            description=description,
            figure=_make(played, movers, steps),
            columns=("step", *(played.names[agent] for agent in movers), "cost"),
            rows=tuple(
                (step, *(played.path[step][agent] for agent in movers), played.costs[step]) for step in steps
            ),
        ),
    )
