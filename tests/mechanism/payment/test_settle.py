"""Settlements: what the rules pay, what that leaves, and what may not change it."""

import json
import math
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.coded import refusal_of
from fedpact.explain.generic import say_refusal
from fedpact.mechanism.payment.pwyc import set_fee
from fedpact.mechanism.payment.rules import RULES, read_terms
from fedpact.mechanism.payment.vcg import find_optimum_method

ALICE_BOB = fp.examples.alice_bob()
BALANCED = ("none", "equal-split", "proportional")


def three_sites(row=(0.1, 0.2, 0.7), **options):
    """Three sites, of which the third one's data are given."""
    return fp.Federation.from_table(
        fp.planning.classes.all_labelings(3),
        [(0.6, 0.3, 0.1), (0.2, 0.5, 0.3), row],
        **{"cost": [1, 2, 3], "epsilon": 0.1, "delta": 0.1} | options,
    )


@pytest.mark.parametrize("name", fp.examples.CATALOGUE)
@pytest.mark.parametrize("method", ["lp", "union"])
def test_pay_what_you_contribute_pays_the_cost_on_every_example(name, method):
    fed = fp.examples.build(name)
    found = fp.plan(fed, method)
    bill = fp.settle(fed, found)
    for agent in fed.agents:
        assert bill.payments[agent.name] == float(agent.cost(found.contributions[agent.name]))
    assert bill.deficit == pytest.approx(found.cost)
    assert bill.overpayment == pytest.approx(0, abs=1e-9)
    assert bill.utility == bill.worth
    assert all(bill.met.values())
    assert bill.status is fp.mechanism.SettlementStatus.ACCEPTED


def optimum_without(fed, name):
    others = [other for other in fed.names if other != name]
    return fp.plan(fed.restrict(others), "exact").cost


@pytest.mark.parametrize(
    "fed", [ALICE_BOB, three_sites(), fp.examples.no_pure_equilibrium()], ids=attrgetter("name")
)
@pytest.mark.parametrize("rule", ["vcg", "vcg-verified"])
def test_vcg_pays_the_welfare_of_the_others_and_clarke_what_an_agent_saves_them(fed, rule):
    found = fp.plan(fed, "exact")
    plain, clarke = (fp.settle(fed, found, rule, pivot=pivot) for pivot in ("none", "clarke"))
    for name in fed.names:
        others = [other for other in fed.names if other != name]
        welfare = sum(plain.worth[other] - plain.labelling[other] for other in others)
        saved = optimum_without(fed, name) - found.cost
        assert plain.payments[name] == pytest.approx(welfare)
        assert clarke.payments[name] == pytest.approx(plain.labelling[name] + saved)
        assert clarke.utility[name] >= clarke.utility_alone[name] - 1e-9
    assert clarke.deficit < plain.deficit


def test_the_paper_s_vcg_utilities_in_the_counterexample():
    fed = fp.examples.pwyc_not_dominant("1/20")
    assert fp.settle(fed, fp.plan(fed, "exact"), "vcg").utility["agent-1"] == pytest.approx(9 / 5)
    lie = fp.Federation.from_table(
        fed.evidence.labels, [[0.1, 0.9], [0.5, 0.5]], cost=["1/20", "1/10"], epsilon="1/10", delta="1/4"
    )
    bill = fp.settle(lie, fp.plan(lie, "exact"), "vcg", truth=fed)
    assert bill.contributions == {"agent-1": 1, "agent-2": 0}
    assert bill.met == {"agent-1": True, "agent-2": False}
    assert bill.utility["agent-1"] == pytest.approx(39 / 20)
    assert fp.settle(lie, fp.plan(lie, "exact"), "vcg-verified", truth=fed).utility["agent-1"] == pytest.approx(
        19 / 20
    )


