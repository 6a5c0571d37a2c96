"""What each agent is paid: a chart for every rule that can be applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import count_of, format_amount, format_number, format_short
from fedpact.web.charts.chart import Chart, axis, downwards, fit_height, legend_below, make_figure, plain
from fedpact.web.view import View
from fedpact.web.words.payments import list_applied, name_rule

_MOST_BARS = 40


def _round(bill: fp.Settlement, amounts: Mapping[str, float]) -> dict[str, float]:
    """Return amounts without what is only rounding."""
    size = max(abs(bill.spend), bill.cost)
    return {name: 0.0 if abs(amount) <= 1e-9 * size else amount for name, amount in amounts.items()}


def _find_concerned(bill: fp.Settlement) -> list[str]:
    """Agents that are paid or charged something, or label; everybody, if nobody is."""
    paid = _round(bill, bill.payments)
    names = [name for name in paid if paid[name] or bill.labelling[name]]
    return names or list(bill.payments)


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


def _describe(title: str, bill: fp.Settlement) -> str:
    paid = _round(bill, bill.payments)
    most, owing = max(paid, key=lambda name: paid[name]), [name for name in paid if paid[name] < 0]
    said = (
        f"Payments under {title}: {format_amount(bill.deficit, bill.spend)} in all, for labelling that costs "
        f"{format_number(bill.cost)}."
    )
    if paid[most] > 0:
        said += f" Most, {format_number(paid[most])}, goes to {most}."
    return f"{said} {len(owing):,} of {count_of(len(paid), 'agent')} pay instead." if owing else said


def _draw(place: int, title: str, bill: fp.Settlement) -> Chart:
    names = _find_concerned(bill)[:_MOST_BARS]
    paid, fees = _round(bill, bill.payments), _round(bill, bill.fees)
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
    figure = make_figure(
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
    return Chart(
        name=f"payments-{place}",
        title=title,
        description=_describe(title, bill),
        figure=figure,
        columns=("agent", "labels", "labelling costs", "fee", "payment", "is left with", "alone"),
        rows=tuple(
            (
                name,
                bill.contributions[name],
                bill.labelling[name],
                fees[name],
                paid[name],
                bill.utility[name],
                bill.utility_alone[name],
            )
            for name in bill.payments
        ),
    )


def draw_payments(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw what each agent is paid, a chart for every rule that can be applied."""
    return tuple(
        _draw(place, name_rule(row["rule"], row["pivot"]).title, fp.Settlement.from_dict(row["settlement"]))
        for place, row in enumerate(list_applied(answer))
    )
