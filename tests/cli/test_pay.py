"""``fedpact pay`` as a user meets it."""

import json

import pytest

import fedpact as fp


def test_one_line_per_agent_then_where_the_money_comes_from(fedpact):
    code, out, _ = fedpact("pay", "alice-bob", "--fee", "1")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert lines[4:6] == [
        ["alice", "3", "3", "1", "2", "28", "27", "14"],
        ["bob", "2", "2", "1", "1", "28", "27", "14"],
    ]
    assert out.startswith("alice-bob, Pay what you contribute: Every agent is at least as well off")
    assert "spend 5, recovered 2, deficit 3" in out
    assert "--worth" in out


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--rule", "vcg", "--pivot", "clarke"],
        ["--rule", "threshold", "--ceiling", "alice=9,bob=8"],
        ["--cost-recovery", "1/5", "--min-standalone", "2"],
        ["--rule", "none", "--worth", "20,30"],
    ],
)
def test_json_is_the_dictionary(fedpact, words):
    code, out, _ = fedpact("pay", "alice-bob", *words, "--json")
    assert code == 0
    entry = json.loads(out)
    assert fp.Settlement.from_dict(entry).to_dict() == entry
    assert {"payments", "deficit", "contributions"} <= entry.keys()
    assert (entry["kind"], entry["schema"], entry["status"]) == ("settlement", 1, "accepted")


def test_an_overpayment_a_surplus_and_who_leaves_are_said(fedpact):
    assert "more than labelling costs" in fedpact("pay", "alice-bob", "--rule", "threshold")[1]
    assert "Clarke pivots" in fedpact("pay", "alice-bob", "--rule", "vcg", "--pivot", "clarke")[1]
    assert "The agents pay more than is spent" in fedpact("pay", "alice-bob", "--fee", "5")[1]
    _, out, _ = fedpact("pay", "alice-bob", "--m", "1,1")
    assert "alice and bob are not met" in out
    _, out, _ = fedpact("pay", "alice-bob", "--cost-recovery", "0.3")
    assert "recovered 4.02754" in out
    assert "80.6% of the spend; about 30% was asked for" in out
    assert "deficit 0\n" in fedpact("pay", "arizona-hospitals", "--method", "union", "--rule", "equal-split")[1]
    assert "contributions of their own" in fedpact("pay", "alice-bob", "--rule", "threshold")[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--fee", "alice=1,bob=30"], "agent 'bob' is asked for 30"),
        (["--fee", "alice=1,rob=30"], "fee names 'rob', who is not in the federation; did you mean 'bob'?"),
        (["--rule", "threshold", "--method", "exact"], "--method is given by rule 'threshold'"),
        (["--rule", "threshold", "--m", "9,9"], "pays for contributions of its own, [3, 3]"),
        (["--method", "lp", "--m", "9,9"], "--method and --m cannot both be given"),
        (["--cost-recovery", "0.1", "--min-standalone", "-1"], "min_standalone"),
        (["--method", "lp", "--rule", "vcg"], "needs the exact optimum"),
        (["--rule", "raffle"], "rule must be one of"),
        (["--m", "1"], "m must have one number per agent"),
    ],
)
def test_bad_requests_are_one_line_and_exit_1(fedpact, words, sentence):
    code, out, err = fedpact("pay", "alice-bob", *words)
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert sentence in err


def test_the_plot_is_written(fedpact, tmp_path):
    assert fedpact("pay", "alice-bob", "--plot", str(tmp_path / "pay.svg"))[0] == 0
    assert (tmp_path / "pay.svg").stat().st_size > 0