@pytest.mark.parametrize("rule", RULES)
def test_money_adds_up_under_every_rule(rule):
    fed = three_sites()
    bill = fp.settle(fed, fp.plan(fed, "exact"), rule, **{"ceiling": 9} if rule == "threshold" else {})
    assert bill.deficit == pytest.approx(sum(bill.payments.values()))
    assert bill.deficit == pytest.approx(bill.spend - bill.recovered)
    assert bill.cost == pytest.approx(fed.cost_of(list(bill.contributions.values())))
    for name in fed.names:
        utility = bill.worth[name] * bill.met[name] - bill.labelling[name] + bill.payments[name]
        assert bill.utility[name] == pytest.approx(utility)
        need = fp.game.standalone(fed)[name]
        cost = float(fed.agents[fed.names.index(name)].cost(need))
        assert bill.utility_alone[name] == pytest.approx(bill.worth[name] - cost)
    if rule in BALANCED:
        assert bill.deficit == pytest.approx(0, abs=1e-9)
    assert bill.to_dict()["deficit"] == bill.deficit


def test_the_foils_split_the_cost_as_they_say():
    fed = three_sites()
    found = fp.plan(fed, "exact")
    equal, part = (fp.settle(fed, found, rule) for rule in ("equal-split", "proportional"))
    assert list(equal.fees.values()) == pytest.approx([found.cost / 3] * 3)
    alone = [float(agent.cost(fp.game.standalone(fed)[agent.name])) for agent in fed.agents]
    assert list(part.fees.values()) == pytest.approx([found.cost * cost / sum(alone) for cost in alone])


def test_threshold_pays_for_contributions_of_its_own_and_states_what_that_costs_more():
    found = fp.plan(ALICE_BOB)
    bill = fp.settle(ALICE_BOB, found, "threshold")
    assert fp.settle(ALICE_BOB, None, "threshold") == fp.settle(ALICE_BOB, [3, 3], "threshold") == bill
    with pytest.raises(fp.FederationError, match="pays for contributions of its own"):
        fp.settle(ALICE_BOB, [3, 2], "threshold")
    assert (found.contributions, bill.contributions) == ({"alice": 3, "bob": 2}, {"alice": 3, "bob": 3})
    assert bill.overpayment == pytest.approx(sum(bill.payments.values()) - 6)
    assert bill.overpayment > 0


def test_a_flat_fee_is_taken_off_and_a_subsidy_added():
    found = fp.plan(ALICE_BOB)
    bill = fp.settle(ALICE_BOB, found, fee={"alice": 2, "bob": -1})
    assert bill.payments == {"alice": 1.0, "bob": 3.0}
    assert (bill.spend, bill.recovered, bill.deficit) == (5, 1, 4)


@settings(max_examples=15)
@given(st.lists(st.floats(0.05, 1), min_size=3, max_size=3), st.sampled_from([0.1, 0.5, 1.0]))
def test_no_report_changes_the_own_fee(weights, share):
    def third_fee(row):
        terms = read_terms(fed := three_sites(row), "pwyc", cost_recovery=share)
        return set_fee(fed, terms, 2)

    fees = {third_fee(row) for row in ((0.1, 0.2, 0.7), np.array(weights) / sum(weights), (1, 0, 0))}
    assert len(fees) == 1
    assert fees.pop() > 0


def test_fees_recover_about_the_share_where_nobody_is_hard_to_replace():
    fed = fp.examples.arizona_hospitals()
    bill = fp.settle(fed, fp.plan(fed, "union"), cost_recovery=0.3)
    assert bill.recovered == pytest.approx(0.3 * bill.spend, rel=0.05)
    assert not bill.leaving


def sampled_sites():
    """Three sites of some points each, where candidate 0 errs never and the others more and more."""
    rng = np.random.default_rng(3)
    sites = {
        name: rng.random((4, n)) < np.array([[0], [0.1], [0.2], [0.35]])
        for name, n in {"a": 90, "b": 140, "c": 190}.items()
    }
    seen = {name: wrong.astype(int) for name, wrong in sites.items()}
    return fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.05, cost=[1, 1, 2])


def test_fees_follow_from_rates_at_the_confidence_of_the_plan():
    fed = sampled_sites()
    bill = fp.settle(fed, fp.plan(fed, confidence=0.95), cost_recovery=0.2, min_standalone=10**6)
    for name in fed.names:
        others = fed.restrict([other for other in fed.names if other != name])
        without = fp.plan(others, "union", confidence=0.95).fractional_cost
        assert bill.fees[name] == pytest.approx(0.2 * without / 3)
        assert without > 1.2 * fp.plan(others, "union").fractional_cost
    sure = fp.planning.at_confidence(fed, 0.95)
    assert fp.settle(sure, fp.plan(sure), cost_recovery=0.2, min_standalone=10**6).fees == bill.fees


