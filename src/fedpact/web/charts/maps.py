"""Heat maps: how the agents' data differ, and the path of play of many agents."""

from __future__ import annotations

from collections.abc import Sequence

import fedpact as fp
from fedpact.explain import Explanation, explain
from fedpact.explain.dynamics import find_movers
from fedpact.explain.numbers import format_number
from fedpact.web.charts.chart import (
    Answer,
    Figure,
    axis,
    downwards,
    draw,
    fit_height,
    heat_map,
    list_axis,
    make_figure,
    plain,
)

_WRITTEN = 8
"""Agents up to which differences are written into the map."""
_APART = 30
_STEPS = 14
"""Steps of play up to which samples are."""


def show_divergence(answer: Answer, beside: Answer | None = None) -> Explanation:
    """Draw the largest difference of a rate for every two agents; nothing for one agent."""
    found = fp.planning.Divergence.from_dict(answer)
    said = explain(found)
    names, values = found.names, found.values.tolist()
    texts = [[format_number(value) for value in row] for row in values]
    hints = [
        [f"{plain(a)}, {plain(b)}: {text}" for b, text in zip(names, row, strict=True)]
        for a, row in zip(names, texts, strict=True)
    ]
    is_written, gap = len(names) <= _WRITTEN, 2 if len(names) <= _APART else 0
    figure = make_figure(
        [heat_map(values, texts, hints, is_written=is_written, gap=gap)],
        height=min(260 + 20 * len(names), 720),
        xaxis=list_axis(names, tickangle=-90 if len(names) > 6 else 0),
        yaxis=list_axis(names, range=[len(names) - 0.5, -0.5]),
    )
    return draw(said, *([figure] if said.charts else []), tables=())


def draw_path(played: fp.game.Dynamics, steps: Sequence[int]) -> Figure:
    """Draw what everybody who ever contributes gives at each of the last steps of play."""
    movers = find_movers(played)
    names = [played.names[agent] for agent in movers]
    counts = [[played.path[step][agent] for step in steps] for agent in movers]
    texts = [[f"{count:,}" for count in row] for row in counts]
    hints = [
        [f"step {step}: {plain(name)} {text}" for step, text in zip(steps, row, strict=True)]
        for name, row in zip(names, texts, strict=True)
    ]
    is_written = len(steps) <= _STEPS
    trace = heat_map(counts, texts, hints, is_written=is_written, gap=1, x=steps, y=list(range(len(movers))))
    trace["colorbar"]["title"] = {"text": "samples", "font": {"size": 11, "color": "@muted"}}
    ticks = {"dtick": 1} if is_written else {}
    return make_figure(
        [trace | ({"showscale": False} if is_written else {})],
        height=min(fit_height(len(movers)), 900),
        xaxis=axis("step of play", showgrid=False, tickformat="d", **ticks),
        yaxis=downwards(names),
    )
