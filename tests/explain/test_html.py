"""HTML of an explanation: cut where it is long or wide, bars to scale, nothing of a stranger's let through."""

import re
from xml.etree import ElementTree

from fedpact.explain import Column, Explanation, Fact, Mark, Point, Table, to_html
from fedpact.explain.text import MOST_COLUMNS, MOST_ROWS

AGENTS = (Column("agent"), Column("samples", "count"))


def show(rows, columns=AGENTS, **more):
    table = Table(name="agents", columns=columns, rows=tuple(rows), **more)
    return to_html(Explanation(kind="plan", title="Plan", headline="", tables=(table,)))


def test_a_long_table_says_how_much_is_left_out():
    html = show([(f"a{n}", n) for n in range(MOST_ROWS + 170)])
    assert html.count("<tr>") == 1 + MOST_ROWS
    assert "<p>... and 170 more rows; to_dataframe() has all</p>" in html
    assert "more" not in show([("a", 1)] * MOST_ROWS)


def test_a_wide_table_says_how_much_is_left_out():
    columns = tuple(Column(f"c{n}", "number") for n in range(MOST_COLUMNS + 1))
    html = show([range(len(columns))], columns)
    assert html.count("<th ") == html.count("<td ") == MOST_COLUMNS
    assert "... and 1 more column;" in html


def test_bars_are_as_long_as_their_counts_say():
    html = show([("a", 10), ("b", 5), ("c", 0), ("d", None)], total=("in all", 15))
    assert re.findall(r'<rect width="([\d.]+)"', html) == ["120.0", "60.0", "0.0", "0.0"]
    assert 'fill="currentColor"' in html
    assert "15</td><td></td></tr>" in html


def test_bars_of_nothing_at_all_have_no_length():
    assert '<rect width="0.0"' in show([("a", 0)])
    assert "<svg" not in show([("a", 0.5)], (Column("agent"), Column("rate", "number")))


def test_facts_and_cells_that_are_missing_are_left_out():
    facts = (
        Fact(label="cost", value=2.5),
        Fact(label="confidence", value=None),
        Fact(label="samples", value=3, is_in_headline=True),
    )
    html = to_html(Explanation(kind="plan", title="Plan", headline="Done.", facts=facts))
    assert html == "<div>\n<p><strong>Plan: Done.</strong><br/>cost <strong>2.5</strong></p>\n</div>"
    assert '<td style="text-align: right"></td>' in show([("a", None)])


def test_everything_is_escaped():
    evil = "<script>&\"'"
    table = Table(
        name="x", title=evil, note=evil, columns=(Column(evil),), rows=((evil,), (Mark(evil),)), rest=evil
    )
    html = to_html(
        Explanation(
            kind="plan",
            title=evil,
            headline=evil,
            facts=(Fact(label=evil, value=evil),),
            sentences=(evil,),
            tables=(table,),
            points=(Point(question=evil, answer=evil),),
        )
    )
    assert "<script>" not in html
    assert html.count("&lt;script&gt;&amp;&quot;&#x27;") == 13
    ElementTree.fromstring(html)
