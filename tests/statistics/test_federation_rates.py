"""Rates from every kind of evidence; those of the oracle are compared in test_rates."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.describe.noise import Noise
from fedpact.statistics import federation_rates
from fedpact.statistics.federation_rates import rates_of, tabulate

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
    monkeypatch.setattr(federation_rates, "_TABLE", 299)
    places, values = tabulate(SITE.square(), SITE.n)
    np.testing.assert_array_equal(values[places], SITE.square())
    assert len(values) == len(np.unique(SITE.square()))
    np.testing.assert_array_equal(rates_of(fed).rows(slice(None))[0], SITE.square() / SITE.n)
