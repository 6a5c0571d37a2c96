"""A table as HTML: no script, no style sheet, nothing from elsewhere, and no colour but the reader's own.

Names come from strangers, so everything is escaped. Long and wide tables are cut; the DataFrame has all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from fedpact.showing.table import Kind, ShownTable

MOST_ROWS = 30
MOST_COLUMNS = 20
_BAR = 120


def say(value: Any) -> str:
    """Write a value as people read it.

    Examples
    --------
    >>> [say(value) for value in (True, 1234, 2 / 3, None, ("a", "b"), "x")]
    ['yes', '1,234', '0.666667', '', 'a, b', 'x']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    if isinstance(value, tuple | list):
        return ", ".join(map(say, value))
    return str(value)


def _cell(value: Any, kind: Kind) -> str:
    side = "right" if kind in (int, float) else "left"
    return f'<td style="text-align: {side}">{escape(say(value))}</td>'


def _bar(value: float | None, most: float) -> str:
    width = _BAR * value / most if value and most else 0
    return (
        f'<td style="text-align: left"><svg width="{_BAR}" height="10" aria-hidden="true">'
        f'<rect width="{width:.1f}" height="10" fill="currentColor" opacity="0.5"></rect></svg></td>'
    )


def _head(columns: Iterable[tuple[str, Kind]], has_bars: bool) -> str:
    cells = [
        f'<th scope="col" style="text-align: {"right" if kind in (int, float) else "left"}">{escape(name)}</th>'
        for name, kind in columns
    ]
    return f"<thead><tr>{''.join(cells)}{'<td></td>' if has_bars else ''}</tr></thead>"


def _grid(table: ShownTable) -> str:
    columns, rows = table.columns[:MOST_COLUMNS], table.rows[:MOST_ROWS]
    place = [name for name, _ in columns].index(table.bars) if table.bars else None
    most = 0 if place is None else max((row[place] or 0 for row in rows), default=0)
    lines = [_head(columns, place is not None), "<tbody>"]
    for row in rows:
        cells = [_cell(value, kind) for value, (_, kind) in zip(row, columns, strict=False)]
        bar = "" if place is None else _bar(row[place], most)
        lines.append(f"<tr>{''.join(cells)}{bar}</tr>")
    return "\n".join(["<table>", *lines, "</tbody>", "</table>"])


def say_left_out(table: ShownTable) -> str:
    """Say how many rows and columns are not shown; nothing if all are."""
    kinds: Sequence[tuple[str, int]] = (
        ("row", len(table.rows) - MOST_ROWS),
        ("column", len(table.columns) - MOST_COLUMNS),
    )
    more = [f"{count:,} more {what}{'s' if count > 1 else ''}" for what, count in kinds if count > 0]
    return f"... and {' and '.join(more)}; to_dataframe() has all" if more else ""


def to_html(table: ShownTable) -> str:
    """Write a table as HTML for a notebook.

    Examples
    --------
    >>> bill = ShownTable(title="Bill", facts={"in all": 5}, columns=[("agent", str)], rows=[("<b>",)])
    >>> print(to_html(bill))
    <div>
    <p><strong>Bill</strong><br/>in all <strong>5</strong></p>
    <table>
    <thead><tr><th scope="col" style="text-align: left">agent</th></tr></thead>
    <tbody>
    <tr><td style="text-align: left">&lt;b&gt;</td></tr>
    </tbody>
    </table>
    </div>
    """
    said = {name: say(value) for name, value in table.facts.items()}
    facts = " · ".join(f"{escape(name)} <strong>{escape(text)}</strong>" for name, text in said.items() if text)
    lines = [f"<strong>{escape(table.title)}</strong>", escape(table.status), facts]
    more = say_left_out(table)
    grid = [_grid(table), f"<p>{more}</p>" if more else ""] if table.rows else []
    return "\n".join(filter(None, ["<div>", f"<p>{'<br/>'.join(filter(None, lines))}</p>", *grid, "</div>"]))
