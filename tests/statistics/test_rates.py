"""Rates from every kind of evidence, against the oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from contracts import check_verification
from fedpact.describe.reports import Noise
from fedpact.statistics import rates as module
from fedpact.statistics.misses import NEVER
from fedpact.statistics.rates import rates_of, tabulate
from strategies import KINDS, cases


def exact_rates(case, fed):
    """(k, H, H) by the oracle, in fractions."""
    different = fed.distinct
    return [[[case.instance.rate(i, h, g) for g in different] for h in different] for i in range(case.k)]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=30)
def test_rows_pairs_and_blocks_are_those_of_the_oracle(kind, data):
    case = data.draw(cases(kind))
    fed = case.build()
    rates, expected = rates_of(fed), np.array(exact_rates(case, fed), dtype=float)
    assert (rates.k, rates.H) == (fed.k, fed.H)
    np.testing.assert_allclose(rates.rows(slice(None)), expected, atol=1e-15)
    h, g = np.divmod(np.arange(fed.H**2), fed.H)
    np.testing.assert_allclose(rates.between(h, g), expected[:, h, g], atol=1e-15)
    assert [row for some in rates.blocks(fed.k) for row in range(some.start, some.stop)] == list(range(fed.H))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=30)
def test_bad_means_strictly_above_epsilon(kind, data):
    case = data.draw(cases(kind))
    fed = case.build()
    for agent, epsilon in enumerate(case.instance.epsilon):
        expected = np.array(exact_rates(case, fed)[agent]) > epsilon
        np.testing.assert_array_equal(rates_of(fed).is_bad(fed.epsilon, slice(None))[agent], expected)


def test_bad_follows_epsilon():
    fed = fp.Federation.from_predictions(
        {"a": [[0, 0], [0, 1]], "b": [[0, 0, 0], [0, 0, 1]]}, epsilon=0.5, delta=0.1
    )
    rates, first = rates_of(fed), slice(0, 1)
    for epsilon, expected in [([0.5, 0.5], [0, 0]), ([0.4, 0.4], [1, 0]), ([0.5, 0.3], [0, 1])]:
        assert rates.is_bad(np.array(epsilon), first)[:, 0, 1].tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=30)
def test_log_of_a_miss(kind, data):
    case = data.draw(cases(kind))
    fed = case.build()
    expected = np.ones((fed.H, fed.H))
    for rate, draws in zip(exact_rates(case, fed), case.m, strict=True):
        expected *= (1 - np.array(rate, dtype=float)) ** draws
    rates, m = rates_of(fed), np.array(case.m, dtype=float)
    np.testing.assert_allclose(np.exp(rates.log_miss(m, slice(None))), expected, atol=1e-14)
    some = np.array([fed.H - 1, 0])
    np.testing.assert_allclose(np.exp(rates.log_miss(m, some)), expected[some], atol=1e-14)


@pytest.mark.parametrize("kind", ["table", "predictions"])
def test_a_rate_of_one_has_a_logarithm_of_choice(kind):
    if kind == "table":
        fed = fp.Federation.from_table([[0, 0], [1, 1]], [[0.5, 0.5]], epsilon=0, delta=0.5)
    else:
        fed = fp.Federation.from_predictions({"a": [[0, 0], [1, 1]]}, epsilon=0, delta=0.5)
    rates = rates_of(fed)
    assert rates.log_miss(np.array([2.0]), slice(0, 1)).tolist() == [[0, 2 * NEVER]]
    assert rates.log_miss(np.array([2.0]), slice(0, 1), at_one=-3.0).tolist() == [[0, -6]]
    assert rates.log_miss(np.array([0.0]), slice(0, 1)).tolist() == [[0, 0]]


def test_rates_are_kept_with_their_federation():
    fed = fp.examples.alice_bob()
    assert rates_of(fed) is rates_of(fed)


@given(cases())
@settings(max_examples=50)
def test_singles_err_to_the_safe_side(case):
    """Where doubles are too many: a miss looks no less likely, what is bad stays bad, pairs stay exact."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "KEEP", 0)
        fed = case.build()
        rates, expected = rates_of(fed), np.array(exact_rates(case, fed), dtype=float)
        assert not rates.is_certain
        assert (rates.below.rows(slice(None)) <= expected + 1e-15).all()
        assert (rates.above.rows(slice(None)) >= expected - 1e-15).all()
        for side in (rates.below, rates.above):
            np.testing.assert_allclose(side.rows(slice(None)), expected, rtol=2e-7)
        h, g = np.divmod(np.arange(fed.H**2), fed.H)
        np.testing.assert_allclose(rates.between(h, g), expected[:, h, g], atol=1e-15)
        for agent, epsilon in enumerate(case.instance.epsilon):
            bad = np.array(exact_rates(case, fed)[agent]) > epsilon
            assert (rates.above.is_bad(fed.epsilon, slice(None))[agent] >= bad).all()
            assert (rates.below.is_bad(fed.epsilon, slice(None))[agent] <= bad).all()


