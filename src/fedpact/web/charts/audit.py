"""What misreporting brings: the largest gains that an audit found, under every rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import format_number
from fedpact.explain.rule_comparison import explain_audits
from fedpact.web.charts.chart import Chart, axis, downwards, draw, legend_below, make_figure, plain
from fedpact.web.view import View

_STYLES = (("@accent", ""), ("@second", "/"), ("@third", "x"))


def _break(title: str) -> str:
    """Write the name of a rule in two lines, if it is long."""
    return plain(title).replace(" with ", "<br>with ").replace(" you ", "<br>you ")


def draw_audit(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw the gains side by side; nothing where no rule could be audited."""
    charts = explain_audits(fp.mechanism.RuleComparison.from_dict(answer)).charts
    if not charts:
        return ()
    (_, *titles), seen = charts[0].columns, charts[0].rows
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": title,
            "x": [row[column] for row in seen],
            "y": list(range(len(seen))),
            "hovertext": [f"{plain(row[0])}, {title}: {format_number(row[column])}" for row in seen],
            "hoverinfo": "text",
            "marker": {
                "color": colour,
                "pattern": {"shape": pattern, "fgcolor": "@surface", "bgcolor": colour, "size": 6},
            },
        }
        for column, (title, (colour, pattern)) in enumerate(zip(titles, _STYLES, strict=True), start=1)
    ]
    figure = make_figure(
        traces,
        height=100 + 44 * len(seen),
        barmode="group",
        xaxis=axis("largest gain found", rangemode="tozero", nticks=6),
        yaxis=downwards([row[0] for row in seen]) | {"ticktext": [_break(row[0]) for row in seen]},
        **legend_below(),
    )
    return (draw(charts[0], figure),)
