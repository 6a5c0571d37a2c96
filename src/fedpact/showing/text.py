"""A table as plain text, in columns; cut as its HTML is, with whatever is no visible character escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fedpact.showing.html import MOST_COLUMNS, MOST_ROWS, say, say_left_out
from fedpact.showing.table import Kind, ShownTable


def _visible(value: Any) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in say(value))


def _column(cells: Sequence[str], kind: Kind) -> list[str]:
    width = max(map(len, cells))
    return [cell.rjust(width) if kind in (int, float) else cell.ljust(width) for cell in cells]


def _grid(table: ShownTable) -> list[str]:
    columns = [
        _column([_visible(name), *(_visible(row[place]) for row in table.rows[:MOST_ROWS])], kind)
        for place, (name, kind) in enumerate(table.columns[:MOST_COLUMNS])
    ]
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def to_text(table: ShownTable) -> str:
    """Write a table as text.

    Examples
    --------
    >>> columns = [("agent", str), ("samples", int)]
    >>> bill = ShownTable(title="Bill", facts={"cost": 5}, columns=columns, rows=[("alice", 1200), ("bob", 2)])
    >>> print(to_text(bill))
    Bill
    cost 5
    agent  samples
    alice    1,200
    bob          2
    """
    said = {name: _visible(value) for name, value in table.facts.items()}
    facts = ", ".join(f"{_visible(name)} {text}" for name, text in said.items() if text)
    grid = [*_grid(table), say_left_out(table)] if table.rows else []
    return "\n".join(filter(None, [_visible(table.title), _visible(table.status), facts, *grid]))
