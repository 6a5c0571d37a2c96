"""``fedpact pay`` as a user meets it."""

import json

import numpy as np
import pytest

import fedpact as fp
from web_answers import answer_parts, read


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


@pytest.fixture
def sampled(tmp_path):
    """The file of two sites of some points each."""
    rng = np.random.default_rng(5)
    seen = {
        name: (rng.random((4, n)) < np.array([[0], [0.1], [0.2], [0.35]])).astype(int)
        for name, n in (("a", 90), ("b", 140))
    }
    fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.05, name="two").save(tmp_path / "two.toml")
    return str(tmp_path / "two.toml")


@pytest.mark.parametrize("confidence", [None, 0.95])
def test_the_page_and_the_export_pay_as_the_command_line_does_under_every_rule(fedpact, sampled, confidence):
    fed, asked = fp.load(sampled), []
    if confidence is not None:
        fed, asked = fp.planning.at_confidence(fed, confidence), ["--confidence", str(confidence)]
    shown = answer_parts(read(fed, (("ceiling", "9"),)))["payments"].answer["rules"]
    for row in shown:
        terms = ["--pivot", row["pivot"]] if row["pivot"] else []
        terms += ["--ceiling", "9"] if row["rule"] == "threshold" else []
        code, out, err = fedpact("pay", sampled, "--rule", row["rule"], *terms, *asked, "--json")
        if row["settlement"] is None:
            assert (code, row["refusal"]["code"]) == (1, "optimum-unknown"), err
        else:
            assert code == 0, err
            assert json.loads(out)["payments"] == pytest.approx(row["settlement"]["payments"])
    assert confidence is None or any(row["settlement"] is None for row in shown)


def test_contributions_of_one_s_own_are_judged_at_the_confidence(fedpact, sampled):
    words = "pay", sampled, "--m", "16,16", "--cost-recovery", "0.1", "--json"
    plain, sure = (json.loads(fedpact(*words, *more)[1]) for more in ([], ["--confidence", "0.95"]))
    assert all(sure["fees"][name] > fee for name, fee in plain["fees"].items())
    assert (plain["met"], sure["met"]) == ({"a": True, "b": True}, {"a": False, "b": False})


def test_advice_on_the_optimum_leads_on_where_reports_do_not_prove_it(fedpact, sampled):
    words = ["pay", sampled, "--confidence", "0.95", "--rule", "vcg"]
    assert fedpact(*words, "--method", "exact")[2].endswith("use 'auto'\n")
    code, _, err = fedpact(*words, "--method", "auto")
    assert (code, err[err.rindex(";") :]) == (1, "; use rule 'pwyc'\n")
    assert fedpact(*words[:-1], "pwyc", "--method", "auto")[0] == 0
