"""The game: for two agents, what is enough, who responds how, and where play leads; for more, strips and a map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import fedpact as fp
from fedpact.explain import Explanation
from fedpact.explain.dynamics import chart_two, explain_play, say_step
from fedpact.explain.equilibria import chart_strips, explain_beside_plans, find_strips
from fedpact.explain.numbers import count_of, format_number
from fedpact.explain.phrases import say_profile
from fedpact.web.charts.chart import (
    LEGEND_BELOW,
    Answer,
    Figure,
    Trace,
    count_axis,
    downwards,
    draw,
    fit_height,
    label,
    make_figure,
    plain,
    scatter,
)
from fedpact.web.charts.maps import draw_path

_PLANS = {
    "lp": ("plan by lp", "triangle-up-open", 14),
    "union": ("plan by union", "triangle-down-open", 14),
    "plan": ("the plan", "square-open", 18),
}
Point = tuple[float, float]


def find_corners(values: Sequence[int | None]) -> list[Point]:
    """Return the corners of the staircase that has ``values[x]`` from x to x + 1, the last at its place.

    Examples
    --------
    >>> find_corners([None, 3, 3, 1])
    [(1, 3), (3, 3), (3, 1)]
    """
    corners: list[Point] = []
    for place, value in enumerate(values):
        if value is None:
            continue
        if corners and corners[-1][1] != value:
            corners += [(place, corners[-1][1]), (place, value)]
        elif not corners:
            corners.append((place, value))
    last = (len(values) - 1, corners[-1][1]) if corners else None
    return corners if last is None or corners[-1] == last else [*corners, last]


def _draw_regions(played: fp.game.Dynamics, top: float) -> list[Trace]:
    """Draw what is enough for both, on and above the staircase; and how each responds to the other."""
    first, second = played.names
    corners = find_corners(played.staircase)
    outline = [(corners[0][0], top), *corners, (corners[-1][0], top)] if corners else []
    filled = {"fill": "toself", "fillcolor": "@region", "line": {"width": 0, "color": "@region"}}
    turned = [(y, x) for x, y in find_corners(played.responses[first])]
    straight = find_corners(played.responses[second])
    lines: list[tuple[Sequence[Point], str, dict[str, Any]]] = [
        (outline, "enough for both", filled),
        (corners, "just enough for both", {"line": {"color": "@accent", "width": 4}}),
        (turned, f"best response of {label(first)}", {"line": {"color": "@second", "width": 2, "dash": "dash"}}),
        (straight, f"best response of {label(second)}", {"line": {"color": "@third", "width": 2, "dash": "dot"}}),
    ]
    return [scatter(points, name, mode="lines", **style) for points, name, style in lines]


def _mark(points: Sequence[Sequence[float]], name: str, hints: Sequence[str], marker: Any, **more: Any) -> Trace:
    """Draw points that may lie on the edge of the figure."""
    return scatter(points, name, hints, cliponaxis=False, marker=marker, **more)


def _ring(symbol: str, size: int, colour: str = "@ink") -> dict[str, Any]:
    return {"symbol": symbol, "size": size, "color": colour, "line": {"width": 2}}


def _draw_play(played: fp.game.Dynamics) -> list[Trace]:
    """Draw the path of play, its start, and its end if it has one."""
    path = played.path
    hints = [f"step {step}: {plain(say_step(played, m))}" for step, m in enumerate(path)]
    arrow = {"symbol": "arrow", "angleref": "previous", "size": 11, "color": "@ink"}
    line = {"color": "@ink", "width": 1.5}
    end = [] if played.cycle else [_mark(path[-1:], "end", hints[-1:], _ring("circle-x-open", 20))]
    return [
        _mark(path, "path of play", hints, arrow, mode="lines+markers", line=line),
        _mark(path[:1], "start", hints[:1], _ring("circle-open", 13)),
        *end,
    ]


def _draw_equilibria(found: fp.Equilibria | None) -> list[Trace]:
    if found is None or not found.equilibria:
        return []
    hints = [
        f"equilibrium {plain(say_profile(m))}, cost {format_number(cost)}"
        for m, cost in zip(found.equilibria, found.costs, strict=True)
    ]
    marker = {"symbol": "diamond", "size": 10, "color": "@fourth", "line": {"width": 1, "color": "@surface"}}
    return [_mark(found.profiles, "equilibria", hints, marker)]


def _draw_plans(names: Sequence[str], plans: Mapping[str, Any]) -> list[Trace]:
    traces = []
    for key, (title, symbol, size) in _PLANS.items():
        if (plan := plans.get(key)) is not None:
            given = plan["contributions"]
            hint = f"{title}: {plain(say_profile(given))}, cost {format_number(plan['cost'])}"
            marker = _ring(symbol, size, "@bad")
            traces.append(_mark([[given[name] for name in names]], title, [hint], marker))
    return traces


def _widen(played: fp.game.Dynamics, curves: Mapping[str, Any] | None) -> fp.game.Dynamics:
    """Return the same path over what is enough as far as the plans reach, if that is known."""
    if not curves or not curves["responses"]:
        return played
    responses = {name: tuple(counts) for name, counts in curves["responses"].items()}
    wider = replace(played, responses=responses, staircase=tuple(curves["staircase"]))
    return max(played, wider, key=lambda seen: sum(len(counts) for counts in seen.responses.values()))


def _draw_two(played: fp.game.Dynamics, found: fp.Equilibria | None, plans: Mapping[str, Any]) -> Figure:
    ends = (len(played.staircase) - 1, len(played.responses[played.names[0]]) - 1)
    across, up = (
        count_axis(f"samples of {label(name)}", end)
        | {"zeroline": True, "zerolinecolor": "@line", "range": [-0.04 * end, 1.04 * end]}
        for name, end in zip(played.names, ends, strict=True)
    )
    traces = [*_draw_regions(played, ends[1]), *_draw_play(played), *_draw_equilibria(found)]
    traces += _draw_plans(played.names, plans)
    return make_figure(traces, height=560, xaxis=across, yaxis=up, **LEGEND_BELOW)


def show_game(answer: Answer, beside: Answer | None = None) -> Explanation:
    """Draw the game of two agents with the equilibria, if they are known; or the path of play of more agents."""
    played, found, plans = fp.game.Dynamics.from_dict(answer["dynamics"]), None, {}
    said = explain_play(played, answer["unmet"])
    if not played.responses:
        return draw(said, draw_path(played, [row[0] for row in said.charts[0].rows]))
    if beside is not None:
        found, plans = fp.Equilibria.from_dict(beside["equilibria"]), beside["plans"]
        played = _widen(played, beside["curves"])
    said = replace(said, charts=(chart_two(played, found, plans),))
    return draw(said, _draw_two(played, found, plans), can_zoom=True)


def _draw_strips(found: fp.Equilibria, strips: Sequence[str], plan: Mapping[str, int]) -> list[Trace]:
    """Draw what each agent gives in every equilibrium, and in the plan."""
    points = [
        (count, row, f"{plain(name)}: {count_of(count, 'sample')} in {count_of(n, 'equilibrium', 'equilibria')}")
        for row, name in enumerate(strips)
        for count, n in sorted(Counter(m[name] for m in found.equilibria).items())
    ]
    hints = [hint for *_, hint in points]
    drawn = [_mark([p[:2] for p in points], "in an equilibrium", hints, _ring("line-ns-open", 16, "@accent"))]
    if plan:
        counts = [(plan[name], row) for row, name in enumerate(strips)]
        hints = [f"{plain(name)}: {count_of(plan[name], 'sample')} in the plan" for name in strips]
        drawn.append(_mark(counts, "in the plan", hints, _ring("diamond-open", 11, "@bad")))
    return drawn


def show_equilibria(answer: Answer, beside: Answer | None = None) -> Explanation:
    """Draw a strip for every agent; nothing without equilibria, nor where the game is drawn for two."""
    found = fp.Equilibria.from_dict(answer["equilibria"])
    said = explain_beside_plans(found, answer["plans"])
    if not found.equilibria or len(found.names) == 2:
        return replace(said, charts=())
    plan = (answer["plans"]["plan"] or {"contributions": {}})["contributions"]
    strips = find_strips(found, plan)
    figure = make_figure(
        _draw_strips(found, strips, plan),
        height=fit_height(len(strips)) + 30,
        xaxis=count_axis("samples", max(m[name] for m in found.equilibria for name in strips)),
        yaxis=downwards(strips) | {"showgrid": True},
        **LEGEND_BELOW,
    )
    return draw(replace(said, charts=(chart_strips(found, plan),)), figure)
