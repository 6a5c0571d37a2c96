"""What noisy labels prove, against every sample and every label enumerated in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.describe.examples import alice_bob
from fedpact.errors import FederationError
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.label_noise import chances_of, least_overlap, miss_terms_of, seen_rates_of
from fedpact.statistics.rates import MassRates, rates_of
from oracle import chance_of_bad_choice, count_mistakes, even_noise, noise_towards
from strategies import KINDS, cases

NOISE = st.sampled_from([Fraction(1, 50), Fraction(1, 10), Fraction(1, 4), Fraction(2, 5)])


def few(case):
    """As many draws as can be enumerated with their labels."""
    assume(sum(case.m) <= 4 and len(case.instance.labels) <= 5)
    return case


@given(case=cases().map(few), noise=NOISE, data=st.data())
def test_a_hypothesis_is_ahead_no_more_often_than_its_terms_say(case, noise, data):
    labels = case.instance.labels
    fed = case.build().replace(noise=noise)
    kept = fed.distinct.tolist()
    truth, other = (data.draw(st.sampled_from(range(len(kept)))) for _ in "th")
    t, h = kept[truth], kept[other]
    states = count_mistakes(labels, case.instance.distributions, case.m, noise_towards(labels, t, h, noise))
    ahead = sum(chance for mistakes, chance in states.items() if mistakes[h] <= mistakes[t])
    bound = chances_of(miss_terms_of(fed), np.array(case.m, dtype=float), np.array([truth]))[0, other]
    assert bound >= float(ahead) - 1e-9
    differ = [case.instance.rate(agent, t, h) for agent in range(case.k)]
    if all(q <= Fraction(1, 4) for q in differ):
        assert bound == pytest.approx(float(ahead), abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), noise=NOISE)
def test_more_is_missed_than_without_noise_and_less_than_chernoff_says(kind, data, noise):
    fed = data.draw(cases(kind)).build()
    noisy, m = fed.replace(noise=noise), np.arange(1.0, fed.k + 1)
    everything = np.arange(fed.H)
    found = chances_of(miss_terms_of(noisy), m, everything)
    assert (found >= np.exp(rates_of(fed).log_miss(m, everything)) - 1e-9).all()
    assert (found <= np.exp(seen_rates_of(noisy).log_miss(m, everything)) + 1e-8).all()


def test_without_noise_nothing_is_other():
    fed = alice_bob()
    assert seen_rates_of(fed) is rates_of(fed)
    assert miss_terms_of(fed) == ((1.0, rates_of(fed)),)


def test_masses_are_scaled_and_capped():
    rates = rates_of(alice_bob())
    assert isinstance(rates, MassRates)
    scaled, pairs = rates.scaled(0.5, 0.45), (np.zeros(4, dtype=int), np.arange(4))
    expected = np.minimum(0.5 * rates.between(*pairs), 0.45)
    assert scaled.between(*pairs) == pytest.approx(expected)
    assert scaled.rows(np.array([0]))[:, 0] == pytest.approx(expected)
    assert scaled.logs(np.array([0]), -5.0)[:, 0] == pytest.approx(np.log1p(-expected))
    assert scaled.log_miss(np.array([1.0, 2.0]), np.array([0]))[0] == pytest.approx([1, 2] @ np.log1p(-expected))


def test_with_nothing_assumed_labels_are_not_pooled():
    with pytest.raises(FederationError, match="those of others prove nothing"):
        seen_rates_of(alice_bob().replace(assume="agnostic"))


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.3])
def test_no_contributions_below_the_least_overlap_tell_two_apart(noise):
    """One point in five tells two candidates apart; ERM is enumerated."""
    labels, distributions = ((0, 0), (0, 1)), ((Fraction(4, 5), Fraction(1, 5)),)
    for delta in (0.02, 0.1, 0.3):
        s, level = least_overlap(noise, delta), Fraction(noise).limit_denominator(100)
        m = int(s / -np.log1p(-0.2) - 1e-6)
        if m > 40:
            continue
        states = count_mistakes(labels, distributions, [m], even_noise(labels, 0, level))
        assert chance_of_bad_choice(states, [1]) > delta


def test_estimated_rates_are_met_less_often_and_raised_before_the_noise():
    seen = {"a": [[0] * 60 + [1] * 40, [0] * 100, [1] * 100], "b": [[1] * 10 + [0] * 30, [0] * 40, [1] * 40]}
    fed = fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.05)
    sure, careful = (fp.plan(one, "union", noise=0.05) for one in (fed, at_confidence(fed, 0.95)))
    assert careful.cost >= sure.cost
    assert fp.verify(fed, careful.m, noise=0.05).is_feasible
    assert fp.verify(fed, careful.m, noise=0.05, confidence=0.95).is_feasible
    right = fp.plan(fed, "union", confidence=0.95)
    assert careful.cost >= right.cost
