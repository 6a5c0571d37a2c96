"""Payments that depend on the plan alone: every one but pay-what-you-contribute is refuted by a lie that pays."""

import numpy as np
import pytest

import fedpact as fp
from reproduction.refute_payment import refute_payment

FED = fp.examples.singletons(epsilon=0.01).replace(cost=[1, 2])
COST = np.array([1, 2])
M = [20, 25]

FOILS = {
    "flat": (lambda m: [500, 500], 2),
    "nothing": (lambda m: [0, 0], 2),
    "equal-split-of-the-cost": (lambda m: np.full(2, COST @ m / 2), 1),
    "proportional-to-samples": (lambda m: COST @ m * m / m.sum(), None),
    "one-percent-more": (lambda m: 1.01 * COST * m, 0.02),
    "vcg": (lambda m: 1 - (COST * m)[::-1], None),
    "bonus-for-even": (lambda m: COST * m + (m % 2), 1),
    "others-samples": (lambda m: COST * m + 0.1 * m[::-1], 0.1),
}
PWYC = {
    "plain": lambda m: COST * m,
    "fee": lambda m: COST * m - [100, 7],
    "large-constant": lambda m: COST * m + 1e9 / 7,
    "list": lambda m: [float(m[0]), float(2 * m[1] + 3)],
}


@pytest.mark.parametrize(("payment", "gain"), FOILS.values(), ids=FOILS)
def test_other_payments_admit_a_profitable_lie(payment, gain):
    lie = refute_payment(FED, payment, M)
    agent = FED.names.index(lie.agent)
    build = {"labels": FED.evidence.labels, "epsilon": 0.01, "delta": 0.5, "cost": COST.tolist()}
    truth = fp.Federation.from_table(distributions=lie.truth, **build)
    assert (lie.truth[agent] != lie.report).any()
    has = []
    for report, planned in ((lie.truth[agent], lie.contributions_truthful), (lie.report, lie.contributions_lying)):
        reported = lie.truth.copy()
        reported[agent] = report
        found = fp.plan(fp.Federation.from_table(distributions=reported, **build), "lp")
        assert found.contributions == planned
        met = fp.verify(truth, found.m).met[lie.agent]
        has.append(met - COST[agent] * found.m[agent] + np.asarray(payment(found.m))[agent])
    assert has[1] - has[0] == pytest.approx(lie.gain, abs=1e-9)
    assert lie.gain > 0
    assert gain is None or lie.gain == pytest.approx(gain)
    before, after = lie.contributions_truthful, lie.contributions_lying
    assert sum(abs(after[name] - before[name]) for name in after) == 1
    assert {"agent-1": 20, "agent-2": 25} in (after, before)


@pytest.mark.parametrize("payment", PWYC.values(), ids=PWYC)
def test_pay_what_you_contribute_is_not_refuted(payment):
    assert refute_payment(FED, payment, M) is None


def test_the_expected_objective_too():
    labels = np.vstack([np.zeros((1, 7), dtype=int), np.eye(7, dtype=int)])
    fed = fp.Federation.from_table(labels, np.full((2, 7), 1 / 7), epsilon=0.1, delta=0.5, objective="expected")
    lie = refute_payment(fed, lambda m: [50, 50], [20, 20])
    assert lie.contributions_truthful == {"agent-1": 20, "agent-2": 20}
    assert lie.contributions_lying == {"agent-1": 19, "agent-2": 20}
    assert refute_payment(fed, lambda m: m + 1, [20, 20]) is None


def test_a_plan_where_the_program_is_not_oblivious_is_refused():
    with pytest.raises(fp.FederationError, match="locally oblivious"):
        refute_payment(FED, lambda m: m, [800, 5000])
