"""An explanation as HTML for a notebook: no script, no style sheet, no colour but the reader's own.

Names come from strangers, so everything is escaped. Long tables are cut; the DataFrame has all.
"""

from __future__ import annotations

from html import escape

from fedpact.explain.explanation import Column, Explanation, Table
from fedpact.explain.text import MOST_ROWS, list_new_facts, say_rest, write_cell
from fedpact.explain.words import write

_BAR = 120


def _cell(value: object, column: Column, tag: str = "td", span: str = "") -> str:
    side = "right" if column.is_number and not span else "left"
    return f'<{tag}{span} style="text-align: {side}">{escape(write_cell(value, column))}</{tag}>'


def _row(row: tuple[object, ...], columns: tuple[Column, ...]) -> str:
    left = len(columns) - len(row) + 1
    *first, last = zip(row, columns, strict=False)
    return "".join(_cell(*one) for one in first) + _cell(*last, span=f' colspan="{left}"' if left > 1 else "")


def _bar(row: tuple[object, ...], place: int | None, most: float) -> str:
    """Draw the first count of a row as a bar."""
    if place is None:
        return ""
    value = row[place] if len(row) > place else 0
    width = _BAR * max(value, 0) / most if most and isinstance(value, int | float) else 0
    return (
        f'<td style="text-align: left"><svg width="{_BAR}" height="10" aria-hidden="true">'
        f'<rect width="{width:.1f}" height="10" fill="currentColor" opacity="0.5"></rect></svg></td>'
    )


def _grid(table: Table) -> str:
    rows = table.rows[:MOST_ROWS]
    place = next((at for at, column in enumerate(table.columns) if column.kind == "count"), None)
    most = 0 if place is None else max((row[place] or 0 for row in rows if len(row) > place), default=0)
    head = "".join(_cell(column.title, column, "th") for column in table.columns)
    lines = [
        f"<tr>{_row(row, table.columns)}{_bar(row, place, most)}</tr>"
        for row in (*rows, *([table.total] if table.total else []))
    ]
    if table.gap:
        lines.insert(len(table.rows) // 2, f'<tr><td colspan="{len(table.columns)}">{escape(table.gap)}</td></tr>')
    space = "" if place is None else "<td></td>"
    body = ["<table>", f"<thead><tr>{head}{space}</tr></thead>", "<tbody>", *lines, "</tbody>", "</table>"]
    return "\n".join(body)


def _write_table(table: Table) -> str:
    before = [f"<p>{escape(line)}</p>" for line in (table.title, table.note) if line]
    rest = say_rest(table, MOST_ROWS)
    return "\n".join([*before, _grid(table), *([f"<p>{escape(rest)}</p>"] if rest else [])])


def to_html(said: Explanation) -> str:
    """Write an explanation as HTML.

    Examples
    --------
    >>> print(to_html(Explanation(kind="x", title="Bill", headline="<b> is paid.")))
    <div>
    <p><strong>Bill: &lt;b&gt; is paid.</strong></p>
    </div>
    """
    facts = " · ".join(
        f"{escape(fact.label)} <strong>{escape(write(fact.value))}</strong>" for fact in list_new_facts(said)
    )
    head = f"<strong>{escape(': '.join(filter(None, (said.title, said.headline))))}</strong>"
    lines = [*said.sentences, *(f"{point.question} {point.answer}" for point in said.points)]
    return "\n".join(
        filter(
            None,
            [
                "<div>",
                f"<p>{'<br/>'.join(filter(None, (head, facts)))}</p>",
                *map(_write_table, said.tables),
                f"<p>{'<br/>'.join(map(escape, lines))}</p>" if lines else "",
                "</div>",
            ],
        )
    )
