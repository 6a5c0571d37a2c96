"""Text of an explanation: in columns, cut where it is long or wide, with nothing that moves the cursor."""

import io

from rich.console import Console

from fedpact.explain import Column, Explanation, Fact, Mark, Point, Table, to_text
from fedpact.explain.text import MOST_COLUMNS, MOST_ROWS, render

AGENTS = (Column("agent"), Column("samples", "count"), Column("share", "share"), Column("target"))


def say(*tables, title="Plan", headline="It is done.", **more):
    return Explanation(kind="plan", title=title, headline=headline, tables=tables, **more)


def test_numbers_stand_to_the_right_and_nothing_trails():
    rows = (("a", 1200, 0.25, Mark("met")), ("north-east", None, None, None))
    table = Table(name="agents", title="Agents", note="Who labels.", columns=AGENTS, rows=rows, rest="And so on.")
    facts = (
        Fact(label="cost", value=2.5),
        Fact(label="confidence", value=None),
        Fact(label="samples", value=1, is_in_headline=True),
    )
    said = say(table, facts=facts, sentences=("One.",), points=(Point(question="Why?", answer="So."),))
    assert to_text(said).splitlines() == [
        "Plan: It is done.",
        "cost 2.5",
        "Agents",
        "Who labels.",
        "agent       samples  share  target",
        "a             1,200    25%  met",
        "north-east",
        "And so on.",
        "One.",
        "Why? So.",
    ]


def test_the_total_stands_apart():
    table = Table(name="agents", columns=AGENTS[:2], rows=(("a", 1), ("b", 2)), total=("in all", 3))
    lines = to_text(say(table)).splitlines()
    assert lines[-1].split() == ["in", "all", "3"]
    assert lines[-2] == ""


def test_what_is_left_out_is_counted():
    columns = tuple(Column(f"c{place}", "count") for place in range(MOST_COLUMNS + 1))
    rows = (tuple(range(MOST_COLUMNS + 1)),) * (MOST_ROWS + 2)
    said = say(Table(name="agents", columns=columns, rows=rows, total=rows[0], rest="gone"))
    shown = to_text(said)
    assert shown.endswith("... and 2 more rows and 1 more column; to_dataframe() has all")
    assert f"c{MOST_COLUMNS}" not in shown
    assert shown.count("\n") == 1 + 1 + MOST_ROWS + 2 + 1
    assert f"c{MOST_COLUMNS}" in to_text(said, None)
    assert to_text(said, None).endswith("gone")


def test_of_a_folded_table_there_is_the_title():
    table = Table(name="idle", title="3 agents label nothing", columns=AGENTS[:1], rows=(("a",),), is_folded=True)
    assert to_text(say(table)).splitlines()[1:] == ["3 agents label nothing"]


def test_what_would_move_the_cursor_is_escaped_and_markup_is_text():
    table = Table(name="agents", columns=(Column("[b]agent"),), rows=(("\x1b[2J",), ("[red]x[/red]",)))
    shown = to_text(say(table, title="a\nb", headline="[bold]", sentences=("\x07",)))
    assert shown.splitlines() == ["a\\nb: [bold]", "[b]agent", "\\x1b[2J", "[red]x[/red]", "\\x07"]


def test_good_and_bad_news_have_colours_on_a_terminal():
    rows = (("a", Mark("met")), ("b", Mark("missed", "bad")))
    said = say(Table(name="agents", columns=(Column("agent"), Column("target")), rows=rows))
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=80)
    for part in render(said):
        console.print(part)
    shown = console.file.getvalue()
    assert "\x1b[32mmet" in shown
    assert "\x1b[31mmissed" in shown