def test_threshold_prices_follow_from_rates_at_the_confidence_of_the_plan():
    fed = sampled_sites()
    sure = fp.planning.at_confidence(fed, 0.95)
    bill = fp.settle(fed, fp.plan(fed, confidence=0.95), "threshold", ceiling=9)
    assert bill == fp.settle(sure, None, "threshold", ceiling=9)
    assert bill.spend > fp.settle(fed, None, "threshold", ceiling=9).spend


def test_a_declared_bound_limits_the_fee():
    fed = three_sites()
    found = fp.plan(fed, "lp")
    free = fp.settle(fed, found, cost_recovery=0.8)
    bound = fp.settle(fed, found, cost_recovery=0.8, min_standalone=[1, 1, 1])
    assert bound.fees == {"agent-1": 1.0, "agent-2": 2.0, "agent-3": 3.0}
    assert all(free.fees[name] > fee for name, fee in bound.fees.items())


def test_the_default_bound_is_what_the_least_needy_other_needs_for_the_agent_s_target():
    fed = three_sites(epsilon=[0.1, 0.35, 0.1])
    bill = fp.settle(fed, fp.plan(fed, "lp"), cost_recovery=1)
    without = fp.plan(fed.restrict(["agent-1", "agent-3"]), "union").fractional_cost
    needs = fp.game.standalone(fed.replace(epsilon=0.35))
    bound = 2 * min(needs["agent-1"], needs["agent-3"])
    assert bill.fees["agent-2"] == pytest.approx(min(without / 3, bound))


def test_one_agent_alone_is_charged_nothing():
    fed = fp.examples.coupon_collector()
    assert fp.settle(fed, fp.plan(fed, "lp"), cost_recovery=1).recovered == 0


REFUSED = [
    ({"fee": 20}, "agent 'alice' is asked for 20, more than the 14 that it saves .* would rather leave; lower"),
    ({"fee": [1, 15]}, "agent 'bob' is asked for 15"),
    ({"fee": {"carol": 1}}, "fee names 'carol', who is not in the federation"),
    ({"fee": "much"}, "fee must be a number"),
    ({"fee": 1, "cost_recovery": 0.1}, "fee and cost_recovery cannot both be given"),
    ({"cost_recovery": 2}, "cost_recovery must be a share between 0 and 1; it is 2"),
    ({"min_standalone": 2}, "min_standalone bounds the fees that cost_recovery sets"),
    ({"rule": "vcg", "fee": 1}, "fee belongs to rule pwyc; the rule is 'vcg'"),
    ({"ceiling": 3}, "ceiling belongs to rule threshold"),
    ({"pivot": "clarke"}, "pivot belongs to rule vcg"),
    ({"rule": "vcg", "pivot": "groves"}, "pivot must be one of none, clarke; it is 'groves'"),
    ({"rule": "threshold", "ceiling": 0.5}, "ceiling must be at least every agent's cost .* 'alice' has 1"),
    ({"rule": "auction"}, "rule must be one of pwyc, vcg, .*; it is 'auction'"),
    ({"worth": 3}, "worth must be above what an agent may have to spend on its target, 14 for 'alice'"),
    ({"rule": []}, "rule must be one of"),
    ({"truth": three_sites()}, "truth must be about the same agents"),
    ({"truth": 3}, "truth must be about the same agents, alice, bob; it is about 3"),
]


def test_bad_terms_are_one_sentence():
    for terms, sentence in REFUSED:
        with pytest.raises(fp.FederationError, match=sentence):
            fp.settle(ALICE_BOB, fp.plan(ALICE_BOB), **terms)


def test_a_plan_must_speak_of_every_agent_and_of_no_other():
    found = fp.plan(ALICE_BOB)
    for changed in ({"alice": 3}, {**found.contributions, "carol": 1}):
        with pytest.raises(fp.FederationError, match="the plan's contributions"):
            fp.settle(ALICE_BOB, replace(found, contributions=changed))


def test_a_rule_with_contributions_of_its_own_leaves_a_plan_of_others_aside():
    other = fp.plan(fp.examples.singletons())
    assert fp.settle(ALICE_BOB, other, rule="threshold", ceiling=5).payments == {"alice": 15.0, "bob": 15.0}


