"""Payments that depend on the plan alone: every one but pay-what-you-contribute is refuted by a lie that pays."""

import numpy as np
import pytest

import fedpact as fp

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


def play(found, payment, report):
    """What the liar is paid, its utility, the plan and whose target is met if it reports this, from scratch."""
    names, (liar,) = list(found.truth), found.witness.agents
    agent = names.index(liar)
    truth = np.array([list(masses.values()) for masses in found.truth.values()])
    reported = truth.copy()
    reported[agent] = report
    build = {"labels": FED.evidence.labels, "epsilon": 0.01, "delta": 0.5, "cost": COST.tolist()}
    m = fp.plan(fp.Federation.from_table(distributions=reported, **build), "lp").m
    met = fp.verify(fp.Federation.from_table(distributions=truth, **build), m).met
    paid = np.asarray(payment(m))[agent]
    return paid, met[liar] - COST[agent] * m[agent] + paid, dict(zip(names, m.tolist(), strict=True)), met


@pytest.mark.parametrize(("payment", "gain"), FOILS.values(), ids=FOILS)
def test_other_payments_admit_a_profitable_lie(payment, gain):
    found = fp.mechanism.refute_payment(FED, payment, M)
    lie, (liar,) = found.witness, found.witness.agents
    assert (lie.deviation, list(lie.reports), lie.given) == ("neighbour", [liar], {})
    truth, report = (list(masses[liar].values()) for masses in (found.truth, lie.reports))
    assert truth != report
    paid, honest, before, met = play(found, payment, truth)
    assert (paid, honest) == pytest.approx((found.payment_truthful, lie.utility_truthful))
    assert (before, met) == (lie.contributions_truthful, lie.met_truthful)
    paid, lying, after, met = play(found, payment, report)
    assert (paid, lying) == pytest.approx((found.payment_lying, lie.utility_lying))
    assert (after, met) == (lie.contributions_lying, lie.met_lying)
    assert lying - honest == pytest.approx(lie.gain, abs=1e-9)
    assert lie.gain > 0
    assert gain is None or lie.gain == pytest.approx(gain)
    assert sum(abs(after[name] - before[name]) for name in after) == 1
    assert {"agent-1": 20, "agent-2": 25} in (after, before)


@pytest.mark.parametrize("payment", PWYC.values(), ids=PWYC)
def test_pay_what_you_contribute_is_not_refuted(payment):
    assert fp.mechanism.refute_payment(FED, payment, M) is None


def test_the_expected_objective_too():
    labels = np.vstack([np.zeros((1, 7), dtype=int), np.eye(7, dtype=int)])
    fed = fp.Federation.from_table(labels, np.full((2, 7), 1 / 7), epsilon=0.1, delta=0.5, objective="expected")
    lie = fp.mechanism.refute_payment(fed, lambda m: [50, 50], [20, 20]).witness
    assert lie.contributions_truthful == {"agent-1": 20, "agent-2": 20}
    assert lie.contributions_lying == {"agent-1": 19, "agent-2": 20}
    assert fp.mechanism.refute_payment(fed, lambda m: m + 1, [20, 20]) is None


def test_worth_does_not_matter_where_the_target_is_met_either_way():
    gains = [
        fp.mechanism.refute_payment(FED, lambda m: [5, 5], M, worth=worth).witness.gain for worth in (1, 1000)
    ]
    assert gains[0] == pytest.approx(gains[1])


@pytest.mark.parametrize("unit", [1e-9, 1e6])
def test_the_currency_does_not_matter(unit):
    fed = FED.replace(cost=COST * unit)
    lie = fp.mechanism.refute_payment(fed, lambda m: 1.01 * unit * COST * m, M).witness
    assert lie.gain == pytest.approx(0.02 * unit, rel=1e-3)
    assert fp.mechanism.refute_payment(fed, lambda m: unit * COST * m, M) is None


def test_bad_requests_are_refused():
    with pytest.raises(fp.FederationError, match="locally oblivious"):
        fp.mechanism.refute_payment(FED, lambda m: m, [800, 5000])
    with pytest.raises(fp.FederationError, match="one finite number for each of 2 agents"):
        fp.mechanism.refute_payment(FED, lambda m: [1, 2, 3], M)
    with pytest.raises(fp.FederationError, match="one finite number"):
        fp.mechanism.refute_payment(FED, lambda m: [np.nan, 1], M)
    with pytest.raises(fp.FederationError, match=r"one finite number.*it gives 'much'"):
        fp.mechanism.refute_payment(FED, lambda m: "much", M)
    with pytest.raises(fp.FederationError, match="worth"):
        fp.mechanism.refute_payment(FED, lambda m: m, M, worth="much")
