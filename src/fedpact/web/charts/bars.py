"""Charts of bars: who labels how many, what coordination saves, what each is paid, what misreporting brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import fedpact as fp
from fedpact.explain import Chart as ChartData
from fedpact.explain import Explanation
from fedpact.explain.against import Against, explain_against, list_ways
from fedpact.explain.numbers import count_of, format_number, format_short
from fedpact.explain.plan import explain_paid_plan
from fedpact.explain.rule_comparison import explain_audits, explain_payments
from fedpact.web.charts.chart import (
    LEGEND_BELOW,
    MOST_BARS,
    Answer,
    Figure,
    axis,
    bars,
    count_axis,
    downwards,
    draw,
    fit_height,
    make_figure,
    plain,
    scatter,
)

_WAYS = {"plan": "@accent", "selfish": "@second", "alone": "@third"}
_GAINS = (("@accent", ""), ("@second", "/"), ("@third", "x"))


def show_plan(answer: Answer, beside: Answer | None = None) -> Explanation:
    """Draw how many samples each contributor labels, most first; nothing where nobody labels."""
    bill = fp.Settlement.from_dict(answer["settlement"])
    said = explain_paid_plan(fp.Plan.from_dict(answer["plan"]), bill)
    return draw(said, *(_draw_counts(chart.rows[:MOST_BARS], bill) for chart in said.charts))


def _draw_counts(shown: Sequence[tuple[Any, ...]], bill: fp.Settlement) -> Figure:
    hints = [
        f"{plain(name)}: {count_of(count, 'sample')}<br>labelling costs {format_number(bill.labelling[name])}, "
        f"paid {format_number(bill.payments[name])}"
        for name, count, _ in shown
    ]
    counts = [count for _, count, _ in shown]
    return make_figure(
        [bars(counts, hints, "@accent", [f"{count:,}" for count in counts])],
        height=fit_height(len(shown)),
        xaxis=count_axis("samples", counts[0]),
        yaxis=downwards([name for name, *_ in shown]),
    )


def read_against(answer: Answer) -> Against:
    """Read what the part "against" is about."""
    kept = {key: answer[key] for key in ("plan", "standalone", "costs", "unmet")}
    return Against(**kept, played=fp.game.Dynamics.from_dict(answer["dynamics"]))


def show_against(answer: Answer, beside: Answer | None = None) -> Explanation:
    """Draw what each way costs; ways without a cost have no bar, and the table says why."""
    seen = read_against(answer)
    drawn = [(way, float(way.cost)) for way in list_ways(seen) if way.cost is not None]
    if not drawn:
        return explain_against(seen)
    costs = [cost for _, cost in drawn]
    texts = [format_number(cost) for cost in costs]
    hints = [f"{plain(way.title)}: {format_number(cost)}<br>{plain(way.note)}" for way, cost in drawn]
    figure = make_figure(
        [bars(costs, hints, [_WAYS[way.name] for way, _ in drawn], texts)],
        height=fit_height(len(drawn) + 1),
        xaxis=axis("cost", range=[0, 1.3 * max(*costs, 1e-9)], nticks=6),
        yaxis=downwards([way.title for way, _ in drawn]),
    )
    return draw(explain_against(seen), figure)


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


def _draw_bill(chart: ChartData) -> Figure:
    """Draw whoever is paid or charged something, or labels; everybody, if nobody is."""
    rows = [(name, cost, fee, paid) for name, _, cost, fee, paid, *_ in chart.rows]
    shown = ([row for row in rows if row[3] or row[1]] or rows)[:MOST_BARS]
    names, costs, _, amounts = map(list, zip(*shown, strict=True))
    hints = [
        f"{plain(name)}: paid {format_number(paid)}<br>labelling costs "
        f"{format_number(cost)}, fee {format_number(fee)}"
        for name, cost, fee, paid in shown
    ]
    colours = ["@accent" if amount >= 0 else "@second" for amount in amounts]
    tick = {"symbol": "line-ns-open", "size": 18, "color": "@ink", "line": {"width": 2}}
    zero = {"zeroline": True, "zerolinecolor": "@line"}
    return make_figure(
        [
            bars(amounts, hints, colours, [format_short(amount) for amount in amounts], name="payment"),
            scatter([(cost, row) for row, cost in enumerate(costs)], "cost of its labelling", marker=tick),
        ],
        height=fit_height(len(names)) + 30,
        xaxis=axis("payment; below zero the agent pays", range=_find_range([*amounts, *costs]), nticks=6, **zero),
        yaxis=downwards(names),
        **LEGEND_BELOW,
    )


def show_payments(answer: Answer, beside: Answer | None = None) -> Explanation:
    """Draw what each agent is paid, a chart for every rule that can be applied."""
    found = fp.mechanism.RuleComparison.from_dict({key: answer[key] for key in answer if key != "plan"})
    said = explain_payments(found)
    return draw(said, *map(_draw_bill, said.charts))


def _break(title: str) -> str:
    """Write the name of a rule in two lines, if it is long."""
    return plain(title).replace(" with ", "<br>with ").replace(" you ", "<br>you ")


def show_audit(answer: Answer, beside: Answer | None = None) -> Explanation:
    """Draw the largest gains that an audit found, side by side; nothing where no rule could be audited."""
    said = explain_audits(fp.mechanism.RuleComparison.from_dict(answer))
    return draw(said, *map(_draw_gains, said.charts))


def _draw_gains(chart: ChartData) -> Figure:
    (_, *titles), seen = chart.columns, chart.rows
    traces = []
    for column, (title, (colour, shape)) in enumerate(zip(titles, _GAINS, strict=True), start=1):
        hints = [f"{plain(row[0])}, {title}: {format_number(row[column])}" for row in seen]
        pattern = {"shape": shape, "fgcolor": "@surface", "bgcolor": colour, "size": 6}
        marker = {"color": colour, "pattern": pattern}
        traces.append(bars([row[column] for row in seen], hints, colour, name=title, marker=marker))
    return make_figure(
        traces,
        height=100 + 44 * len(seen),
        barmode="group",
        xaxis=axis("largest gain found", rangemode="tozero", nticks=6),
        yaxis=downwards([row[0] for row in seen]) | {"ticktext": [_break(row[0]) for row in seen]},
        **LEGEND_BELOW,
    )
