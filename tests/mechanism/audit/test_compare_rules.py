"""Payment rules side by side: what they cost, what is found against them, and why some are refused."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.explain.generic import say_refusal
from fedpact.mechanism.audit.compare_rules import settle_rules
from fedpact.mechanism.payment.rules import RULES, VARIANTS
from strategies import report_of

NOT_DOMINANT = fp.examples.pwyc_not_dominant()
VCG_FAILS = fp.examples.pwyc_not_dominant("1/20")
ALICE_BOB = fp.examples.alice_bob()


@pytest.mark.slow
def test_rules_side_by_side():
    calls = []
    table = fp.mechanism.compare_rules(
        VCG_FAILS, n_misreports=40, ceiling=1, progress=lambda *given: calls.append(given)
    )
    assert calls == [(done, len(table.rows)) for done in range(1, len(table.rows) + 1)]
    assert {row.rule for row in table.rows} == set(RULES)
    assert table.row("pwyc").settlement.deficit == table.row("pwyc").settlement.cost
    assert table.row("vcg").audit.gain == pytest.approx(0.15)
    assert table.row("vcg-verified").audit.gain == table.row("threshold").audit.gain == 0
    assert table.row("threshold").settlement.overpayment > 0
    assert table.row("vcg", "clarke").settlement.deficit < table.row("vcg", "none").settlement.deficit
    with pytest.raises(fp.FederationError, match="no row is about rule 'pwyc' with pivot 'clarke'"):
        table.row("pwyc", "clarke")


def test_rules_that_need_the_optimum_are_refused_where_reports_do_not_prove_it_and_the_others_compared():
    reports = [report_of(name, np.random.default_rng(i).integers(0, 2, (3, 30))) for i, name in enumerate("ab")]
    fed = fp.Federation.from_reports(reports, epsilon=0.1, delta=0.1)
    table = fp.mechanism.compare_rules(fed, n_misreports=5, ceiling=3)
    refused = {row.rule: row.refusal for row in table.rows if row.refusal}
    assert refused.keys() <= {"vcg", "vcg-verified"}
    for why in refused.values():
        assert why.code == "optimum-unknown"
        assert "method exact" not in say_refusal(why)
        assert why.values["lower_bound"] < why.values["cost"]
    assert fp.audit(fed, "vcg", n_misreports=5).method == "auto"


def test_a_pivot_that_is_undefined_refuses_its_rows_alone():
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1]], [[0.5, 0.5]] * 2, epsilon=0.1, delta=0.1, capacity=[3, None], names=["small", "big"]
    )
    table = fp.mechanism.compare_rules(fed, n_misreports=5, ceiling=2)
    refused = {(row.rule, row.pivot): row.refusal for row in table.rows if row.refusal}
    assert refused.keys() == {("vcg", "clarke"), ("vcg-verified", "clarke"), ("proportional", None)}
    without = refused["vcg", "clarke"]
    assert (without.code, without.values) == ("no-plan-without", {"without": "big"})
    assert refused["proportional", None].code == "not-alone"


def test_where_there_is_no_plan_there_is_nothing_to_compare():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]], epsilon=0.1, delta=0.1, capacity=1)
    with pytest.raises(fp.InfeasibleError):
        fp.mechanism.compare_rules(fed, n_misreports=5)
    with pytest.raises(fp.FederationError, match="method must be one of"):
        fp.mechanism.compare_rules(ALICE_BOB, method="best")


def test_an_interrupt_ends_the_table_with_the_rule_under_way(monkeypatch):
    import fedpact.mechanism.audit.trial as trial

    calls = []

    def plan_once(fed, method, time_limit):
        calls.append(fed)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return fp.plan(fed, method)

    monkeypatch.setattr(trial, "plan", plan_once)
    table = fp.mechanism.compare_rules(NOT_DOMINANT, n_misreports=20, ceiling=1)
    assert [row.rule for row in table.rows] == ["pwyc", "vcg"]
    assert not table.is_complete


def test_a_rule_that_cannot_be_applied_says_why_in_the_table():
    table = fp.mechanism.compare_rules(NOT_DOMINANT, n_misreports=5)
    row = table.row("threshold")
    assert row.settlement is row.audit is None
    assert (row.refusal.code, row.refusal.agents) == ("indispensable", ("agent-2",))


REFUSED = {
    "fee": (ALICE_BOB, {"fee": 30}, "pwyc", "fee-too-high"),
    "ceiling": (ALICE_BOB, {"ceiling": 0.5}, "threshold", "ceiling-too-low"),
    "joint": (ALICE_BOB.replace(guarantee="joint"), {}, "vcg", "joint-guarantee"),
    "cost": (ALICE_BOB.replace(cost={"quadratic": [1, 1]}), {}, "threshold", "nonlinear-cost"),
}


@pytest.mark.parametrize(("fed", "terms", "rule", "code"), REFUSED.values(), ids=REFUSED)
def test_a_plan_is_settled_by_every_rule_that_applies(fed, terms, rule, code):
    found = fp.plan(fed)
    table = settle_rules(fed, found, **terms)
    assert tuple((row.rule, row.pivot) for row in table.rows) == VARIANTS
    assert table.row(rule).refusal.code == code
    assert say_refusal(table.row(rule).refusal)
    assert table.row("equal-split").settlement == fp.settle(fed, found, "equal-split")
    assert all((row.settlement is None) == (row.refusal is not None) for row in table.rows)


def test_the_search_for_the_optimum_keeps_to_the_time_limit(monkeypatch):
    seconds = []

    def spy(fed, method, *, time_limit=None):
        seconds.append(time_limit)
        return fp.plan(fed, method, time_limit=time_limit)

    monkeypatch.setattr("fedpact.mechanism.audit.compare_rules.plan", spy)
    fp.mechanism.compare_rules(fp.examples.pwyc_not_dominant(), n_misreports=5, time_limit=0.75)
    assert 0.75 in seconds
    assert set(seconds) <= {0.75, None}


def test_what_was_complete_before_a_rule_was_added_stays_so():
    kept = settle_rules(ALICE_BOB, fp.plan(ALICE_BOB)).to_dict()
    kept["rules"].pop()
    assert fp.read_result(kept).to_dict() == kept
    assert kept["is_complete"]
