"""How the agents' data differ: a heat map of the largest difference of a rate, for every two agents."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from fedpact.explain.numbers import format_number
from fedpact.web.charts.chart import Chart, list_axis, make_figure, plain
from fedpact.web.view import View

_WRITTEN = 8
_APART = 30
_AS_MATRIX = 20
_MOST_PAIRS = 200


def _describe(names: list[str], values: list[list[float]], pair: list[str] | None) -> str:
    pairs = sorted(((values[i][j], i, j) for i, j in combinations(range(len(names)), 2)), key=lambda pair: pair[0])
    near, far = pairs[0], pairs[-1]
    said = (
        "For every two agents, the largest difference between the rates at which any two hypotheses disagree on "
        f"their data. It is largest, {format_number(far[0])}, between {names[far[1]]} and {names[far[2]]}"
    )
    if pair and far[0] > 0:
        said += f" (in how often “{pair[0]}” and “{pair[1]}” disagree)"
    if len(pairs) == 1:
        return f"{said}."
    return f"{said}, and smallest, {format_number(near[0])}, between {names[near[1]]} and {names[near[2]]}."


def _list_rows(names: list[str], values: list[list[float]]) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """Return the matrix, or for many agents the pairs that differ most."""
    if len(names) <= _AS_MATRIX:
        return ("", *names), tuple((name, *row) for name, row in zip(names, values, strict=True))
    pairs = [(names[i], names[j], values[i][j]) for i, j in combinations(range(len(names)), 2)]
    return ("agent", "agent", "largest difference"), tuple(sorted(pairs, key=lambda row: -row[2])[:_MOST_PAIRS])


def draw_divergence(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw how far the data of any two agents are apart; nothing for one agent."""
    names, values = list(answer["names"]), [[float(value) for value in row] for row in answer["values"]]
    if len(names) < 2:
        return ()
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
    columns, rows = _list_rows(names, values)
    figure = make_figure(
        [trace],
        height=min(260 + 20 * len(names), 720),
        xaxis=list_axis(names, tickangle=-90 if len(names) > 6 else 0),
        yaxis=list_axis(names, range=[len(names) - 0.5, -0.5]),
    )
    return (
        Chart(
            name="divergence",
            title="How far the data of any two agents are apart",
            description=_describe(names, values, answer.get("pair")),
            figure=figure,
            columns=columns,
            rows=rows,
        ),
    )
