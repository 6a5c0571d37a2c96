"""A frontier in words: what accuracy, or certainty, costs, value by value."""

from __future__ import annotations

from typing import Any

from fedpact.explain.explanation import Chart, Explanation, Table
from fedpact.explain.generic import explain_as, make_chart, make_table, say_refusal
from fedpact.explain.plan import say_quality
from fedpact.explain.words import words_of
from fedpact.planning.frontier import Frontier, FrontierPoint

_WORDS = words_of("frontier")
_SAME = 1e-6


def say_note(point: FrontierPoint) -> str:
    """Say how good the plan is, or why there is none."""
    if point.plan is not None:
        quality = say_quality(point.plan)
        at = point.planned_at
        return quality if at is None else _WORDS.say("planned_at", quality=quality, value=at)
    return "" if point.refusal is None else say_refusal(point.refusal)


def _ends_of(curve: Frontier) -> dict[str, Any]:
    """Return what the sentences name: the ends of the curve, as far as there are plans."""
    ends = [point for point in curve.points if point.plan is not None] or curve.points
    dearest, cheapest = (None if point.plan is None else point.plan.cost for point in (ends[0], ends[-1]))
    said = {"axis": curve.axis, "strictest": ends[0].value, "loosest": ends[-1].value}
    return said | {"dearest": dearest, "cheapest": cheapest}


def _list_sentences(curve: Frontier) -> list[str]:
    planned = [point for point in curve.points if point.plan is not None]
    said = [
        _WORDS.say("today", axis=curve.axis, today=curve.today, cost=point.plan.cost)
        for point in planned
        if point.plan is not None and curve.today is not None and abs(point.value - curve.today) < _SAME
    ][:1]
    missing = len(curve.points) - len(planned)
    if missing:
        said.append(_WORDS.say("missing", missing=missing, all=len(curve.points)))
    return said


def _list_points(curve: Frontier) -> Table:
    rows = []
    for point in curve.points:
        known: tuple[float | None, ...] = (None, None, None)
        if (plan := point.plan) is not None:
            known = (sum(plan.contributions.values()), plan.cost, plan.lower_bound)
        rows.append((point.value, *known, say_note(point)))
    columns = f"{curve.axis} number, samples count, cost number, lower_bound number, note"
    return make_table(_WORDS, "points", columns, rows)


def _chart(curve: Frontier, table: Table) -> Chart:
    said = (_WORDS.say("chart.description", **_ends_of(curve)), *_list_sentences(curve))
    columns, title = [column.title for column in table.columns], _WORDS.say("chart.title", axis=curve.axis)
    return make_chart(_WORDS, "frontier", columns, table.rows, said, title)


def explain_frontier(curve: Frontier) -> Explanation:
    """Explain a frontier."""
    table, planned = _list_points(curve), [point for point in curve.points if point.plan is not None]
    key = "headline" if planned[1:] else "headline_one" if planned else "headline_none"
    values = _ends_of(curve)
    low, high = values["strictest"], values["loosest"]
    values["range"] = low if low == high else _WORDS.say("range", low=low, high=high)
    method = _WORDS.say(f"method.{curve.axis}", method=curve.method)
    return explain_as(
        curve,
        headline=_WORDS.say(key, **values, why=say_note(curve.points[-1])).rstrip(),
        sentences=(*_list_sentences(curve), method) if planned else (),
        charts=(_chart(curve, table),) if planned else (),
        tables=(table,),
    )
