"""Equilibria of many agents: one strip for each agent, with what it gives in every equilibrium and in the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import count_of
from fedpact.web.charts.chart import (
    Chart,
    Trace,
    count_axis,
    downwards,
    fit_height,
    legend_below,
    make_figure,
    plain,
)
from fedpact.web.view import View

_MOST_STRIPS = 40


def _find_strips(found: fp.Equilibria, plan: Mapping[str, int]) -> list[int]:
    """Agents that give anything in an equilibrium or in the plan; everybody, if nobody does."""
    giving = [
        agent
        for agent, name in enumerate(found.names)
        if plan.get(name) or any(profile[agent] for profile in found.profiles)
    ]
    return (giving or list(range(len(found.names))))[:_MOST_STRIPS]


def _count(found: fp.Equilibria, agent: int) -> Counter[int]:
    return Counter(profile[agent] for profile in found.profiles)


def _draw_counts(found: fp.Equilibria, strips: Sequence[int]) -> Trace:
    points = [
        (count, row, times, found.names[agent])
        for row, agent in enumerate(strips)
        for count, times in sorted(_count(found, agent).items())
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [count for count, *_ in points],
        "y": [row for _, row, *_ in points],
        "name": "in an equilibrium",
        "hovertext": [
            f"{plain(name)}: {count_of(count, 'sample')} in {count_of(times, 'equilibrium', 'equilibria')}"
            for count, _, times, name in points
        ],
        "hoverinfo": "text",
        "cliponaxis": False,
        "marker": {"symbol": "line-ns-open", "size": 16, "color": "@accent", "line": {"width": 2}},
    }


def _draw_plan(found: fp.Equilibria, strips: Sequence[int], plan: Mapping[str, int]) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [plan[found.names[agent]] for agent in strips],
        "y": list(range(len(strips))),
        "name": "in the plan",
        "hovertext": [
            f"{plain(found.names[agent])}: {count_of(plan[found.names[agent]], 'sample')} in the plan"
            for agent in strips
        ],
        "hoverinfo": "text",
        "cliponaxis": False,
        "marker": {"symbol": "diamond-open", "size": 11, "color": "@bad", "line": {"width": 2}},
    }


def _say_range(counts: Counter[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _describe(found: fp.Equilibria, strips: Sequence[int]) -> str:
    count = count_of(len(found.profiles), "equilibrium", "equilibria")
    widest = max(strips, key=lambda agent: max(_count(found, agent)) - min(_count(found, agent)))
    most = f" It varies most for {found.names[widest]}: {_say_range(_count(found, widest))}."
    left = len(found.names) - len(strips)
    rest = (
        f" The other {count_of(left, 'agent')} {'give nothing' if len(strips) < _MOST_STRIPS else 'are left out'}."
    )
    rest = rest if left else ""
    return f"What each agent gives in {count}, and in the plan.{most if len(found.profiles) > 1 else ''}{rest}"


def draw_equilibria(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw strips of what everybody gives; nothing without equilibria, nor where the game is drawn for two."""
    found = fp.Equilibria.from_dict(answer["equilibria"])
    if not found.profiles or len(found.names) == 2:
        return ()
    planned = answer["plans"]["plan"]
    plan: Mapping[str, int] = {} if planned is None else planned["contributions"]
    strips = _find_strips(found, plan)
    traces = [_draw_counts(found, strips)]
    if plan:
        traces.append(_draw_plan(found, strips, plan))
    figure = make_figure(
        traces,
        height=fit_height(len(strips)) + 30,
        xaxis=count_axis("samples", max(max(_count(found, agent)) for agent in strips)),
        yaxis=downwards([found.names[agent] for agent in strips]) | {"showgrid": True},
        **legend_below(),
    )
    return (
        Chart(
            name="strips",
            title="What each gives in every equilibrium",
            description=_describe(found, strips),
            figure=figure,
            columns=("agent", "in equilibria", "in the plan"),
            rows=tuple(
                (found.names[agent], _say_range(_count(found, agent)), plan.get(found.names[agent]))
                for agent in strips
            ),
        ),
    )
