"""A result in words that follow from its fields alone: what any result has, and most need no more.

The headline is the sentence of its status; facts are what holds for all of it; the table has its rows. A kind's
own words say how these are called: ``title``, ``headline``, ``status.CODE``, ``sentences.ANY``, ``fields.KEY``;
title, headline and sentences may name fields in braces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from fedpact.coded import Refusal
from fedpact.describe.settings import Assumed
from fedpact.explain.explanation import Chart, Column, Explanation, Fact, Kind, Point, Table
from fedpact.explain.words import Words, sentence, words_of
from fedpact.result import Shown
from fedpact.rows import columns_of, scalars_of

_HIDDEN = (
    "kind",
    "schema",
    "status",
    "name",
    "federation",
    "version",
    "objective",
    "guarantee",
    "assume",
    "noise",
)
_KINDS: dict[type, Kind] = {int: "count", float: "number"}


def say_status(result: Any) -> str:
    """Say what the status of a result means; nothing where it has none."""
    status = getattr(result, "status", None)
    return "" if status is None else words_of(result.kind).say(f"status.{status}")


def say_assumption(assumed: Assumed) -> str:
    """Say what is assumed of labels.

    Examples
    --------
    >>> say_assumption(Assumed(assume="noisy", noise=0.05))
    'Assumed: some candidate is right, and each label is wrong with probability 0.05 at most.'
    """
    if assumed.assume == "noisy" and assumed.noise is None:
        return words_of("common").say("assumed.any_noise")
    return words_of("common").say(f"assume.{assumed.assume}", noise=assumed.noise)


def say_refusal(refusal: Refusal, words: Words | None = None, **values: Any) -> str:
    """Say why there is no answer: in a kind's own words where it has some for it, else in everybody's.

    Examples
    --------
    >>> say_refusal(Refusal(code="certainty", agents=("alice",)))
    'No plan exists: alice tolerates no error, and no number of samples is certain; raise epsilon.'
    """
    common, key = words_of("common"), f"refusal.{refusal.code}"
    own = common if words is None or key not in words else words
    if key not in own:
        return refusal.code
    values |= refusal.values or {}
    said = own.say(key, agents=refusal.agents, n=len(refusal.agents), **values)
    if refusal.pair is None:
        return said
    return f"{said.removesuffix('.')}. {common.say('refusal.pair', truth=refusal.pair[0], other=refusal.pair[1])}"


def make_table(
    words: Words, name: str, columns: str, rows: Iterable[tuple[Any, ...]], title: str | None = None, **more: Any
) -> Table:
    """Make a table; ``columns`` lists their keys, each with its kind unless that is text.

    Its title is the text ``NAME.title``, if there is one and none is given.

    Examples
    --------
    >>> make_table(words_of("plan"), "plan", "agent, samples count", [("alice", 3)]).columns
    (Column(title='agent', kind='text'), Column(title='samples', kind='count'))
    """
    keyed = [(*column.split(), "text")[:2] for column in columns.split(",")]
    titled = tuple(Column(words.name(key), kind) for key, kind in keyed)  # type: ignore[arg-type]
    said = words.texts.get(f"{name}.title", "") if title is None else title
    return Table(name=name, columns=titled, rows=tuple(rows), title=said, **more)


def make_chart(
    words: Words,
    name: str,
    columns: str | Sequence[str],
    rows: Iterable[Any],
    said: Iterable[str],
    title: str = "",
) -> Chart:
    """Make the data of a chart: keys of its columns or their titles, rows, and sentences on what it shows."""
    titles = map(words.name, columns.split(", ")) if isinstance(columns, str) else columns
    named, shown = title or words.say("chart.title"), tuple(map(tuple, rows))
    return Chart(name=name, title=named, description=" ".join(said), columns=tuple(titles), rows=shown)


def make_facts(words: Words, values: Mapping[str, Any], **more: Any) -> tuple[Fact, ...]:
    """Make facts of the values that there are, with the names that the words have for them."""
    return tuple(
        Fact(label=words.name(key), value=value, **more) for key, value in values.items() if value is not None
    )


def make_points(words: Words, answers: Mapping[str, str], part: str = "points") -> tuple[Point, ...]:
    """Make the lines of a certificate: the words have the questions."""
    return tuple(Point(question=words.say(f"{part}.{key}"), answer=answer) for key, answer in answers.items())


def list_rows(result: Shown, words: Words, *keys: str) -> Table:
    """Make a table of a result's rows: of these columns, or of all that say anything."""
    found = [column for column in columns_of(result) if any(value is not None for value in column.values)]
    if keys:
        by_name = {column.name: column for column in found}
        found = [by_name[key] for key in keys if key in by_name]
    return Table(
        name=result.ROWS or "agents",
        columns=tuple(Column(words.name(column.name), _KINDS.get(column.kind, "text")) for column in found),
        rows=tuple(zip(*(_say_codes(words, column.name, column.values) for column in found), strict=True)),
    )


def _say_codes(words: Words, key: str, values: tuple[Any, ...]) -> list[Any]:
    """Put the words of codes, where there are any, in their place."""
    return [words.say(f"{key}.{value}") if f"{key}.{value}" in words else value for value in values]


def list_facts(result: Shown, words: Words) -> tuple[Fact, ...]:
    """List what holds for all of a result."""
    said = words.texts.get("title", "") + words.texts.get("headline", "")
    return tuple(
        Fact(
            label=words.name(key),
            value=_say_codes(words, key, (value,))[0],
            is_in_headline=f"{{{key}}}" in said or f"{{{key}:" in said,
        )
        for key, value in scalars_of(result).items()
        if value is not None and key not in _HIDDEN
    )


def values_of(result: Any) -> dict[str, Any]:
    """Return what texts about a result may name: its fields, and what follows from them."""
    return {name: getattr(result, name) for name in (*(one.name for one in fields(result)), *result.DERIVED)}


def explain_as(
    result: Shown, *, title: str | None = None, headline: str | None = None, **more: Any
) -> Explanation:
    """Explain a result by what is given; title and headline that are not are those of its words."""
    words, values = words_of(result.kind), values_of(result)
    if title is None:
        title = words.say("title", **values) if "title" in words else result.kind.replace("-", " ").capitalize()
    if headline is None:
        headline = words.say("headline", **values) if "headline" in words else sentence(say_status(result))
    premise = say_assumption(result) if isinstance(result, Assumed) else ""
    return Explanation(kind=result.kind, title=title, headline=headline, premise=premise, **more)


def explain_fields(result: Shown) -> Explanation:
    """Explain a result by its fields."""
    words, values = words_of(result.kind), values_of(result)
    names, table = words.name(result.INDEX), list_rows(result, words)
    has_rows = result.ROWS is not None or table.rows[1:] or [one.title for one in table.columns[:1]] == [names]
    return explain_as(
        result,
        facts=list_facts(result, words),
        sentences=tuple(words.say(key, **values) for key in words.texts if key.startswith("sentences.")),
        tables=(table,) if table.rows and has_rows else (),
    )
