"""An explanation for the terminal, and as plain text: one renderer for both.

Names come from strangers: what is no visible character is escaped, and nothing is taken for markup. Long tables
are cut in ``print``; the command line shows them whole.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from fedpact.explain.explanation import Column, Explanation, Fact, Table
from fedpact.explain.numbers import format_share
from fedpact.explain.words import words_of, write

MOST_ROWS = 30
_WIDE = 100_000


def visible(text: str) -> str:
    r"""Escape whatever a terminal would not show as a character.

    Examples
    --------
    >>> visible("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def write_cell(value: object, column: Column) -> str:
    """Write what stands in a table; nothing where there is no value."""
    if value is None:
        return ""
    return format_share(value) if column.kind == "share" and isinstance(value, float) else write(value)


def _grid(table: Table, most: int | None) -> RichTable:
    grid = RichTable(box=box.SIMPLE_HEAD if table.total else None, pad_edge=False, show_edge=False)
    for column in table.columns:
        title = Text(visible(column.title), style="bold")
        grid.add_column(title, justify="right" if column.is_number else "left", overflow="fold")
    rows = [*table.rows[:most], *([table.total] if table.total else [])]
    for place, row in enumerate(rows):
        cells = zip(row, table.columns, strict=True)
        is_last = table.total is not None and place == len(rows) - 2
        grid.add_row(*(Text(visible(write_cell(value, column))) for value, column in cells), end_section=is_last)
    return grid


def say_rest(table: Table, most: int | None) -> str:
    """Say what a table leaves out."""
    left = 0 if most is None else len(table.rows) - most
    return words_of("common").say("more_rows", rows=left) if left > 0 else table.rest


def _render_table(table: Table, most: int | None) -> Iterator[RenderableType]:
    for line in (table.title, table.note):
        if line:
            yield Text(visible(line), style="bold" if line is table.title else "")
    yield _grid(table, most)
    rest = say_rest(table, most)
    if rest:
        yield Text(visible(rest))


def list_new_facts(said: Explanation) -> list[Fact]:
    """Return the facts that the headline does not say."""
    return [fact for fact in said.facts if fact.value is not None and not fact.is_in_headline]


def render(said: Explanation, most: int | None = None) -> Iterator[RenderableType]:
    """Give the lines and tables of an explanation; of each table, ``most`` rows."""
    yield Text(visible(": ".join(filter(None, (said.title, said.headline)))), style="bold")
    facts = [f"{fact.label} {write(fact.value)}" for fact in list_new_facts(said)]
    if facts:
        yield Text(visible(", ".join(facts)))
    for table in said.tables:
        if table.is_folded:
            yield Text(visible(table.title))
        else:
            yield from _render_table(table, most)
    for sentence in said.sentences:
        yield Text(visible(sentence))
    for point in said.points:
        yield Text(visible(f"{point.question} {point.answer}"))


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
