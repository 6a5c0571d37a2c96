"""HTML of a table: cut where it is long or wide, bars to scale, nothing of a stranger's let through."""

import re

from fedpact.showing.html import MOST_COLUMNS, MOST_ROWS, say, to_html
from fedpact.showing.table import ShownTable


def table(rows, columns=(("agent", str), ("samples", int)), **more):
    return ShownTable(title="Plan", columns=columns, rows=rows, **more)


def test_a_long_table_says_how_much_is_left_out():
    html = to_html(table([(f"a{n}", n) for n in range(MOST_ROWS + 170)]))
    assert html.count("<tr>") == 1 + MOST_ROWS
    assert "<p>... and 170 more rows; to_dataframe() has all</p>" in html
    assert "more" not in to_html(table([("a", 1)] * MOST_ROWS))


def test_a_wide_table_says_how_much_is_left_out():
    names = [f"c{n}" for n in range(MOST_COLUMNS + 1)]
    html = to_html(table([range(len(names))], columns=[(name, int) for name in names]))
    assert html.count("<th ") == html.count("<td ") == MOST_COLUMNS
    assert "... and 1 more column;" in html


def test_bars_are_as_long_as_their_values_say():
    html = to_html(table([("a", 10), ("b", 5), ("c", 0), ("d", None)], bars="samples"))
    assert re.findall(r'<rect width="([\d.]+)"', html) == ["120.0", "60.0", "0.0", "0.0"]
    assert 'fill="currentColor"' in html


def test_bars_of_nothing_at_all_have_no_length():
    assert '<rect width="0.0"' in to_html(table([("a", 0)], bars="samples"))


def test_facts_and_cells_that_are_missing_are_left_out():
    html = to_html(table([("a", None)], facts={"cost": 2.5, "confidence": None, "why": ""}))
    assert "cost <strong>2.5</strong></p>" in html
    assert "confidence" not in html
    assert '<td style="text-align: right"></td>' in html


def test_without_rows_there_is_no_table():
    assert to_html(table([], status="sound")) == "<div>\n<p><strong>Plan</strong><br/>sound</p>\n</div>"


def test_everything_is_escaped():
    evil = "<script>&\"'"
    html = to_html(ShownTable(title=evil, status=evil, facts={evil: evil}, columns=[(evil, str)], rows=[(evil,)]))
    assert "<script>" not in html
    assert html.count("&lt;script&gt;&amp;&quot;&#x27;") == 6


def test_numbers_are_written_as_people_read_them():
    assert [say(value) for value in (False, 0, 1e-12, float("inf"), 12345.678, [1, None])] == [
        "no", "0", "1e-12", "inf", "12,345.7", "1, ",
    ]  # fmt: skip
