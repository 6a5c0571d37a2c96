"""An explanation for the terminal, and as plain text: one renderer for both.

Names come from strangers: what is no visible character is escaped, and nothing is taken for markup. Long tables
are cut in ``print``; the command line shows them whole.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from fedpact.describe.parsing import one_line
from fedpact.explain.explanation import Column, Explanation, Fact, Mark, Table
from fedpact.explain.numbers import format_share
from fedpact.explain.words import words_of, write

MOST_ROWS = 30
MOST_COLUMNS = 20
_STYLES = {"good": "green", "so-so": "yellow", "bad": "red", "": ""}
_WIDE = 100_000


def write_cell(value: object, column: Column) -> str:
    """Write what stands in a table; nothing where there is no value."""
    if value is None:
        return ""
    return format_share(value) if column.kind == "share" and isinstance(value, float) else write(value)


def _write_cell(value: object, column: Column) -> Text:
    style = _STYLES[value.mood] if isinstance(value, Mark) else ""
    return Text(one_line(write_cell(value, column)), style=style)


def cut(table: Table, most: int | None) -> Table:
    """Leave out the rows beyond ``most`` and the columns beyond what fits, and say so; None leaves out nothing."""
    left = 0 if most is None else max(0, len(table.rows) - most)
    wide = 0 if most is None else max(0, len(table.columns) - MOST_COLUMNS)
    if not left and not wide:
        return table
    words, across = words_of("common"), slice(None, MOST_COLUMNS if wide else None)
    said = [words.say(f"more_{what}", n=n) for what, n in (("rows", left), ("columns", wide)) if n]
    return replace(
        table,
        columns=table.columns[across],
        rows=tuple(row[across] for row in table.rows[:most]),
        total=None if table.total is None else table.total[across],
        rest=words.say("more", what=said),
    )


def _grid(table: Table) -> RichTable:
    grid = RichTable(box=box.SIMPLE_HEAD if table.total else None, pad_edge=False, show_edge=False)
    for column in table.columns:
        title = Text(one_line(column.title), style="bold")
        grid.add_column(title, justify="right" if column.is_number else "left", overflow="fold")
    rows = [*table.rows, *([table.total] if table.total else [])]
    for place, row in enumerate(rows):
        if table.gap and place == len(table.rows) // 2:
            grid.add_row(Text(one_line(table.gap)))
        left = (None,) * (len(table.columns) - len(row))
        is_last = table.total is not None and place == len(rows) - 2
        grid.add_row(*map(_write_cell, (*row[:-1], *left, row[-1]), table.columns), end_section=is_last)
    return grid


def _render_table(table: Table) -> Iterator[RenderableType]:
    for line in (table.title, table.note):
        if line:
            yield Text(one_line(line), style="bold" if line is table.title else "")
    yield _grid(table)
    if table.rest:
        yield Text(one_line(table.rest))


def list_new_facts(said: Explanation) -> list[Fact]:
    """Return the facts that the headline does not say."""
    return [fact for fact in said.facts if fact.value is not None and not fact.is_in_headline]


def render(said: Explanation, most: int | None = None) -> Iterator[RenderableType]:
    """Give the lines and tables of an explanation; of each table, ``most`` rows."""
    yield Text(one_line(": ".join(filter(None, (said.title, said.headline)))), style="bold")
    if said.premise:
        yield Text(one_line(said.premise))
    facts = [f"{fact.label} {write(fact.value)}" for fact in list_new_facts(said)]
    if facts:
        yield Text(one_line(", ".join(facts)))
    for table in said.tables:
        if table.is_folded:
            yield Text(one_line(table.title))
        else:
            yield from _render_table(cut(table, most))
    for sentence in said.sentences:
        yield Text(one_line(sentence))
    for point in said.points:
        yield Text(one_line(f"{point.question} {point.answer}"))


def to_text(said: Explanation, most: int | None = MOST_ROWS) -> str:
    """Write an explanation as text.

    Examples
    --------
    >>> columns = (Column("agent"), Column("samples", "count"))
    >>> table = Table(name="agents", columns=columns, rows=(("alice", 1200), ("bob", 2)))
    >>> bill = Explanation(kind="x", title="Bill", headline="All is paid.", tables=(table,))
    >>> print(to_text(bill))
    Bill: All is paid.
    agent  samples
    alice    1,200
    bob          2
    """
    console = Console(file=io.StringIO(), width=_WIDE, color_system=None, legacy_windows=False)
    for part in render(said, most):
        console.print(part, soft_wrap=isinstance(part, Text))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in shown.splitlines())
