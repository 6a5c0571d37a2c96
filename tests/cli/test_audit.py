"""``fedpact audit`` as a user meets it."""

import json

import pytest

import fedpact as fp


def test_gains_the_worst_lie_and_the_verdict(fedpact):
    code, out, _ = fedpact("audit", "pwyc-not-dominant", "--n-misreports", "200")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("pwyc-not-dominant, Pay what you contribute: No gain was found while")
    assert lines[0].endswith("truth is not dominant (200 misreports tried).")
    assert lines[2] == "plans by lp, proved truthful: ex post (data)"
    assert lines[4].split()[-2:] == ["0", "80"]
    assert lines[5].split()[-2:] == ["1", "60"]
    assert "agent-1 misreports as well and reports x2 1." in lines
    assert "In truth that meets the target of agent-2, which the truth does not." in lines
    assert "agent-2 has 1 instead of 0: a gain of 1." in lines


def test_a_lie_that_costs_another_its_target_says_so(fedpact):
    _, out, _ = fedpact("audit", "pwyc-not-dominant(1/20)", "--rule", "vcg", "--n-misreports", "60")
    assert "In truth that misses the target of agent-2." in out
    assert "agent-1 has 1.95 instead of 1.8: a gain of 0.15." in out


def test_what_was_not_tried_has_no_gain_and_what_was_stopped_says_so(fedpact):
    _, out, _ = fedpact("audit", "pwyc-not-dominant", "--n-misreports", "1")
    assert [line.partition(")")[2].split() for line in out.splitlines()[4:8]] == [["0", "1"], ["0"], ["0"], ["0"]]
    words = ("audit", "pwyc-not-dominant", "--rule", "all", "--n-misreports", "100000", "--time-limit", "0.05")
    _, out, _ = fedpact(*words)
    assert "Time was up before all misreports were tried" in out


def test_nothing_found_is_said_with_the_number_of_reports(fedpact):
    _, out, _ = fedpact("audit", "alice-bob", "--rule", "threshold", "--n-misreports", "1")
    assert "No profitable misreport was found (1 misreport tried)." in out


@pytest.mark.parametrize(
    "words", [["--n-misreports", "20"], ["--rule", "none", "--n-misreports", "9", "--seed", "3"]]
)
def test_json_is_the_dictionary(fedpact, words):
    code, out, _ = fedpact("audit", "pwyc-not-dominant", *words, "--json")
    assert code == 0
    entry = json.loads(out)
    assert fp.Audit.from_dict(entry).to_dict() == entry
    assert {"gain", "gain_dominant", "gain_coalition", "witness"} <= entry.keys()


def test_all_rules_are_a_table_with_what_was_refused(fedpact):
    code, out, _ = fedpact("audit", "pwyc-not-dominant", "--rule", "all", "--n-misreports", "10")
    assert code == 0
    lines = out.splitlines()
    assert lines[3].startswith("Pay what you contribute")
    assert any(line.startswith("Threshold prices") and "cannot be applied: No plan" in line for line in lines)
    entry = json.loads(fedpact("audit", "pwyc-not-dominant", "--rule", "all", "--n-misreports", "10", "--json")[1])
    assert fp.mechanism.RuleComparison.from_dict(entry).to_dict() == entry


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--n-misreports", "0"], "n_misreports must be 1 or more"),
        (["--n-misreports", "0", "--rule", "all"], "n_misreports must be 1 or more"),
        (["--worth", "1", "--rule", "all"], "worth must be above"),
        (["--time-limit", "-1", "--rule", "all"], "time_limit must be above 0"),
        (["--ceiling", "nan", "--rule", "all"], "ceiling must be"),
        (["--rule", "all", "--fee", "1"], "--fee belongs to one rule"),
        (["--rule", "vcg", "--method", "lp"], "needs the exact optimum"),
        (["--seed", "-1"], "seed must be"),
    ],
)
def test_bad_requests_are_one_line_and_exit_1(fedpact, words, sentence):
    code, out, err = fedpact("audit", "alice-bob", *words)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert sentence in err
