"""Honest sites whose reports are suppressed, noisy or estimates: every outcome counted out, or many drawn."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import fedpact as fp
from binomials import mass
from fedpact.describe.reports import Noise
from fedpact.mechanism.sample_checks.honest_rates import limit_rates
from fedpact.mechanism.sample_checks.reported_rates import read_reported
from fedpact.statistics.make_report import hide_small_counts, report

NOISE = Noise(scale=3.0, privacy_epsilon=1.0, privacy_delta=1e-6)


def one_pair(count, n, **about):
    return fp.Report(name="alice", n=n, n_classes=2, counts=np.array([count]), **about)


def differing(x, m):
    return np.array([[0] * m, [1] * x + [0] * (m - x)])


def flag_probability(said, truth, m, **options):
    """Chance of being flagged if two hypotheses differ with probability ``truth``."""
    flagged = [x for x in range(m + 1) if fp.check_contribution(said, differing(x, m), **options).is_flagged]
    return sum((mass(m, x, truth) for x in flagged), Fraction(0))


def limits(said, *, false_alarm_rate=0.01, fresh=False):
    tested = limit_rates(said, read_reported(said), false_alarm_rate=false_alarm_rate, tolerance=0.0, fresh=fresh)
    return tested.low, tested.high, tested.risk


@pytest.mark.parametrize("m", [3, 12])
@pytest.mark.parametrize("false_alarm_rate", [0.02, 0.2])
def test_no_honest_site_with_a_suppressed_report_is_flagged_more_often_than_the_level(false_alarm_rate, m):
    for count in range(21):
        said = hide_small_counts(one_pair(count, 20), 5)
        assert flag_probability(said, Fraction(count, 20), m, false_alarm_rate=false_alarm_rate) <= Fraction(
            false_alarm_rate
        )


def test_a_suppressed_count_that_is_taken_at_its_word_would_flag_an_honest_site():
    said = one_pair(4, 20)
    hidden = hide_small_counts(said, 5)
    word = [[0, hidden.counts[0] / 20], [hidden.counts[0] / 20, 0]]
    assert flag_probability(word, Fraction(4, 20), 12) > Fraction(1, 2)
    assert flag_probability(hidden, Fraction(4, 20), 12) <= Fraction(1, 100)


@given(st.integers(1, 30), st.integers(0, 20), st.data())
@settings(max_examples=60)
def test_suppressed_limits_hold_what_was_counted_and_nothing_else(n, minimum, data):
    sent = [int(hide_small_counts(one_pair(count, n), minimum).counts[0]) for count in range(n + 1)]
    count = data.draw(st.integers(0, n))
    low, high, risk = limits(hide_small_counts(one_pair(count, n), minimum))
    alike = [other for other in range(n + 1) if sent[other] == sent[count]]
    assert (low[0], high[0], risk) == (min(alike) / n, max(alike) / n, 0)


@pytest.mark.parametrize("truth", ["1/20", "3/10", "1/2"])
def test_fresh_samples_of_an_honest_site_are_flagged_within_the_level_over_all_reports(truth):
    """Both the report and the samples are drawn at the true rate; all outcomes are counted out."""
    truth, n, m = Fraction(truth), 12, 8
    chance = {
        fresh: sum(
            mass(n, c, truth) * flag_probability(one_pair(c, n), truth, m, false_alarm_rate=0.1, fresh=fresh)
            for c in range(n + 1)
        )
        for fresh in (False, True)
    }
    assert 0 < chance[True] <= Fraction(1, 10) < chance[False]


def test_noisy_reports_of_honest_sites_are_flagged_within_the_level():
    """All values of a discrete Gaussian of scale 3 and all samples are counted out."""
    n, count, m = 40, 8, 12
    noise = np.arange(-20, 21)
    chance = np.exp(-(noise**2) / (2 * NOISE.scale**2))
    sent = np.clip(count + noise, 0, n)
    flagged = {"noisy": 0.0, "at its word": 0.0}
    for said in np.unique(sent).tolist():
        for word, about in (("noisy", {"noise": NOISE}), ("at its word", {})):
            found = flag_probability(one_pair(said, n, **about), Fraction(count, n), m, false_alarm_rate=0.05)
            flagged[word] += float(found) * chance[sent == said].sum() / chance.sum()
    assert 0 < flagged["noisy"] <= 0.05 < flagged["at its word"]


def test_fresh_sites_with_many_pairs_are_flagged_within_the_level():
    """More than the level would be chance only once in a million."""
    rng, masses, sites = np.random.default_rng(3), [0.5, 0.3, 0.15, 0.05], 200
    labels = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1], [1, 0, 1, 0]])
    flagged = {True: 0, False: 0}
    for _ in range(sites):
        points, samples = (labels[:, rng.choice(4, size, p=masses)] for size in (30, 60))
        said = report(points, name="alice", n_classes=2)
        for fresh in flagged:
            flagged[fresh] += fp.check_contribution(said, samples, false_alarm_rate=0.05, fresh=fresh).is_flagged
    assert flagged[True] <= binom.isf(1e-6, sites, 0.05) < flagged[False]


def test_half_of_the_level_goes_to_what_is_not_certain():
    exact = one_pair(10, 100)
    assert limits(exact, false_alarm_rate=0.04)[2] == 0
    assert limits(hide_small_counts(exact, 20), false_alarm_rate=0.04)[2] == 0
    assert limits(one_pair(10, 100, noise=NOISE), false_alarm_rate=0.04)[2] == 0.02
    assert limits(exact, false_alarm_rate=0.04, fresh=True)[2] == 0.02
    seen = fp.check_contribution(exact, differing(3, 30), false_alarm_rate=0.04, fresh=True)
    assert 0.02 < seen.false_alarm <= 0.04


def test_limits_of_a_noisy_report_are_its_counts_and_the_reach():
    reach = NOISE.reach(0.005 / 2)
    low, high, _ = limits(one_pair(10, 100, noise=NOISE))
    assert (low[0], high[0]) == (max(0, 10 - reach) / 100, (10 + reach) / 100)
    wider = limits(one_pair(10, 100, noise=NOISE), fresh=True)
    assert wider[0][0] <= low[0]
    assert wider[1][0] > high[0]


def test_what_cannot_be_suspicious_has_no_false_alarm():
    seen = fp.check_contribution(one_pair(10, 100, noise=NOISE), differing(1, 1))
    assert (seen.status.name, seen.false_alarm) == ("TOO_FEW", 0)
    alone = fp.check_contribution(report([[0, 1]], name="x"), [[0, 1]], fresh=True)
    assert (alone.status.name, alone.false_alarm) == ("NO_PAIRS", 0)


def test_pairs_show_the_limits_and_the_adjusted_p_value_holds_the_risk():
    seen = fp.check_contribution(one_pair(100, 1000), differing(12, 30), fresh=True)
    (pair,) = seen.pairs
    assert pair.low < pair.reported == 0.1 < pair.high
    assert seen.is_flagged
    assert 0.005 < pair.adjusted <= seen.false_alarm_rate


@pytest.mark.parametrize("about", [{"fresh": True}, {}], ids=["fresh", "noise"])
def test_the_power_curve_is_that_of_the_same_check(about):
    said = one_pair(20, 100, **({} if about else {"noise": NOISE}))
    (row,) = fp.mechanism.contribution_power(said, 40, lies=[0.3], **about).rows
    seen = fp.check_contribution(said, differing(0, 40), **about)
    assert (row.false_alarm, row.detectable, row.counted) == (seen.false_alarm, seen.detectable, seen.counted)
    assert row.caught[0] == pytest.approx(float(flag_probability(said, Fraction(1, 2), 40, **about)), abs=1e-9)


def test_fresh_needs_the_number_of_points():
    for ask in (
        lambda **how: fp.check_contribution([[0, 0.1], [0.1, 0]], differing(1, 3), **how),
        lambda **how: fp.mechanism.contribution_power([[0, 0.1], [0.1, 0]], 3, **how),
    ):
        with pytest.raises(fp.FederationError, match="fresh=True needs a fedpact Report") as caught:
            ask(fresh=True)
        assert len(str(caught.value).splitlines()) == 1
