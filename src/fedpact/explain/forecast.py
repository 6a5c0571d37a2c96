"""A forecast in words: how many labels each way of labelling takes under each assumption, and for what cost."""

from __future__ import annotations

from fedpact.explain.explanation import Explanation, Table
from fedpact.explain.generic import explain_as, make_chart, make_table, say_refusal
from fedpact.explain.numbers import format_number, join_names
from fedpact.explain.words import words_of
from fedpact.selection.forecast import Forecast, ForecastRow

_WORDS = words_of("forecast")


def _name_way(row: ForecastRow) -> str:
    return _WORDS.say("way.batches" if (row.batch or 1) > 1 else f"way.{row.how}", batch=row.batch)


def _say_most(row: ForecastRow) -> str | None:
    if row.labels_worst is None:
        return None
    return _WORDS.say("most.bound" if row.is_bound else "most.seen", labels=row.labels_worst)


def _say_note(row: ForecastRow) -> str | None:
    """Say why there is no such way, or how many runs did not come to the end."""
    if row.refusal is not None:
        return say_refusal(row.refusal)
    if row.certified is not None and row.certified < 1:
        return _WORDS.say("uncertified", certified=row.certified)
    return None


def _say_ways(rows: list[ForecastRow], noise: float) -> str:
    """Say of one assumption how many labels each way takes; of several batches the first is named."""
    ways = {row.how: row for row in reversed(rows) if row.labels is not None}
    said: list[str] = []
    for how in ("alone", "fixed", "adaptive"):
        if how in ways:
            key = f"takes.{how}_first" if not said and how != "alone" else f"takes.{how}"
            said.append(_WORDS.say(key, labels=format_number(round(ways[how].labels or 0.0, 1))))
    told = join_names(said) if said else _WORDS.say("none")
    assumption = _WORDS.say(f"assumption.{rows[0].assume}", noise=noise)
    return _WORDS.say("headline", assumption=assumption, ways=told)


def _list_rows(seen: Forecast) -> Table:
    rows = [
        (
            _WORDS.say(f"row.{row.assume}", noise=row.noise),
            _name_way(row),
            None if row.labels is None else round(row.labels, 1),
            _say_most(row),
            row.cost,
            None if row.rounds is None else round(row.rounds, 1),
            _say_note(row),
        )
        for row in seen.rows
    ]
    notes = ", note prose" if any(row[-1] for row in rows) else ""
    columns = f"assume, way, labels number, most number, cost number, rounds number{notes}"
    return make_table(_WORDS, "ways", columns, rows if notes else [row[:-1] for row in rows])


def explain_forecast(seen: Forecast) -> Explanation:
    """Explain a forecast."""
    groups: dict[str, list[ForecastRow]] = {}
    for row in seen.rows:
        groups.setdefault(row.assume, []).append(row)
    first, *others = (_say_ways(rows, seen.noise) for rows in groups.values())
    table = _list_rows(seen)
    is_wrong = any(row.runs and row.assume != "realizable" for row in seen.rows)
    told = {
        "simulated_noise" if is_wrong else "simulated": any(row.runs for row in seen.rows),
        "bound": any(row.runs and not row.is_bound for row in seen.rows),
        "unproved": any(row.certified is not None and row.certified < 1 for row in seen.rows),
        "confidence": seen.confidence is not None,
        f"delta_{seen.guarantee}": True,
    }
    columns, rows = [column.title for column in table.columns[:4]], [row[:4] for row in table.rows]
    described = (_WORDS.say("chart.description"), first, *others)
    more = _WORDS.say_those(told, noise=seen.noise, delta=seen.delta, confidence=seen.confidence)
    return explain_as(
        seen,
        headline=first,
        sentences=(*others, *more),
        charts=(make_chart(_WORDS, "labels", columns, rows, described),),
        tables=(table,),
    )
