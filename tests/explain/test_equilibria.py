from dataclasses import replace
from functools import cache

import pytest

import fedpact as fp
from fedpact.explain import explain, to_text
from fedpact.explain.equilibria import chart_strips, explain_beside_plans


@cache
def found():
    return fp.equilibria(fp.examples.alice_bob())


def interval(low, high):
    return fp.planning.Interval(low=low, high=high)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "There are 6 pure equilibria, and the search was complete."),
        ({"status": "stopped", "is_complete": False, "share_searched": 0.5}, "50% of all profiles"),
        ({"status": "undecided", "is_complete": False, "undecided": 3}, "cannot decide 3 profiles"),
        ({"status": "none-found", "equilibria": (), "costs": (), "is_complete": False}, "is not known"),
        ({"status": "none-exists", "equilibria": (), "costs": ()}, "No pure equilibrium exists"),
    ],
)
def test_none_exists_and_stopped_early_are_different_answers(changed, said):
    assert said in explain(replace(found(), **changed)).headline


def test_prices_that_are_not_known_exactly_are_intervals():
    seen = explain(replace(found(), stability=interval(1, 1.25), anarchy=interval(2, float("inf"))))
    assert [str(fact.value) for fact in seen.facts] == ["5", "1 to 1.25", ">= 2"]


def test_without_an_optimum_there_is_no_price():
    seen = explain(replace(found(), optimum=None, stability=None, anarchy=None))
    assert not seen.facts
    assert all(row[2] is None for row in seen.tables[0].rows)
    assert any("no price" in sentence for sentence in seen.sentences)


def test_a_bounded_optimum_bounds_the_times():
    seen = explain(replace(found(), optimum=interval(4.0, 5.0)))
    assert [row[2] for row in seen.tables[0].rows][:3] == ["at most 1.25", "at most 1.25", "at most 2"]


def test_of_many_equilibria_the_cheapest_and_the_most_expensive_are_listed():
    many = replace(
        found(),
        equilibria=tuple({"alice": place, "bob": 0} for place in range(50)),
        costs=tuple(map(float, range(50))),
        unmet=((),) * 49 + (("bob",),),
    )
    (table,) = explain(many).tables
    assert [row[1] for row in table.rows] == [*range(10), *range(40, 50)]
    assert "30" in table.gap
    assert (str(table.rows[-1][3]), table.rows[-1][3].mood) == ("bob", "bad")
    lines = to_text(explain(many)).splitlines()
    assert lines.index(table.gap) == lines.index("The cheapest and the most expensive equilibria") + 2 + 10
    assert table.gap in many._repr_html_()


def test_plans_stand_beside_the_equilibria():
    plan = {"contributions": {"alice": 3, "bob": 2}, "cost": 5.0}
    said = explain_beside_plans(found(), {"plan": plan | {"method": "tree"}, "union": plan, "lp": None})
    rows = said.tables[-1].rows
    assert [row[2] for row in rows] == [5.0, 5.0, None]
    assert "tree" in rows[0][0]
    assert rows[1][1] == "alice: 3, bob: 2"


def test_strips_say_who_varies_most_and_who_gives_nothing():
    idle = replace(
        found(), names=("alice", "bob", "carol"), equilibria=tuple(m | {"carol": 0} for m in found().equilibria)
    )
    chart = chart_strips(idle, {"alice": 3, "bob": 2, "carol": 0})
    assert chart.rows == (("alice", "0 to 14", 3), ("bob", "0 to 14", 2))
    assert "The other 1 agent gives nothing." in chart.description
