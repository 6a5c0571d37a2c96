"""Charts of bars: who labels how many, what coordination saves, what each is paid, what misreporting brings."""

from __future__ import annotations

import fedpact as fp
from fedpact.explain.against import Against, explain_against, list_ways
from fedpact.explain.numbers import count_of, format_number, format_short
from fedpact.explain.plan import explain_plan
from fedpact.explain.rule_comparison import explain_audits, explain_payments
from fedpact.explain.settlement import clean_all
from fedpact.web.charts.chart import (
    LEGEND_BELOW,
    MOST_BARS,
    Answer,
    Chart,
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


def draw_plan(answer: Answer, beside: Answer | None = None) -> tuple[Chart, ...]:
    """Draw how many samples each contributor labels, most first; nothing where nobody labels."""
    plan, bill = fp.Plan.from_dict(answer["plan"]), fp.Settlement.from_dict(answer["settlement"])
    counts = sorted(((n, name) for name, n in plan.contributions.items() if n), key=lambda row: -row[0])
    if not counts:
        return ()
    shown = counts[:MOST_BARS]
    hints = [
        f"{plain(name)}: {count_of(count, 'sample')}<br>labelling costs {format_number(bill.labelling[name])}, "
        f"paid {format_number(bill.payments[name])}"
        for count, name in shown
    ]
    figure = make_figure(
        [bars([count for count, _ in shown], hints, "@accent", [f"{count:,}" for count, _ in shown])],
        height=fit_height(len(shown)),
        xaxis=count_axis("samples", shown[0][0]),
        yaxis=downwards([name for _, name in shown]),
    )
    return (draw(explain_plan(plan).charts[0], figure),)


def read_against(answer: Answer) -> Against:
    """Read what the part "against" is about."""
    kept = {key: answer[key] for key in ("plan", "standalone", "costs", "unmet")}
    return Against(**kept, played=fp.game.Dynamics.from_dict(answer["dynamics"]))


def draw_against(answer: Answer, beside: Answer | None = None) -> tuple[Chart, ...]:
    """Draw what each way costs; ways without a cost have no bar, and the table says why."""
    seen = read_against(answer)
    drawn = [way for way in list_ways(seen) if way.cost is not None]
    if not drawn:
        return ()
    costs = [float(way.cost or 0.0) for way in drawn]
    texts = [format_number(cost) for cost in costs]
    hints = [f"{plain(way.title)}: {text}<br>{plain(way.note)}" for way, text in zip(drawn, texts, strict=True)]
    figure = make_figure(
        [bars(costs, hints, [_WAYS[way.name] for way in drawn], texts)],
        height=fit_height(len(drawn) + 1),
        xaxis=axis("cost", range=[0, 1.3 * max(*costs, 1e-9)], nticks=6),
        yaxis=downwards([way.title for way in drawn]),
    )
    return (draw(explain_against(seen).charts[0], figure),)


def read_payments(answer: Answer) -> fp.mechanism.RuleComparison:
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


def _draw_bill(bill: fp.Settlement) -> Figure:
    """Draw whoever is paid or charged something, or labels; everybody, if nobody is."""
    paid, fees = clean_all(bill, bill.payments), clean_all(bill, bill.fees)
    names = ([name for name in paid if paid[name] or bill.labelling[name]] or list(paid))[:MOST_BARS]
    amounts, costs = [paid[name] for name in names], [bill.labelling[name] for name in names]
    hints = [
        f"{plain(name)}: paid {format_number(paid[name])}<br>labelling costs "
        f"{format_number(bill.labelling[name])}, fee {format_number(fees[name])}"
        for name in names
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


def draw_payments(answer: Answer, beside: Answer | None = None) -> tuple[Chart, ...]:
    """Draw what each agent is paid, a chart for every rule that can be applied."""
    found = read_payments(answer)
    bills = [row.settlement for row in found.rows if row.settlement is not None]
    charts = zip(explain_payments(found).charts, bills, strict=True)
    return tuple(draw(chart, _draw_bill(bill)) for chart, bill in charts)


def _break(title: str) -> str:
    """Write the name of a rule in two lines, if it is long."""
    return plain(title).replace(" with ", "<br>with ").replace(" you ", "<br>you ")


def draw_audit(answer: Answer, beside: Answer | None = None) -> tuple[Chart, ...]:
    """Draw the largest gains that an audit found, side by side; nothing where no rule could be audited."""
    charts = explain_audits(fp.mechanism.RuleComparison.from_dict(answer)).charts
    if not charts:
        return ()
    (_, *titles), seen = charts[0].columns, charts[0].rows
    traces = []
    for column, (title, (colour, shape)) in enumerate(zip(titles, _GAINS, strict=True), start=1):
        hints = [f"{plain(row[0])}, {title}: {format_number(row[column])}" for row in seen]
        pattern = {"shape": shape, "fgcolor": "@surface", "bgcolor": colour, "size": 6}
        marker = {"color": colour, "pattern": pattern}
        traces.append(bars([row[column] for row in seen], hints, colour, name=title, marker=marker))
    figure = make_figure(
        traces,
        height=100 + 44 * len(seen),
        barmode="group",
        xaxis=axis("largest gain found", rangemode="tozero", nticks=6),
        yaxis=downwards([row[0] for row in seen]) | {"ticktext": [_break(row[0]) for row in seen]},
        **LEGEND_BELOW,
    )
    return (draw(charts[0], figure),)
