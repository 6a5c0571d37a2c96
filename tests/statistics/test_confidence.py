import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from binomials import upper
from fedpact.describe.reports import Noise, Report
from fedpact.errors import FederationError
from fedpact.statistics.confidence import at_confidence, clopper_pearson, limits_of, risk_per_limit, upper_tail
from fedpact.statistics.rates import rates_of


def at_least(count, n, rate):
    """Pr[X >= count] in fractions."""
    return sum(math.comb(n, x) * rate**x * (1 - rate) ** (n - x) for x in range(count, n + 1))


@given(st.integers(1, 40), st.data(), st.sampled_from([0.3, 0.025, 1e-4, 1e-9]))
@settings(deadline=None)
def test_limits_are_those_of_the_binomial(n, data, risk):
    count = data.draw(st.integers(0, n))
    low, high = clopper_pearson(np.array([count]), n, risk)
    assert 0 <= low[0] <= count / n <= high[0] <= 1
    if count == 0:
        assert low[0] == 0
    else:
        assert at_least(count, n, Fraction(low[0])) <= risk
        assert at_least(count, n, Fraction(low[0] * (1 + 1e-6))) > risk
    if count == n:
        assert high[0] == 1
    else:
        assert 1 - at_least(count + 1, n, Fraction(high[0])) <= risk
        assert 1 - at_least(count + 1, n, Fraction(high[0] * (1 - 1e-6))) > risk


def test_every_rate_is_covered_as_often_as_promised():
    """For every rate: the chance of a count whose limits leave it out, summed exactly."""
    n, risk = 30, 0.02
    low, high = clopper_pearson(np.arange(n + 1), n, risk)
    for rate in np.linspace(0, 1, 101):
        chances = [math.comb(n, x) * rate**x * (1 - rate) ** (n - x) for x in range(n + 1)]
        assert sum(chance for chance, limit in zip(chances, low, strict=True) if limit > rate) <= risk
        assert sum(chance for chance, limit in zip(chances, high, strict=True) if limit < rate) <= risk


def report(**changes):
    return Report(**{"name": "a", "n": 50, "n_classes": 2, "counts": np.array([0, 7, 50]), **changes})


def test_a_suppressed_count_has_the_limits_of_its_range():
    hidden = report(minimum_count=5)
    sent = np.array([0, 7, 50])
    low, high = limits_of(hidden, sent, None)
    np.testing.assert_allclose(low, [0, 7 / 50, 46 / 50])
    np.testing.assert_allclose(high, [4 / 50, 7 / 50, 1])
    low, high = limits_of(hidden, sent, 0.01)
    assert low[2] == clopper_pearson(np.array([46]), 50, 0.01)[0][0]
    assert high[0] == clopper_pearson(np.array([4]), 50, 0.01)[1][0]


def test_noise_takes_half_of_the_risk():
    noise = Noise(scale=2.0, privacy_epsilon=1.0, privacy_delta=0.1)
    reach = noise.reach(0.005)
    low, high = limits_of(report(noise=noise), np.array([20]), 0.01)
    assert low[0] == clopper_pearson(np.array([20 - reach]), 50, 0.005)[0][0]
    assert high[0] == clopper_pearson(np.array([20 + reach]), 50, 0.005)[1][0]


def test_noise_needs_a_confidence():
    noisy = [report(noise=Noise(scale=2.0, privacy_epsilon=1.0, privacy_delta=0.1))]
    fed = fp.Federation.from_reports(noisy, epsilon=0.1, delta=0.05)
    with pytest.raises(FederationError, match=r"report 'a' has noise.*plan\(fed, confidence=0.95\)"):
        fp.plan(fed)


def test_a_limit_too_low_to_matter_counts_as_none():
    low, _ = limits_of(report(), np.array([1]), 1e-7)
    assert low[0] == 0


def test_the_risk_is_shared_by_both_limits_of_all_pairs_of_all_sites():
    sites = [report(), report(name="b")]
    fed = at_confidence(fp.Federation.from_reports(sites, epsilon=0.1, delta=0.05), "0.9")
    assert risk_per_limit(fed.evidence) == pytest.approx(0.1 / (2 * 2 * 3))


@pytest.mark.parametrize("confidence", [0, 1, 1.5, "high", None, math.nan])
def test_confidence_is_checked(confidence):
    fed = fp.Federation.from_reports([report()], epsilon=0.1, delta=0.05)
    with pytest.raises(FederationError, match="confidence must"):
        at_confidence(fed, confidence)


def test_a_table_has_nothing_to_estimate():
    with pytest.raises(FederationError, match="confidence has no meaning for a table"):
        at_confidence(fp.examples.alice_bob(), 0.95)


def test_hypotheses_that_were_not_seen_to_differ_stay_apart():
    fed = fp.Federation.from_predictions({"a": [[0, 1], [0, 1], [1, 1]]}, epsilon=0.1, delta=0.05)
    assert (fed.H, at_confidence(fed, 0.95).H) == (2, 3)


def test_limits_hold_the_counts_of_predictions_and_reports_alike():
    rng = np.random.default_rng(0)
    seen = {name: rng.integers(0, 3, (4, 25)) for name in "ab"}
    by_predictions = at_confidence(fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.05), 0.9)
    sites = [fp.report(labels, name=name) for name, labels in seen.items()]
    by_reports = at_confidence(fp.Federation.from_reports(sites, epsilon=0.1, delta=0.05), 0.9)
    for side in ("below", "above"):
        ours = getattr(rates_of(by_predictions), side).rows(slice(None))
        np.testing.assert_array_equal(ours, getattr(rates_of(by_reports), side).rows(slice(None)))
        for agent, labels in enumerate(seen.values()):
            for h, g in itertools.product(range(4), repeat=2):
                differ = np.array([(labels[h] != labels[g]).sum()])
                limit = clopper_pearson(differ, 25, 0.1 / (2 * 2 * 6))[side == "above"][0]
                assert ours[agent, h, g] == pytest.approx(0 if h == g else limit, rel=1e-12)


RATES = tuple(map(Fraction, ("0", "1/1000", "1/10", "1/3", "1/2", "7/10", "99/100", "1")))


@pytest.mark.parametrize("m", [0, 1, 2, 5, 9])
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_tails_are_those_counted_out(m, rate):
    counts = np.arange(-1, m + 2)
    tails = upper_tail(m, counts, np.full(len(counts), float(rate)))
    assert tails.tolist() == pytest.approx([float(upper(m, int(x), rate)) for x in counts], rel=1e-12, abs=0)