def test_a_share_that_breaks_participation_says_which_share_would_not():
    fed = three_sites((1, 0, 0))
    found = fp.plan(fed, "lp")
    with pytest.raises(
        fp.FederationError, match=r"cost_recovery 1 asks agent 'agent-3' .* than the 3 that it saves"
    ) as told:
        fp.settle(fed, found, cost_recovery=1)
    share = float(str(told.value).split("cost_recovery at most ")[1].split(",")[0])
    assert fp.settle(fed, found, cost_recovery=share * 0.99).fees["agent-3"] == pytest.approx(3, rel=0.02)


def test_whoever_needs_nobody_pays_no_fee_gladly():
    fed = three_sites(epsilon=[0.1, 0.1, 1])
    with pytest.raises(
        fp.FederationError, match=r"agent 'agent-3' is asked for 0\.5, more than the 0 that it saves"
    ):
        fp.settle(fed, fp.plan(fed, "lp"), fee=0.5)


def test_vcg_needs_a_plan_that_is_proved_optimal():
    with pytest.raises(
        fp.errors.NotOptimalError, match="it costs 6, the optimum at least 4; plan with method 'exact'"
    ):
        fp.settle(ALICE_BOB, fp.plan(ALICE_BOB, "lp"), "vcg")
    with pytest.raises(fp.errors.NotOptimalError, match="contributions alone were given"):
        fp.settle(ALICE_BOB, [3, 2], "vcg")


@pytest.mark.parametrize(
    ("method", "options", "advice"),
    [
        ("lp", {}, "plan with method 'auto', which proves it if any does, or use rule 'pwyc'"),
        ("auto", {}, "rates of pairs, as in reports or at a confidence, prove no more; use rule 'pwyc'"),
        ("auto", {"noise": 0.05}, "with assume 'noisy' no method proves more; use rule 'pwyc'"),
    ],
)
def test_what_vcg_advises_for_rates_of_pairs_can_be_done(method, options, advice):
    fed = fp.planning.at_confidence(sampled_sites(), 0.95).replace(**options)
    found = fp.plan(fed, method)
    with pytest.raises(fp.errors.NotOptimalError, match=advice) as refused:
        fp.settle(fed, found, "vcg")
    assert (refused.value.code, refused.value.values["cost"]) == ("optimum-unknown", found.cost)
    assert "method auto may" in say_refusal(refusal_of(refused.value)).lower()
    assert fp.plan(fed, find_optimum_method(fed)).method == "auto"
    assert fp.settle(fed, found, "pwyc").spend == pytest.approx(found.cost)


def test_vcg_needs_the_cheapest_plan_of_all():
    kept = fp.plan(ALICE_BOB, "exact", at_least=[1, 1])
    with pytest.raises(fp.errors.NotOptimalError, match="plan without at_least, or use rule 'pwyc'"):
        fp.settle(ALICE_BOB, kept, "vcg")


@pytest.mark.parametrize("rule", ["vcg", "vcg-verified"])
def test_one_agent_alone_saves_the_others_nothing(rule):
    fed = fp.examples.coupon_collector()
    bill = fp.settle(fed, fp.plan(fed, "exact"), rule, pivot="clarke")
    assert list(bill.payments.values()) == pytest.approx([0])


def test_vcg_does_not_fit_the_joint_guarantee():
    fed = ALICE_BOB.replace(guarantee="joint")
    with pytest.raises(fp.FederationError, match="every target counts by itself"):
        fp.settle(fed, fp.plan(fed, "exact"), "vcg-verified")


def test_a_pivot_without_a_plan_of_the_others_is_infeasible():
    fed = fp.Federation.from_table(
        [[0, 0], [0, 1]], [[0.5, 0.5]] * 2, epsilon=0.1, delta=0.1, capacity=[3, None], names=["small", "big"]
    )
    with pytest.raises(fp.InfeasibleError, match="pivot of 'big' is undefined: the others have no plan"):
        fp.settle(fed, fp.plan(fed, "exact"), "vcg", pivot="clarke")
    with pytest.raises(fp.InfeasibleError, match=r"'proportional' is undefined.*'small' needs 4.*capacity is 3"):
        fp.settle(fed, fp.plan(fed), "proportional")
    assert fp.settle(fed, fp.plan(fed)).utility_alone["small"] == 0


