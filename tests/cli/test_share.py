"""``fedpact share`` as a user meets it."""

from __future__ import annotations

import json

import pytest

import fedpact as fp


def test_one_line_per_agent_then_whether_any_group_would_leave(fedpact):
    code, out, _ = fedpact("share", "price-of-stability")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert out.splitlines()[0].startswith("price-of-stability: Stable")
    assert out.splitlines()[2] == "rule least-core, cost in all 17"
    assert lines[4:6] == [["alice", "6", "6", "20", "18.5", "-12.5"], ["bob", "11", "11", "0", "-1.5", "+12.5"]]
    assert out.splitlines()[6:] == [
        "Every group loses at least 1.5 by leaving; no split makes that more.",
        "All groups were looked at: 3, with plans made for 3.",
    ]


def test_groups_that_would_leave_are_named(fedpact):
    code, out, _ = fedpact("share", "price-of-stability", "--rule", "equal")
    assert code == 0
    assert "Not stable" in out
    assert "bob would pay 0 instead of 8.5 and save 8.5" in out


def test_an_empty_core_is_one_line_and_exit_3(fedpact):
    code, _, err = fedpact("share", "no-pure-equilibrium", "--rule", "core")
    assert code == 3
    assert len(err.splitlines()) == 1
    assert "'agent-1' with 'agent-2'" in err
    assert "rule 'least-core'" in err


@pytest.mark.parametrize("rule", ["core", "least-core", "shapley", "equal", "proportional"])
def test_json_is_the_dictionary_of_the_result(fedpact, rule):
    code, out, _ = fedpact("share", "alice-bob", "--rule", rule, "--json")
    assert code == 0
    assert json.loads(out) == fp.share(fp.examples.alice_bob(), rule=rule).to_dict()


def test_method_and_time_limit_are_passed_on(fedpact):
    _, out, _ = fedpact("share", "singletons", "--method", "exact", "--time-limit", "0", "--json")
    shown = json.loads(out)
    assert (shown["method"], shown["is_proved"]) == ("exact", False)
    _, text, _ = fedpact("share", "singletons", "--method", "exact", "--time-limit", "0")
    assert "Some of the plans are not known to be the cheapest" in text
    assert "by leaving, as far as groups and plans were found" in text


def test_plot_writes_a_figure(fedpact, tmp_path):
    code, _, _ = fedpact("share", "alice-bob", "--plot", str(tmp_path / "split.svg"))
    assert code == 0
    assert (tmp_path / "split.svg").read_text().startswith("<?xml")


def capped(folder, capacity):
    fp.Federation.from_table(
        fp.planning.classes.all_labelings(2), [[0.8, 0.2], [0.2, 0.8]], epsilon=0.1, delta=0.05, capacity=capacity
    ).save(folder / "capped.toml")
    return str(folder / "capped.toml")


def test_who_has_no_plan_alone_has_no_cost_alone(fedpact, tmp_path):
    code, out, _ = fedpact("share", capped(tmp_path, [13, None]))
    assert code == 0
    assert [line.split()[:4] for line in out.splitlines()[4:6]] == [
        ["agent-1", "3", "3", "2.5"],
        ["agent-2", "2", "2", "14"],
    ]


@pytest.mark.parametrize(
    ("capacity", "rule", "said"),
    [
        pytest.param([1, 1], "equal", "no plan exists", id="no plan for all"),
        pytest.param([13, None], "proportional", "'agent-1' cannot meet its target alone", id="none alone"),
        pytest.param([13, None], "shapley", "'agent-1' cannot meet the targets", id="shapley undefined"),
    ],
)
def test_what_has_no_answer_exits_3(fedpact, tmp_path, capacity, rule, said):
    code, _, err = fedpact("share", capped(tmp_path, capacity), "--rule", rule)
    assert code == 3
    assert len(err.splitlines()) == 1
    assert said in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["share", "alice-bob", "--rule", "shaply"], "it is 'shaply'", id="rule"),
        pytest.param(["share", "alice-bob", "--method", "magic"], "method must be one of", id="method"),
        pytest.param(["share", "alice-bob", "--time-limit", "-1"], "time_limit must be 0 or more", id="time"),
        pytest.param(["share", "alice-bob", "--max-groups", "0"], "max_groups must be 1 or more", id="groups"),
        pytest.param(["share", "alice-rob"], "did you mean 'alice-bob'?", id="what"),
        pytest.param(["share", "alice-bob", "--plot", "x.txt"], "plot must be a file that ends in", id="plot"),
    ],
)
def test_bad_requests_are_one_line_and_exit_1(fedpact, words, message):
    code, _, err = fedpact(*words)
    assert code == 1
    assert len(err.splitlines()) == 1
    assert message in err


def test_help_has_an_example(fedpact):
    code, out, _ = fedpact("share", "--help")
    assert code == 0
    assert "Example: fedpact share" in " ".join(out.split())
