"""Checks from mistakes alone: ranges counted out, false alarms over all samples, lies caught, what is refused."""

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import fedpact as fp
from binomials import chance_of_samples, p_value
from fedpact.mechanism.sample_checks.critical_counts import find_critical_counts, gather_rates
from fedpact.mechanism.sample_checks.mistake_counts import find_likeliest, find_peaks
from refusals import check_refused
from strategies import distribution_rows, label_rows, rates_of, report_of

RATES = tuple(map(Fraction, ("0", "1/100", "1/7", "1/3", "1/2", "4/5", "1")))
TENTH = fp.Report(name="alice", n=10, n_classes=2, counts=np.array([1]))
HALF = fp.Report(name="bob", n=10, n_classes=2, counts=np.array([5]))


def possible_counts(a, b, m, *, is_binary):
    """On how many of m samples two hypotheses with a and b mistakes can differ: every way to mix the mistakes."""
    found = set()
    for both in range(min(a, b) + 1):
        if a + b - both <= m:
            alone = a + b - 2 * both
            found |= {alone} if is_binary else set(range(alone, alone + both + 1))
    return found


def mistakes_of(predictions, truth):
    return (np.asarray(predictions) != truth).sum(axis=1)


@pytest.mark.parametrize("tolerance", [0.0, 0.2])
@pytest.mark.parametrize("is_binary", [True, False])
@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_the_likeliest_count_is_that_of_all_possible_ones(m, is_binary, tolerance):
    for rate in RATES:
        found = find_critical_counts(gather_rates(np.array([float(rate)]), tolerance), m, 0.2)
        for a, b in itertools.product(range(m + 1), repeat=2):
            (count,) = find_likeliest(found, np.array([a, b]), is_binary=is_binary)
            possible = possible_counts(a, b, m, is_binary=is_binary)
            chances = {x: p_value(m, x, rate, Fraction(tolerance)) for x in possible}
            assert int(count) in possible
            assert float(chances[int(count)]) == pytest.approx(float(max(chances.values())), rel=1e-9)
            suspicious = [bool(found.are_suspicious(np.array([x]))[0]) for x in possible]
            assert bool(found.are_suspicious(np.array([count]))[0]) == all(suspicious)


@given(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.3]), st.sampled_from([0, 1, 3, 50, 999, 20_000]))
def test_peaks_are_where_the_p_value_is_largest(rate, tolerance, m):
    claim = gather_rates(np.array([rate]), tolerance)
    (peak,), (beside,) = find_peaks(claim, m)
    counts = np.arange(m + 1)
    chances = np.minimum(binom.sf(counts - 1, m, claim.high[0]), binom.cdf(counts, m, claim.low[0]))
    assert chances[peak] == pytest.approx(chances.max(), rel=1e-7)
    neighbours = [x for x in (peak - 1, peak + 1) if 0 <= x <= m]
    assert not neighbours or chances[beside] == pytest.approx(max(chances[neighbours]), rel=1e-7, abs=1e-300)


def flag_probability(report, labels, masses, m, target, **options):
    def is_flagged(drawn):
        mistakes = mistakes_of(np.array(labels)[:, drawn], target[drawn])
        return fp.check_contribution(report, mistakes=mistakes, m=m, **options).is_flagged

    return chance_of_samples(masses, m, is_flagged)


@st.composite
def honest_sites(draw):
    n = draw(st.integers(1, 3))
    target = np.array([draw(st.integers(0, 2)) for _ in range(n)])
    return draw(label_rows(n, 3)), draw(distribution_rows(n)), target, draw(st.integers(0, 4))


@given(honest_sites(), st.sampled_from([0.05, 0.3, 0.6]))
@settings(max_examples=40)
def test_no_honest_site_is_flagged_more_often_than_the_level(site, false_alarm_rate):
    """Whatever labels its samples have."""
    labels, masses, target, m = site
    chance = flag_probability(
        rates_of(labels, masses), labels, masses, m, target, false_alarm_rate=false_alarm_rate
    )
    assert chance <= Fraction(false_alarm_rate)


@st.composite
def own_points(draw):
    n = draw(st.integers(1, 7))
    target = np.array([draw(st.integers(0, 1)) for _ in range(n)])
    return np.array(draw(label_rows(n, 2))), target, draw(st.integers(0, n))


@given(own_points(), st.sampled_from([0.05, 0.2, 0.45, 0.8]))
@settings(max_examples=80)
def test_distinct_points_of_the_report_keep_the_level(site, false_alarm_rate):
    """All subsets of the points, equally likely; by samples, by mistakes, and mistakes flag nobody else."""
    points, target, m = site
    report, flagged = report_of("alice", points), 0
    for drawn in map(list, itertools.combinations(range(len(target)), m)):
        by_samples = fp.check_contribution(
            report, points[:, drawn], false_alarm_rate=false_alarm_rate, distinct=True
        )
        by_mistakes = fp.check_contribution(
            report,
            mistakes=mistakes_of(points[:, drawn], target[drawn]),
            m=m,
            false_alarm_rate=false_alarm_rate,
            distinct=True,
        )
        assert by_samples.is_flagged or not by_mistakes.is_flagged
        assert by_samples.false_alarm == by_mistakes.false_alarm <= false_alarm_rate
        flagged += by_samples.is_flagged
    assert flagged <= by_samples.false_alarm * comb(len(target), m) * (1 + 1e-9)


