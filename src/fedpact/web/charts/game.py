"""The game: for two agents, what is enough, who responds how, and where play leads; for more, the path of play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import fedpact as fp
from fedpact.explain.dynamics import chart_two, say_step
from fedpact.explain.numbers import format_number
from fedpact.explain.profiles import say_profile
from fedpact.web.charts.chart import Chart, Trace, count_axis, draw, label, legend_below, make_figure, plain
from fedpact.web.charts.path import draw_path
from fedpact.web.view import View

_PLANS = {
    "lp": ("plan by lp", "triangle-up-open"),
    "union": ("plan by union", "triangle-down-open"),
    "plan": ("the plan", "square-open"),
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


def _turn(corners: Iterable[Point]) -> list[Point]:
    return [(y, x) for x, y in corners]


def _line(points: Sequence[Point], name: str, **more: Any) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "name": name,
        "hoverinfo": "skip",
        **more,
    }


def _region(played: fp.game.Dynamics, top: float) -> list[Trace]:
    """Draw what is enough for both: on and above the staircase."""
    corners = find_corners(played.staircase)
    outline = [(corners[0][0], top), *corners, (corners[-1][0], top)] if corners else []
    return [
        _line(
            outline, "enough for both", fill="toself", fillcolor="@region", line={"width": 0, "color": "@region"}
        ),
        _line(corners, "just enough for both", line={"color": "@accent", "width": 4}),
    ]


def _responses(played: fp.game.Dynamics) -> list[Trace]:
    first, second = played.names
    return [
        _line(
            _turn(find_corners(played.responses[first])),
            f"best response of {label(first)}",
            line={"color": "@second", "width": 2, "dash": "dash"},
        ),
        _line(
            find_corners(played.responses[second]),
            f"best response of {label(second)}",
            line={"color": "@third", "width": 2, "dash": "dot"},
        ),
    ]


def _points(
    profiles: Sequence[Sequence[int]], name: str, hints: Sequence[str], marker: Mapping[str, Any], **more: Any
) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [profile[0] for profile in profiles],
        "y": [profile[1] for profile in profiles],
        "name": name,
        "hovertext": list(hints),
        "hoverinfo": "text",
        "cliponaxis": False,
        "marker": dict(marker),
        **more,
    }


def _path(played: fp.game.Dynamics) -> list[Trace]:
    hints = [f"step {step}: {plain(say_step(played, m))}" for step, m in enumerate(played.path)]
    marker = {"symbol": "arrow", "angleref": "previous", "size": 11, "color": "@ink"}
    line = {"color": "@ink", "width": 1.5}
    start = {"symbol": "circle-open", "size": 13, "color": "@ink", "line": {"width": 2}}
    traces = [
        _points(played.path, "path of play", hints, marker, mode="lines+markers", line=line),
        _points(played.path[:1], "start", hints[:1], start),
    ]
    if not played.cycle:
        end = {"symbol": "circle-x-open", "size": 20, "color": "@ink", "line": {"width": 2}}
        traces.append(_points(played.path[-1:], "end", hints[-1:], end))
    return traces


def _equilibria(found: fp.Equilibria) -> list[Trace]:
    if not found.equilibria:
        return []
    hints = [
        f"equilibrium {plain(say_profile(m))}, cost {format_number(cost)}"
        for m, cost in zip(found.equilibria, found.costs, strict=True)
    ]
    marker = {"symbol": "diamond", "size": 10, "color": "@fourth", "line": {"width": 1, "color": "@surface"}}
    return [_points(found.profiles, "equilibria", hints, marker)]


def _plans(names: Sequence[str], plans: Mapping[str, Any]) -> list[Trace]:
    traces = []
    for key, (title, symbol) in _PLANS.items():
        plan = plans.get(key)
        if plan is not None:
            m = [plan["contributions"][name] for name in names]
            hint = f"{title}: {plain(say_profile(plan['contributions']))}, cost {format_number(plan['cost'])}"
            marker = {"symbol": symbol, "size": 18 if key == "plan" else 14, "color": "@bad", "line": {"width": 2}}
            traces.append(_points([m], title, [hint], marker))
    return traces


def _widen(played: fp.game.Dynamics, curves: Mapping[str, Any] | None) -> fp.game.Dynamics:
    """Return the same path over what is enough as far as the plans reach, if that is known."""
    if not curves or not curves["responses"]:
        return played
    responses = {name: tuple(counts) for name, counts in curves["responses"].items()}
    wider = replace(played, responses=responses, staircase=tuple(curves["staircase"]))
    return max(played, wider, key=lambda seen: sum(len(counts) for counts in seen.responses.values()))


def _draw_two(played: fp.game.Dynamics, found: fp.Equilibria | None, plans: Mapping[str, Any]) -> Chart:
    first, second = played.names
    right, top = len(played.staircase) - 1, len(played.responses[first]) - 1
    traces = [*_region(played, top), *_responses(played), *_path(played)]
    traces += [] if found is None else _equilibria(found)
    traces += _plans(played.names, plans)
    lines = {"zeroline": True, "zerolinecolor": "@line"}
    figure = make_figure(
        traces,
        height=560,
        xaxis=count_axis(f"samples of {label(first)}", right) | lines | {"range": [-0.04 * right, 1.04 * right]},
        yaxis=count_axis(f"samples of {label(second)}", top) | lines | {"range": [-0.04 * top, 1.04 * top]},
        **legend_below(),
    )
    return draw(chart_two(played, found, plans), figure, can_zoom=True)


def draw_game(view: View, answer: Mapping[str, Any], beside: Mapping[str, Any] | None = None) -> tuple[Chart, ...]:
    """Draw the game of two agents with the equilibria, if they are known; or the path of play of more agents."""
    played = fp.game.Dynamics.from_dict(answer["dynamics"])
    if not played.responses:
        return draw_path(played)
    if beside is None:
        return (_draw_two(played, None, {}),)
    found = fp.Equilibria.from_dict(beside["equilibria"])
    return (_draw_two(_widen(played, beside["curves"]), found, beside["plans"]),)
