"""Text of a table: in columns, cut where it is long or wide, nothing of a stranger's that moves the cursor."""

from fedpact.showing.html import MOST_COLUMNS, MOST_ROWS
from fedpact.showing.table import ShownTable
from fedpact.showing.text import to_text


def test_numbers_stand_to_the_right_and_nothing_trails():
    columns = [("agent", str), ("samples", int), ("met", bool)]
    rows = [("a", 12, True), ("north-east", None, None)]
    shown = to_text(ShownTable(title="Plan", status="ok", facts={"x": 1, "y": None}, columns=columns, rows=rows))
    assert shown.splitlines() == [
        "Plan",
        "ok",
        "x 1",
        "agent       samples  met",
        "a                12  yes",
        "north-east",
    ]


def test_what_is_left_out_is_counted():
    columns = [(f"c{place}", int) for place in range(MOST_COLUMNS + 1)]
    shown = to_text(ShownTable(title="Plan", columns=columns, rows=[range(MOST_COLUMNS + 1)] * (MOST_ROWS + 2)))
    assert len(shown.splitlines()) == 1 + 1 + MOST_ROWS + 1
    assert shown.endswith("... and 2 more rows and 1 more column; to_dataframe() has all")
    assert f"c{MOST_COLUMNS}" not in shown


def test_without_rows_there_are_no_columns():
    assert to_text(ShownTable(title="Plan", columns=[("agent", str)], rows=[])) == "Plan"


def test_what_would_move_the_cursor_is_escaped():
    shown = to_text(ShownTable(title="a\nb", columns=[("agent", str)], rows=[("\x1b[2J",)]))
    assert shown.splitlines() == ["a\\nb", "agent", "\\x1b[2J"]
