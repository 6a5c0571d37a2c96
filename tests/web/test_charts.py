import html
import json
import re

import plotly.graph_objects as go
import pytest

import fedpact as fp
from fedpact.web.charts import EXPLAINED
from fedpact.web.charts.game import find_corners
from fedpact.web.library import as_json
from fedpact.web.parts import PARTS
from fedpact.web.render import join_parts, read_static
from web_answers import EVIL, answer_example, answer_many_strangers, answer_strangers

EXAMPLES = tuple(name for name in fp.examples.CATALOGUE if name != "arizona-hospitals")
STRANGERS = (answer_strangers, answer_many_strangers)


def draw(parts, name):
    state = join_parts(parts.values())[name]
    return () if state.answer is None else EXPLAINED[name](state.answer, state.beside).charts


def leaves(value, key=""):
    """Every plain value of a figure, with the key that it stands under."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, name)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each, key)
    else:
        yield key, value


def fill(value, key=""):
    """The figure with a colour for every name of one, as the page's script has it."""
    if isinstance(value, dict):
        return {name: fill(each, name) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [fill(each, key) for each in value]
    return "#123456" if "color" in key and isinstance(value, str) and value.startswith("@") else value


def has_chart(name, view, parts):
    """Whether there is something to draw."""
    answer = parts[name].answer
    match name:
        case "divergence":
            return view.fed.k > 1
        case "equilibria":
            return view.fed.k != 2 and bool(answer["equilibria"]["equilibria"])
        case "plan":
            return any(answer["plan"]["contributions"].values())
        case _:
            return True


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_has_charts_that_plotly_takes(example, part):
    view, parts = answer_example(example)
    state = parts[part]
    if state.answer is None:
        assert (part, state.state) in {("audit", "idle")}, state.problems
        return
    charts = draw(parts, part)
    assert bool(charts) == has_chart(part, view, parts)
    for chart in charts:
        figure = json.loads(as_json(dict(chart.figure)))
        go.Figure(fill(figure))
        assert chart.height == figure["layout"]["height"]
        assert chart.title
        assert re.fullmatch(r"[A-Z0-9].{20,}\.", chart.description, re.DOTALL)
        assert chart.rows
        assert all(len(row) == len(chart.columns) for row in chart.rows)
    names = [chart.name for chart in charts]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("example", EXAMPLES)
def test_colours_are_names_that_the_style_sheet_knows(example):
    known = set(re.findall(r"--([\w-]+):", read_static("fedpact.css")))
    _, parts = answer_example(example)
    used = set()
    for part in PARTS:
        for chart in draw(parts, part):
            for key, value in leaves(dict(chart.figure)):
                if "color" in key and isinstance(value, str):
                    assert value.startswith("@")
                    used.add(value[1:])
    assert used
    assert used <= known


@pytest.mark.parametrize("strangers", STRANGERS)
@pytest.mark.parametrize("part", PARTS)
def test_text_in_figures_is_only_text(strangers, part):
    _, parts = strangers()
    for chart in draw(parts, part):
        texts = [value for _, value in leaves(dict(chart.figure)) if isinstance(value, str)]
        assert {tag for text in texts for tag in re.findall(r"<[^>]*>?", text)} <= {"<br>"}
        assert not any(re.search(r"&(?!(amp|lt|gt);)", text) for text in texts)
        assert "<" not in as_json(dict(chart.figure))


@pytest.mark.parametrize("part", ["divergence", "plan", "dynamics", "payments"])
def test_names_are_in_the_figure_as_they_are(part):
    _, parts = answer_strangers()
    for chart in draw(parts, part):
        texts = [html.unescape(str(value)) for _, value in leaves(dict(chart.figure))]
        assert any(EVIL[:15] in text for text in texts)


def only(charts):
    (chart,) = charts
    return chart


def trace(chart, name):
    return next(trace for trace in chart.figure["data"] if trace["name"] == name)


@pytest.mark.parametrize("example", ["alice-bob", "no-pure-equilibrium"])
def test_the_table_of_a_plan_says_what_its_bars_say(example):
    _, parts = answer_example(example)
    chart = only(draw(parts, "plan"))
    bars = chart.figure["data"][0]
    assert bars["x"] == [row[1] for row in chart.rows]
    assert bars["text"] == [f"{row[1]:,}" for row in chart.rows]
    assert {row[0]: row[1] for row in chart.rows} == {
        name: count for name, count in parts["plan"].answer["plan"]["contributions"].items() if count
    }
    assert chart.figure["layout"]["yaxis"]["ticktext"] == [row[0] for row in chart.rows]


def test_the_table_of_the_frontier_says_what_its_lines_say():
    _, parts = answer_example("alice-bob")
    chart = only(draw(parts, "frontier"))
    line, bound = trace(chart, "cost of the plan"), trace(chart, "no plan costs less")
    assert line["x"] == [row[0] for row in chart.rows]
    assert line["y"] == [row[2] for row in chart.rows]
    assert bound["y"] == [row[3] for row in chart.rows]
    assert all(low <= high for low, high in zip(bound["y"], line["y"], strict=True))
    assert "Today's epsilon of 0.1 costs 5." in chart.description


@pytest.mark.parametrize(
    ("m", "said"),
    [
        ([3, 2], "by 2 agents; most of them, 3, by alice."),
        ([3, 3], "by 2 agents; 3 by each."),
        ([0, 14], "by 1 agent; all by bob."),
        ([5, 5, 1], "by 3 agents; at most 5 by one."),
        ([5, 7, 1], "by 3 agents; most of them, 7, by bob."),
    ],
)
def test_who_labels_most_is_named_only_if_somebody_does(m, said):
    _, parts = answer_example("alice-bob")
    answer = parts["plan"].answer
    counts = dict(zip(("alice", "bob", "carol"), m, strict=False))
    given = answer["plan"] | {"contributions": counts, "costs": {name: float(n) for name, n in counts.items()}}
    bill = answer["settlement"]
    bill |= {key: {"carol": 1.0, **bill[key]} for key in ("labelling", "payments")}
    assert only(EXPLAINED["plan"](answer | {"plan": given}, None).charts).description.endswith(said)


def test_errors_without_a_plan_are_marked():
    fed = fp.examples.alice_bob().replace(capacity=2)
    curve = fp.frontier(fed, epsilon=[0.1, 0.45], method="union").to_dict()
    chart = only(EXPLAINED["frontier"](curve, None).charts)
    assert trace(chart, "no plan exists")["x"] == [row[0] for row in chart.rows if row[1] is None] == [0.1]
    assert "For 1 of 2 values there is no plan" in chart.description


def test_a_frontier_without_any_plan_has_no_chart():
    fed = fp.examples.alice_bob().replace(capacity=0)
    curve = fp.frontier(fed, epsilon=[0.05, 0.1], method="union").to_dict()
    assert EXPLAINED["frontier"](curve, None).charts == ()


def test_the_heat_map_has_the_numbers_of_its_table():
    view, parts = answer_example("no-pure-equilibrium")
    chart = only(draw(parts, "divergence"))
    assert chart.figure["data"][0]["z"] == [list(row[1:]) for row in chart.rows]
    assert chart.columns[1:] == view.fed.names
    largest = max(max(row[1:]) for row in chart.rows)
    assert f"{largest:.6g}" in chart.description


def test_what_coordination_saves_is_in_bars_table_and_words():
    _, parts = answer_example("alice-bob")
    chart = only(draw(parts, "against"))
    assert chart.figure["data"][0]["x"] == [row[1] for row in chart.rows] == [5, 14, 28]
    for said in ("The plan costs 5", "28 in all, 5.6 times", "14, 2.8 times"):
        assert said in chart.description


def test_the_game_of_two_shows_equilibria_plans_and_path():
    _, parts = answer_example("alice-bob")
    chart = only(draw(parts, "dynamics"))
    found = trace(chart, "equilibria")
    assert list(zip(found["x"], found["y"], strict=True)) == [(0, 14), (1, 7), (2, 3), (3, 2), (7, 1), (14, 0)]
    assert [row[1:3] for row in chart.rows if row[0] == "equilibrium"] == list(
        zip(found["x"], found["y"], strict=True)
    )
    assert (trace(chart, "the plan")["x"], trace(chart, "the plan")["y"]) == ([3], [2])
    assert trace(chart, "plan by lp")["x"] == [3]
    path = trace(chart, "path of play")
    assert (path["x"], path["y"]) == ([0, 14], [0, 0])
    stairs = trace(chart, "just enough for both")
    assert (0, 14) in zip(stairs["x"], stairs["y"], strict=True)


def test_the_game_of_two_is_drawn_before_its_equilibria_are_known():
    _, parts = answer_example("alice-bob")
    chart = only(EXPLAINED["dynamics"](parts["dynamics"].answer, None).charts)
    assert "equilibria" not in {trace["name"] for trace in chart.figure["data"]}


def test_what_is_enough_is_drawn_as_far_as_the_plans_reach():
    _, parts = answer_example("price-of-stability")
    plan = parts["equilibria"].answer["plans"]["plan"]["contributions"]
    chart = only(draw(parts, "dynamics"))
    layout = chart.figure["layout"]
    assert layout["yaxis"]["range"][1] > plan["bob"] > 5
    stairs = trace(chart, "just enough for both")
    assert (plan["alice"], plan["bob"]) in zip(stairs["x"], stairs["y"], strict=True)


@pytest.mark.parametrize(
    ("values", "corners"),
    [
        ([], []),
        ([None, None], []),
        ([4], [(0, 4)]),
        ([3, 3, 3], [(0, 3), (2, 3)]),
        ([None, 2, 1], [(1, 2), (2, 2), (2, 1)]),
    ],
)
def test_corners_of_a_staircase(values, corners):
    assert find_corners(values) == corners


def test_payments_and_fees_are_those_of_the_settlement():
    _, parts = answer_example("alice-bob")
    charts = draw(parts, "payments")
    rows = [row for row in parts["payments"].answer["rules"] if row["settlement"] is not None]
    assert len(charts) == len(rows) > 5
    for chart, row in zip(charts, rows, strict=True):
        assert chart.figure["data"][0]["x"] == pytest.approx(list(row["settlement"]["payments"].values()))
        assert [line[4] for line in chart.rows] == pytest.approx(list(row["settlement"]["payments"].values()))


@pytest.mark.slow
def test_rounding_is_not_taken_for_money():
    _, parts = answer_example("arizona-hospitals")
    for chart in draw(parts, "payments"):
        assert not [row for row in chart.rows if 0 < abs(row[4]) < 1e-9]
        assert "e-" not in chart.description


def test_an_audit_draws_the_gains_of_its_table():
    _, parts = answer_example("alice-bob")
    chart = only(draw(parts, "audit"))
    for column, drawn in enumerate(chart.figure["data"], start=1):
        assert drawn["x"] == [row[column] for row in chart.rows]


def test_of_a_long_path_the_last_steps_are_drawn():
    _, parts = answer_example("arizona-hospitals")
    answer = parts["dynamics"].answer["dynamics"]
    longer = {**answer, "path": answer["path"] * 3, "costs": answer["costs"] * 3}
    chart = only(EXPLAINED["dynamics"]({"dynamics": longer, "unmet": []}, None).charts)
    assert len(chart.rows) == len(chart.figure["data"][0]["x"]) == 60
    assert chart.rows[-1][0] == len(longer["path"]) - 1
    assert "The last 60 of them are drawn" in chart.description
