"""The path of play of many agents: a heat map of samples, one row for everybody who ever contributes."""

from __future__ import annotations

from typing import Any

import fedpact as fp
from fedpact.explain.numbers import count_of, format_number
from fedpact.web.charts.chart import Chart, Trace, axis, downwards, fit_height, make_figure, plain

_MOST_STEPS = 60
_WRITTEN = 14


def _find_movers(played: fp.game.Dynamics) -> list[int]:
    """Agents that ever contribute; everybody, if nobody does."""
    movers = [agent for agent in range(len(played.names)) if any(m[agent] for m in played.path)]
    return movers or list(range(len(played.names)))


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
    movers = _find_movers(played)
    steps = list(range(len(played.path)))[-_MOST_STEPS:]
    left = "" if len(steps) == len(played.path) else f" The last {_MOST_STEPS} of them are drawn."
    end = "Play never settles." if played.cycle else f"At the end the cost is {format_number(played.costs[-1])}."
    names = [played.names[agent] for agent in movers]
    figure = make_figure(
        [_draw_heat(played, movers, steps)],
        height=min(fit_height(len(movers)), 900),
        xaxis=axis(
            "step of play", showgrid=False, tickformat="d", **({"dtick": 1} if len(steps) <= _WRITTEN else {})
        ),
        yaxis=downwards(names),
    )
    return (
        Chart(
            name="path",
            title="The path of play",
            description=(
                f"Samples of everybody who ever contributes ({count_of(len(movers), 'agent')}) at each of "
                f"{count_of(len(played.path), 'step')} of play.{left} {end}"
            ),
            figure=figure,
            columns=("step", *names, "cost"),
            rows=tuple(
                (step, *(played.path[step][agent] for agent in movers), played.costs[step]) for step in steps
            ),
        ),
    )
