"""What lying brings: the largest gains that an audit found, for every rule and in every sense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedpact.explain.numbers import count_of, format_number
from fedpact.web.charts.chart import Chart, axis, downwards, legend_below, make_figure, plain
from fedpact.web.view import View
from fedpact.web.words.payments import name_rule

_SENSES = (
    ("gain", "others truthful", "@accent", ""),
    ("gain_dominant", "others lie as well", "@second", "/"),
    ("gain_coalition", "in collusion", "@third", "x"),
)


def _break(title: str) -> str:
    """Write the name of a rule in two lines, if it is long."""
    return plain(title).replace(" with ", "<br>with ").replace(" you ", "<br>you ")


def _describe(rows: list[tuple[Any, ...]]) -> str:
    safe = [row[0] for row in rows if max(row[1:]) == 0]
    worst = max(rows, key=lambda row: row[1])
    tempting = sum(row[1] > 0 for row in rows)
    said = f"Largest gains from misreporting that were found under {count_of(len(rows), 'rule')}."
    if tempting:
        said += (
            f" Under {tempting} of them somebody gains although all others are truthful, most under {worst[0]}: "
            f"{format_number(worst[1])}."
        )
    return f"{said} Nothing was found under {', '.join(safe)}." if safe else said


def draw_audit(view: View, answer: Mapping[str, Any], beside: object = None) -> tuple[Chart, ...]:
    """Draw the gains side by side; nothing where no rule could be audited."""
    seen = [
        (name_rule(row["rule"], row["pivot"]).title, *(row["audit"][sense] for sense, *_ in _SENSES))
        for row in answer["rules"]
        if row["audit"] is not None
    ]
    if not seen:
        return ()
    places = list(range(len(seen)))
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": title,
            "x": [row[column] for row in seen],
            "y": places,
            "hovertext": [f"{plain(row[0])}, {title}: {format_number(row[column])}" for row in seen],
            "hoverinfo": "text",
            "marker": {
                "color": colour,
                "pattern": {"shape": pattern, "fgcolor": "@surface", "bgcolor": colour, "size": 6},
            },
        }
        for column, (_, title, colour, pattern) in enumerate(_SENSES, start=1)
    ]
    figure = make_figure(
        traces,
        height=100 + 44 * len(seen),
        barmode="group",
        xaxis=axis("largest gain found", rangemode="tozero", nticks=6),
        yaxis=downwards([row[0] for row in seen]) | {"ticktext": [_break(row[0]) for row in seen]},
        **legend_below(),
    )
    return (
        Chart(
            name="audit",
            title="What misreporting brings",
            description=_describe(seen),
            figure=figure,
            columns=("rule", *(title for _, title, *_ in _SENSES)),
            rows=tuple(seen),
        ),
    )
