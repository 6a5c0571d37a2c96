"""``fedpact audit`` as a user meets it."""

import json

import pytest

import fedpact as fp


def test_gains_the_worst_lie_and_the_verdict(fedpact):
    code, out, _ = fedpact("audit", "pwyc-not-dominant", "--n-misreports", "200")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "pwyc-not-dominant: rule pwyc, plans by lp, private data"
    assert lines[2].split()[-2:] == ["0", "80"]
    assert lines[3].split()[-2:] == ["1", "60"]
    assert "where agent-1 lies and reports x2 1:" in lines
    assert "which in truth meets the target of agent-2, missed otherwise" in lines
    assert "agent-2 has 1 instead of 0, a gain of 1" in lines
    assert lines[-1] == f"{fp.mechanism.AuditStatus.DOMINANT_GAIN.value} (200 reports tried)"


def test_a_lie_that_costs_another_its_target_says_so(fedpact):
    _, out, _ = fedpact("audit", "pwyc-not-dominant(1/20)", "--rule", "vcg", "--n-misreports", "60")
    assert "which in truth misses the target of agent-2" in out
    assert "agent-1 has 1.95 instead of 1.8, a gain of 0.15" in out


def test_what_was_not_tried_has_no_gain_and_what_was_stopped_says_so(fedpact):
    _, out, _ = fedpact("audit", "pwyc-not-dominant", "--n-misreports", "1")
    assert [line.split()[-2:] for line in out.splitlines()[2:6]] == [
        ["0", "1"],
        ["-", "0"],
        ["-", "0"],
        ["-", "0"],
    ]
    words = ("audit", "pwyc-not-dominant", "--rule", "all", "--n-misreports", "100000", "--time-limit", "0.05")
    _, out, _ = fedpact(*words)
    assert out.splitlines()[-1] == "stopped early: not all misreports were tried that were asked for"


def test_nothing_found_is_said_with_the_number_of_reports(fedpact):
    _, out, _ = fedpact("audit", "alice-bob", "--rule", "threshold", "--n-misreports", "1")
    assert out.splitlines()[-1] == "no profitable misreport was found (1 report tried)"


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
    assert [line.split()[0] for line in lines[2:4]] == ["pwyc", "vcg"]
    assert any(line.startswith("threshold") and "refused" in line for line in lines)
    assert any(line.startswith("- threshold: agent 'agent-2' is indispensable") for line in lines)
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
