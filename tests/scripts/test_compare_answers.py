"""Two sets of answers, held against each other."""

import json

import pytest

import fedpact as fp
from compare_answers import Difference, answer, compare, flatten, write_summary

QUESTION = "alice-bob, pac: plan exact"
PLAN = {"contributions.alice": 3, "cost": 5.0, "ratio": None}


def test_equal_answers_have_no_difference_and_are_counted():
    assert compare({QUESTION: PLAN}, {QUESTION: dict(PLAN)}) == []
    assert "| plan | 1 | 0 | 3 | 0 |" in write_summary({QUESTION: PLAN}, [])


@pytest.mark.parametrize(
    ("after", "difference"),
    [
        (PLAN | {"cost": 6.0}, ("cost", 5.0, 6.0)),
        (PLAN | {"cost": 5.0 * (1 + 1e-15)}, ("cost", 5.0, 5.0 * (1 + 1e-15))),
        (PLAN | {"lower_bound": 5.0}, ("lower_bound", None, 5.0)),
        ({"contributions.alice": 3, "cost": 5.0}, ("ratio", None, None)),
    ],
    ids=["changed", "rounded", "new", "gone"],
)
def test_a_value_that_is_changed_new_or_gone_is_reported(after, difference):
    found = compare({QUESTION: PLAN}, {QUESTION: after})
    assert found == [Difference(QUESTION, *difference)]
    path, old, new = difference
    assert f"  {QUESTION}: {path}: {old!r} -> {new!r}" in write_summary({QUESTION: PLAN}, found).splitlines()


def test_rounding_is_listed_apart():
    found = compare({QUESTION: {"cost": 5.0, "gain": 1.0}}, {QUESTION: {"cost": 5.0 * (1 + 1e-15), "gain": 2.0}})
    assert [one.is_rounding for one in found] == [True, False]
    report = write_summary({QUESTION: {"cost": 5.0, "gain": 1.0}}, found)
    assert report.index("gain") < report.index("Different by a share") < report.index("cost: ")


def test_a_question_that_only_one_tree_answers_is_reported():
    assert compare({QUESTION: PLAN}, {}) == [Difference(QUESTION, path, PLAN[path], None) for path in PLAN]


def test_numbers_of_results_inside_results_are_kept_and_words_are_not():
    found = flatten(json.loads(json.dumps(fp.frontier(fp.examples.alice_bob(), delta=[0.1, 0.2]).to_dict())))
    assert (found["points.0.plan.0.cost"], found["points.1.value"]) == (4.0, 0.2)
    assert not any(isinstance(value, str) for value in found.values())


def test_a_refusal_is_an_answer():
    blocked = fp.examples.alice_bob().replace(capacity=0)
    assert answer(lambda: fp.plan(blocked)) == {
        "error": "InfeasibleError",
        "agents": ["bob"],
        "pair": ["nowhere", "xB"],
    }
