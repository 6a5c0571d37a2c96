"""An explanation as HTML: for a notebook, without script or style sheet, and as a page to print and file.

Names come from strangers, so everything is escaped. In a notebook long tables are cut; the DataFrame has all.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template

from fedpact.explain.explanation import Column, Explanation, Table
from fedpact.explain.text import MOST_ROWS, cut, list_new_facts, write_cell
from fedpact.explain.words import words_of, write

_BAR = 120


def _cell(value: object, column: Column, span: int = 1) -> str:
    side = "right" if column.is_number and span == 1 else "left"
    wide = f' colspan="{span}"' if span > 1 else ""
    return f'<td{wide} style="text-align: {side}">{escape(write_cell(value, column))}</td>'


def _row(row: tuple[object, ...], columns: tuple[Column, ...]) -> str:
    """Write the cells of a row; the last value of a short one stands in all columns that are left."""
    left = len(columns) - len(row) + 1
    first = map(_cell, row[:-1], columns)
    return "".join((*first, _cell(row[-1], columns[len(row) - 1], left)))


def _head(column: Column) -> str:
    side = "right" if column.is_number else "left"
    return f'<th scope="col" style="text-align: {side}">{escape(column.title)}</th>'


def _bar(value: int | None, most: int) -> str:
    """Draw a count as a bar."""
    width = _BAR * (value or 0) / most if most else 0
    return (
        f'<td style="text-align: left"><svg width="{_BAR}" height="10" aria-hidden="true">'
        f'<rect width="{width:.1f}" height="10" fill="currentColor" opacity="0.5"></rect></svg></td>'
    )


def _grid(table: Table, *, has_bars: bool) -> str:
    """Write a table; the first column of counts may be drawn as bars too."""
    is_count = [has_bars and column.kind == "count" for column in table.columns]
    place = is_count.index(True) if any(is_count) else None
    counts = [] if place is None else [row[place] if len(row) > place else None for row in table.rows]
    most, space = max((count or 0 for count in counts), default=0), "" if place is None else "<td></td>"
    bars = [_bar(count, most) for count in counts] or [""] * len(table.rows)
    lines = [f"<tr>{_row(row, table.columns)}{bar}</tr>" for row, bar in zip(table.rows, bars, strict=True)]
    if table.gap:
        lines.insert(len(table.rows) // 2, f'<tr><td colspan="{len(table.columns)}">{escape(table.gap)}</td></tr>')
    head = f"<thead><tr>{''.join(map(_head, table.columns))}{space}</tr></thead>"
    foot = [f"<tfoot><tr>{_row(table.total, table.columns)}{space}</tr></tfoot>"] if table.total else []
    return "\n".join(["<table>", head, "<tbody>", *lines, "</tbody>", *foot, "</table>"])


def write_table(table: Table, *, heading: str = "p", has_bars: bool = True) -> str:
    """Write a table with what stands before and after it."""
    parts = [
        f"<{heading}>{escape(table.title)}</{heading}>" if table.title else "",
        f"<p>{escape(table.note)}</p>" if table.note else "",
        _grid(table, has_bars=has_bars) if table.rows else "",
        f"<p>{escape(table.rest)}</p>" if table.rest else "",
    ]
    return "\n".join(filter(None, parts))


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
    parts = [
        "<div>",
        f"<p>{'<br/>'.join(filter(None, (head, escape(said.premise), facts)))}</p>",
        *(write_table(cut(table, MOST_ROWS)) for table in said.tables),
        f"<p>{'<br/>'.join(map(escape, lines))}</p>" if lines else "",
        "</div>",
    ]
    return "\n".join(filter(None, parts))


def _define(pairs: Iterable[tuple[str, str]]) -> str:
    said = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f"<dl>{said}</dl>" if said else ""


def to_page(said: Explanation) -> str:
    """Write an explanation as a page by itself.

    Examples
    --------
    >>> page = to_page(Explanation(kind="x", title="Bill", headline="<b> is paid."))
    >>> [line for line in page.splitlines() if "paid" in line]
    ['<p class="headline">&lt;b&gt; is paid.</p>']
    """
    parts = [
        f'<p class="note">{escape(said.premise)}</p>' if said.premise else "",
        _define((fact.label, write(fact.value)) for fact in said.facts if fact.value is not None),
        *(write_table(table, heading="h2", has_bars=False) for table in said.tables),
        f"<h2>{escape(words_of('common').say('certificate'))}</h2>" if said.points else "",
        _define((point.question, point.answer) for point in said.points),
        *(f'<p class="note">{escape(sentence)}</p>' for sentence in said.sentences),
    ]
    page = Template(files("fedpact.explain").joinpath("page.html").read_text(encoding="utf-8"))
    title, headline = escape(said.title), escape(said.headline)
    return page.substitute(title=title, headline=headline, body="\n".join(filter(None, parts)))
