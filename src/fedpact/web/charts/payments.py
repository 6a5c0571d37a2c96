"""What each agent is paid: a chart for every rule that can be applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import format_number, format_short
from fedpact.explain.rule_comparison import explain_payments
from fedpact.explain.settlement import clean_all
from fedpact.web.charts.chart import (
    Chart,
    Figure,
    axis,
    downwards,
    draw,
    fit_height,
    legend_below,
    make_figure,
    plain,
)
from fedpact.web.view import View

_MOST_BARS = 40


def read_payments(answer: Mapping[str, Any]) -> fp.mechanism.RuleComparison:
    """Return what every rule pays, without the plan that it is for."""
    return fp.mechanism.RuleComparison.from_dict({key: answer[key] for key in answer if key != "plan"})


def _find_range(amounts: list[float]) -> list[float]:
    """Return a range with room for the numbers beside the bars.

    Examples
    --------
    >>> _find_range([0.0, 10.0]), _find_range([-5.0, 5.0])
    ([0.0, 12.5], [-8.5, 7.5])
    """
    low, high = min(0.0, *amounts), max(0.0, *amounts)
    width = high - low or 1.0
    return [low - 0.35 * width if low < 0 else 0.0, high + 0.25 * width]


def _figure(bill: fp.Settlement) -> Figure:
    """Draw whoever is paid or charged something, or labels; everybody, if nobody is."""
    paid, fees = clean_all(bill, bill.payments), clean_all(bill, bill.fees)
    names = ([name for name in paid if paid[name] or bill.labelling[name]] or list(paid))[:_MOST_BARS]
    rows = list(range(len(names)))
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "name": "payment",
        "x": [paid[name] for name in names],
        "y": rows,
        "text": [format_short(paid[name]) for name in names],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertext": [
            f"{plain(name)}: paid {format_number(paid[name])}<br>labelling costs "
            f"{format_number(bill.labelling[name])}, fee {format_number(fees[name])}"
            for name in names
        ],
        "hoverinfo": "text",
        "marker": {"color": ["@accent" if paid[name] >= 0 else "@second" for name in names]},
    }
    ticks: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "name": "cost of its labelling",
        "x": [bill.labelling[name] for name in names],
        "y": rows,
        "hoverinfo": "skip",
        "marker": {"symbol": "line-ns-open", "size": 18, "color": "@ink", "line": {"width": 2}},
    }
    return make_figure(
        [bars, ticks],
        height=fit_height(len(names)) + 30,
        xaxis=axis(
            "payment; below zero the agent pays",
            range=_find_range([*bars["x"], *ticks["x"]]),
            zeroline=True,
            zerolinecolor="@line",
            nticks=6,
        ),
        yaxis=downwards(names),
        **legend_below(),
    )


def draw_payments(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw what each agent is paid, a chart for every rule that can be applied."""
    found = read_payments(answer)
    bills = [row.settlement for row in found.rows if row.settlement is not None]
    return tuple(
        draw(chart, _figure(bill)) for chart, bill in zip(explain_payments(found).charts, bills, strict=True)
    )
