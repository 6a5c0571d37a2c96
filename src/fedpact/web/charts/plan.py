"""Who labels how many: a bar for everybody who contributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import count_of, format_number
from fedpact.explain.plan import explain_plan
from fedpact.web.charts.chart import Chart, count_axis, downwards, draw, fit_height, make_figure, plain
from fedpact.web.view import View

_MOST_BARS = 40


def draw_plan(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw how many samples each contributor labels, most first; nothing where nobody labels."""
    plan = fp.Plan.from_dict(answer["plan"])
    bill = fp.Settlement.from_dict(answer["settlement"])
    counts = sorted(
        ((count, name) for name, count in plan.contributions.items() if count), key=lambda row: -row[0]
    )
    if not counts:
        return ()
    shown = counts[:_MOST_BARS]
    names = [name for _, name in shown]
    hints = [
        f"{plain(name)}: {count_of(count, 'sample')}<br>labelling costs {format_number(bill.labelling[name])}, "
        f"paid {format_number(bill.payments[name])}"
        for count, name in shown
    ]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": [count for count, _ in shown],
        "y": list(range(len(shown))),
        "text": [f"{count:,}" for count, _ in shown],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertext": hints,
        "hoverinfo": "text",
        "marker": {"color": "@accent"},
    }
    figure = make_figure(
        [trace], height=fit_height(len(shown)), xaxis=count_axis("samples", shown[0][0]), yaxis=downwards(names)
    )
    return (draw(explain_plan(plan).charts[0], figure),)