@given(st.data())
@settings(max_examples=60)
def test_whoever_labels_the_samples_is_compared_exactly(data):
    """With the target among the hypotheses, its pairs are judged as if the samples were seen."""
    n = data.draw(st.integers(1, 4))
    labels = np.array(data.draw(label_rows(n, 3)))
    drawn = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=12))
    seen, m = labels[:, drawn], len(drawn)
    rates = np.array([[np.mean(h != g) for g in labels] for h in labels])
    by_samples = fp.check_contribution(rates, seen, false_alarm_rate=0.2)
    by_mistakes = fp.check_contribution(rates, mistakes=mistakes_of(seen, seen[0]), m=m, false_alarm_rate=0.2)
    exact = {pair.pair: pair for pair in by_samples.pairs}
    for pair in by_mistakes.pairs:
        if "h1" in pair.pair and pair.pair in exact:
            assert pair == exact[pair.pair]
    assert by_mistakes.suspicious <= by_samples.suspicious


def simulated(seed=0, H=40, n=2000):
    rng = np.random.default_rng(seed)
    labels = (rng.random((H, n)) < rng.uniform(0.05, 0.5, (H, 1))).astype(np.int64)
    return rng, labels, fp.report(labels, name="alice", n_classes=2)


def test_free_riders_and_inventors_are_caught_and_the_honest_are_not():
    rng, labels, report = simulated()
    drawn = rng.choice(labels.shape[1], 80, replace=False)
    honest = mistakes_of(labels[:, drawn], labels[0, drawn])
    assert not fp.check_contribution(report, mistakes=honest, m=80, distinct=True).is_flagged
    for made_up in (np.zeros(40), np.full(40, 80), rng.integers(0, 81, 40)):
        seen = fp.check_contribution(report, mistakes=made_up, m=80)
        assert (seen.is_flagged, seen.site, seen.m) == (True, "alice", 80)
        assert seen.pairs[0].is_suspicious
    assert fp.check_contribution(report.square() / report.n, mistakes=np.zeros(40), m=80).is_flagged


def test_two_labels_say_more_than_three():
    """Both err on all samples: with two labels they never differ, with three they may."""
    often = {"name": "bob", "n": 10, "counts": np.array([9])}
    assert fp.check_contribution(fp.Report(n_classes=2, **often), mistakes=[20, 20], m=20).pairs[0].observed == 0
    seen = fp.check_contribution(fp.Report(n_classes=3, **often), mistakes=[20, 20], m=20)
    assert (seen.is_flagged, seen.pairs[0].observed) == (False, 18)


def test_nothing_can_be_said_of_nothing():
    assert fp.check_contribution(HALF, mistakes=[3, 1], m=9, distinct=True, tolerance="1/100").distinct
    assert fp.check_contribution(HALF, mistakes=[0, 0], m=0).status is fp.mechanism.ContributionStatus.NO_SAMPLES
    assert fp.check_contribution([[0]], mistakes=[3], m=5).status is fp.mechanism.ContributionStatus.NO_PAIRS
    assert fp.check_contribution(HALF, mistakes=[0, 2], m=2).status is fp.mechanism.ContributionStatus.TOO_FEW


def test_a_thousand_hypotheses_are_checked():
    rng, labels, report = simulated(H=1000, n=400)
    drawn = rng.choice(400, 60, replace=False)
    seen = fp.check_contribution(
        report, mistakes=mistakes_of(labels[:, drawn], labels[3, drawn]), m=60, distinct=True
    )
    assert (seen.tested, seen.is_flagged) == (499_500, False)
    assert fp.check_contribution(report, mistakes=np.zeros(1000, dtype=int), m=60).is_flagged


BAD = [
    ([-1, 3], 5, {}, "mistakes must be whole numbers between 0 and m = 5; hypothesis 1 has -1"),
    ([2, 6], 5, {}, "mistakes must be whole numbers between 0 and m = 5; hypothesis 2 has 6"),
    ([2, 0.5], 5, {}, "mistakes must be whole numbers between 0 and m = 5; hypothesis 2 has 0.5"),
    ([2, float("nan")], 5, {}, "hypothesis 2 has nan"),
    ([2], 5, {}, "one number for each of the 2 hypotheses of the report; there are 1"),
    ([[2, 1]], 5, {}, "mistakes must be one whole number per hypothesis; they are [[2, 1]]"),
    ([[2], [1, 2]], 5, {}, "mistakes must be one whole number per hypothesis"),
    (["a", "b"], 5, {}, "mistakes must be one whole number per hypothesis"),
    ([2, 1], -5, {}, "m must be a whole number >= 0; it is -5"),
    ([2, 1], 10**7, {}, "m must be at most 1,000,000; it is 10,000,000"),
    (
        [2, 1],
        11,
        {"distinct": True},
        "distinct=True needs no more samples than the n = 10 points of report 'alice'; there are 11",
    ),
    ([2, 1], 5, {"distinct": True, "fresh": True}, "leave one of them out"),
]


def test_refuses():
    for mistakes, m, options, message in BAD:
        check_refused(message, fp.check_contribution, TENTH, mistakes=mistakes, m=m, **options)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"predictions": [[0], [1]], "mistakes": [0, 1], "m": 1},
        {"mistakes": [0, 1]},
        {"predictions": [[0], [1]], "m": 1},
    ],
)
def test_predictions_or_mistakes_are_given_and_not_both(given):
    with pytest.raises(fp.FederationError, match="give either predictions, or mistakes together with m"):
        fp.check_contribution(TENTH, **given)