def test_contributions_can_be_paid_without_a_plan_and_what_they_miss_is_said():
    bill = fp.settle(ALICE_BOB, {"alice": 1})
    assert bill.payments == {"alice": 1.0, "bob": 0.0}
    assert not any(bill.met.values())
    assert bill.utility == {"alice": 0.0, "bob": 0.0}
    assert bill.leaving == ("alice", "bob")
    assert bill.status is fp.mechanism.SettlementStatus.MISSED
    kept = fp.settle(ALICE_BOB, [3, 2], "none", worth=15)
    assert kept.status is fp.mechanism.SettlementStatus.ACCEPTED
    poor = fp.settle(three_sites(epsilon=[0.1, 0.1, 1]), fp.plan(three_sites(epsilon=[0.1, 0.1, 1]), "lp"), "none")
    assert (poor.status, poor.leaving) == (fp.mechanism.SettlementStatus.REJECTED, ("agent-3",))


def test_a_plan_of_another_federation_is_refused():
    fed = three_sites()
    with pytest.raises(fp.FederationError, match="plan was made for another federation than 'alice-bob'"):
        fp.settle(ALICE_BOB, fp.plan(fed))
    easier = fp.plan(ALICE_BOB.replace(epsilon=0.9), "exact")
    with pytest.raises(fp.FederationError, match="plan was made for another federation"):
        fp.settle(ALICE_BOB, easier, "vcg")
    assert not any(fp.settle(ALICE_BOB, easier.contributions).met.values())


@pytest.mark.parametrize("rule", ["pwyc", "equal-split", "proportional", "vcg"])
def test_a_plan_read_back_with_its_agents_in_another_order_is_paid_alike(rule):
    fed = three_sites(names=["zoe", "max", "amy"])
    found = fp.plan(fed, "exact")
    back = fp.Plan.from_dict(json.loads(json.dumps(found.to_dict(), sort_keys=True)))
    assert list(back.contributions) != list(found.contributions)
    assert len(set(found.contributions.values())) > 1
    assert fp.settle(fed, back, rule=rule) == fp.settle(fed, found, rule=rule)


def test_a_plan_for_odd_prices_is_a_plan_for_the_federation():
    fed = ALICE_BOB.replace(cost=[1e-8, 3e-8])
    assert fp.settle(fed, fp.plan(fed)).deficit == pytest.approx(fp.plan(fed).cost)


def test_a_dear_agent_does_not_hide_what_a_fee_does_to_a_cheap_one():
    fed = three_sites(cost=[1, 1, 1e9])
    with pytest.raises(fp.FederationError, match="agent 'agent-1' is asked for 30"):
        fp.settle(fed, fp.plan(fed, "lp"), fee=[30, 0, 0])


def test_a_fee_is_refused_even_where_somebody_else_leaves_anyway():
    fed = fp.Federation.from_table(
        fp.planning.classes.all_labelings(2), [[0.2, 0.8], [1, 0]], cost=1, epsilon=0.1, delta=0.05
    )
    assert fp.settle(fed, [0, 1]).leaving == ("agent-1",)
    with pytest.raises(fp.FederationError, match="agent 'agent-2' is asked for 1000"):
        fp.settle(fed, [0, 1], fee=[0, 1000])


def test_reports_are_paid_for_as_well():
    rng = np.random.default_rng(1)
    reports = [
        fp.Report(name=name, n=100, n_classes=2, counts=rng.integers(5, 60, 3)) for name in ("here", "there")
    ]
    fed = fp.Federation.from_reports(reports, epsilon=0.1, delta=0.1)
    found = fp.plan(fed)
    bill = fp.settle(fed, found, cost_recovery=0.1)
    assert bill.spend == pytest.approx(found.cost)
    assert all(math.isfinite(amount) for amount in bill.utility.values())


def test_a_settlement_draws_itself():
    bill = fp.settle(ALICE_BOB, fp.plan(ALICE_BOB))
    axes = bill.plot().axes[0]
    assert sorted(bar.get_width() for bar in axes.patches) == [2.0, 3.0]
    assert fp.settle(ALICE_BOB, [0, 0]).plot().axes
