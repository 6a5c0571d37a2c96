"""Who labels how many: a bar for everybody who contributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import count_of, format_number
from fedpact.web.charts.chart import Chart, count_axis, downwards, fit_height, make_figure, plain
from fedpact.web.view import View

_MOST_BARS = 40


def _say_most(counts: Sequence[tuple[int, str]]) -> str:
    """Say who labels most; ``counts`` begin with the largest and end with the smallest."""
    most, name = counts[0]
    if len(counts) == 1:
        return f"all by {name}"
    if most > counts[1][0]:
        return f"most of them, {most:,}, by {name}"
    return f"{most:,} by each" if most == counts[-1][0] else f"at most {most:,} by one"


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
    total, most = sum(plan.contributions.values()), shown[0]
    more = f" The {_MOST_BARS} who label most are drawn." if len(counts) > _MOST_BARS else ""
    description = (
        f"Samples that each contributor labels: {count_of(total, 'sample')} in all, by "
        f"{count_of(len(counts), 'agent')}; {_say_most(counts)}.{more}"
    )
    return (
        Chart(
            name="plan",
            title="Samples to label",
            description=description,
            figure=make_figure(
                [trace],
                height=fit_height(len(shown)),
                xaxis=count_axis("samples", most[0]),
                yaxis=downwards(names),
            ),
            columns=("agent", "samples", "labelling costs", "paid"),
            rows=tuple((name, count, bill.labelling[name], bill.payments[name]) for count, name in counts),
        ),
    )