@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=30)
def test_singles_do_not_blur_a_verification(objective, data):
    case = data.draw(cases("table", objective))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "KEEP", 0)
        check_verification(case, fp.verify(case.build(), case.m, how="exact"))


def test_singles_do_not_hide_a_rate_just_above_epsilon(monkeypatch):
    """0.3 + 1e-8 rounds down to a single below 0.3, yet is ten times farther from it than a tie."""
    monkeypatch.setattr(module, "KEEP", 0)
    fed = fp.Federation.from_table([[0, 0], [1, 0]], [[0.3 + 1e-8, 0.7 - 1e-8]], epsilon=0.3, delta=0.1)
    assert not fp.verify(fed, [0]).is_feasible


LABELS = (np.random.default_rng(0).random((8, 300)) < np.linspace(0.2, 0.02, 8)[:, None]).astype(int)
SITE = fp.report(LABELS, name="alice")


def estimated(site, confidence=0.95):
    return fp.planning.at_confidence(fp.Federation.from_reports([site], epsilon=0.1, delta=0.05), confidence)


KINDS = {
    "exact": SITE,
    "hidden": fp.sites.hide_small_counts(SITE, 40),
    "noisy": fp.Report(
        name="alice",
        n=300,
        n_classes=2,
        counts=SITE.counts,
        noise=Noise(scale=4.0, privacy_epsilon=1.0, privacy_delta=1e-6),
    ),
}


@pytest.mark.parametrize("site", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("side", ["below", "above"])
def test_bad_is_what_a_limit_says_whatever_was_done_to_the_counts(site, side):
    """A count sent as 0 may stand for more than the next larger one that was sent as it is."""
    rates = getattr(rates_of(estimated(site)), side)
    bad = rates.is_bad(np.array([0.1]), slice(None))
    np.testing.assert_array_equal(bad, rates.rows(slice(None)) > 0.1)
    assert bad.any()
    assert not bad.all()


@pytest.mark.parametrize("site", KINDS.values(), ids=KINDS)
def test_limits_hold_what_was_counted_and_nothing_differs_from_itself(site):
    rates, seen = rates_of(estimated(site)), SITE.square() / SITE.n
    low, high = (side.rows(slice(None))[0] for side in (rates.below, rates.above))
    apart = ~np.eye(8, dtype=bool)
    assert (low[apart] < seen[apart]).all()
    assert (seen[apart] < high[apart]).all()
    assert not low[~apart].any()
    assert not high[~apart].any()


def test_many_points_have_a_table_of_the_counts_that_occur(monkeypatch):
    fed = fp.Federation.from_reports([SITE], epsilon=0.1, delta=0.05)
    monkeypatch.setattr(module, "_TABLE", 299)
    places, values = tabulate(SITE.square(), SITE.n)
    np.testing.assert_array_equal(values[places], SITE.square())
    assert len(values) == len(np.unique(SITE.square()))
    np.testing.assert_array_equal(rates_of(fed).rows(slice(None))[0], SITE.square() / SITE.n)
