"""Tails, p-values, sizes and the cutoff against fractions."""

import itertools
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binomials import largest_cutoff, mass, p_value, region, size
from fedpact.mechanism.sample_checks.critical_counts import (
    adjusted_p_value,
    at_cutoff,
    find_critical_counts,
    find_detectable,
    gather_rates,
    p_values,
)

RATES = tuple(map(Fraction, ("0", "1/1000", "1/10", "1/3", "1/2", "7/10", "99/100", "1")))
TOLERANCES = tuple(map(Fraction, ("0", "1/20", "1/3", "1")))
LEVELS = (0.011, 0.05, 0.13, 0.31, 0.77)


def claim_of(rates, tolerance=0):
    return gather_rates(np.array([float(rate) for rate in rates]), float(tolerance))


def suspicious_counts(found, place):
    return {x for x in range(found.m + 1) if x >= found.above[place] or x <= found.below[place]}


@pytest.mark.parametrize("tolerance", TOLERANCES, ids=str)
@pytest.mark.parametrize("m", [0, 1, 2, 5, 9])
def test_p_values_are_those_counted_out(m, tolerance):
    for x in range(m + 1):
        counts = np.full(len(RATES), x)
        exact = [float(p_value(m, x, rate, tolerance)) for rate in RATES]
        assert p_values(claim_of(RATES, tolerance), m, counts).tolist() == pytest.approx(exact, rel=1e-9, abs=0)


@pytest.mark.parametrize("tolerance", TOLERANCES, ids=str)
def test_critical_counts_are_where_p_values_reach_the_cutoff(tolerance):
    for m, cutoff in itertools.product([0, 1, 4, 8], [0.0, 1e-12, 0.003, 0.02, 0.123, 0.61]):
        found = at_cutoff(claim_of(RATES, tolerance), m, cutoff)
        for place, rate in enumerate(RATES):
            assert suspicious_counts(found, place) == region(m, rate, Fraction(cutoff), tolerance)
        total = sum(size(m, rate, Fraction(cutoff), tolerance) for rate in RATES)
        assert found.false_alarm == pytest.approx(float(total), rel=1e-9)


@pytest.mark.slow
@given(
    st.lists(st.fractions(0, 1, max_denominator=12), min_size=1, max_size=6),
    st.integers(0, 9),
    st.sampled_from(LEVELS),
    st.sampled_from(TOLERANCES[:3]),
)
def test_the_cutoff_is_the_largest_that_keeps_the_level(rates, m, false_alarm_rate, tolerance):
    found = find_critical_counts(claim_of(rates, tolerance), m, false_alarm_rate)
    cutoff = largest_cutoff(m, rates, false_alarm_rate, tolerance)
    assert found.false_alarm <= false_alarm_rate
    assert found.false_alarm == pytest.approx(float(sum(size(m, r, cutoff, tolerance) for r in rates)), rel=1e-9)
    for index, rate in enumerate(rates):
        assert suspicious_counts(found, found.claim.place[index]) == region(m, rate, cutoff, tolerance)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(1, 60), st.sampled_from(LEVELS))
def test_whatever_tarone_flags_is_flagged(rates, m, false_alarm_rate):
    """Tarone: the least k such that at most k pairs can reach a p-value of level / k."""
    p = np.array(rates)
    least = np.minimum(2 * p**m, 2 * (1 - p) ** m)
    k = next(k for k in range(1, len(p) + 1) if (least <= false_alarm_rate / k).sum() <= k)
    assert find_critical_counts(gather_rates(p, 0.0), m, false_alarm_rate).cutoff >= false_alarm_rate / k * (
        1 - 1e-4
    )


@pytest.mark.parametrize(("false_alarm_rate", "counted"), [(1e-300, 0), (1e-12, 1), (0.5, 2), (0.99, 2)])
def test_extreme_levels_are_kept(false_alarm_rate, counted):
    """Thirty samples that all differ have chance 5e-15 at 1/3, and 9e-10 at 1/2."""
    found = find_critical_counts(claim_of([Fraction(1, 3), Fraction(1, 2)]), 30, false_alarm_rate)
    assert found.counted == counted
    assert (0 < found.false_alarm <= false_alarm_rate) if counted else found.false_alarm == 0


@given(st.lists(st.fractions(0, 1, max_denominator=9), min_size=1, max_size=5), st.integers(1, 8), st.data())
def test_a_pair_is_suspicious_where_its_adjusted_p_value_is_within_the_level(rates, m, data):
    false_alarm_rate = data.draw(st.sampled_from(LEVELS))
    found = find_critical_counts(claim_of(rates), m, false_alarm_rate)
    counts = np.array([data.draw(st.integers(0, m)) for _ in rates])
    for chance, is_suspicious in zip(p_values(found.claim, m, counts), found.are_suspicious(counts), strict=True):
        adjusted = adjusted_p_value(found, float(chance))
        assert bool(is_suspicious) == (adjusted <= false_alarm_rate and chance < 1)


def test_the_adjusted_p_value_is_the_sum_of_sizes():
    rates = [Fraction(1, 2), Fraction(1, 2), Fraction(1, 5)]
    found = find_critical_counts(claim_of(rates), 6, 0.05)
    for x in range(7):
        exact = p_value(6, x, Fraction(1, 5))
        total = sum(size(6, rate, exact) for rate in rates)
        assert adjusted_p_value(found, float(exact)) == pytest.approx(min(1.0, float(total)))


@pytest.mark.parametrize("m", [8, 20, 60])
@pytest.mark.parametrize("rate", ["0", "1/10", "1/2", "1"])
def test_a_lie_is_caught_with_the_wanted_chance_just_beyond_what_is_detectable(m, rate):
    """For one pair, and only in directions in which there is room."""
    rate = Fraction(rate)
    found = find_critical_counts(claim_of([rate]), m, 0.05)
    bad = suspicious_counts(found, 0)
    seen = find_detectable(found, 0.8)
    for step, is_caught in ((Fraction(-1, 10**4), False), (Fraction(1, 10**4), True)):
        shift = Fraction(seen.surely) + step
        possible = [q for q in (rate + shift, rate - shift) if 0 <= q <= 1]
        assert possible
        chances = [sum(mass(m, x, q) for x in bad) for q in possible]
        assert all(chance >= Fraction(4, 5) for chance in chances) == is_caught


def test_a_rate_that_was_not_reported_is_seen_at_once_and_a_blind_check_says_so():
    found = find_critical_counts(claim_of([0, Fraction(1, 2)]), 3, 0.01)
    seen = find_detectable(found, 0.8)
    assert seen.at_best == pytest.approx(1 - 0.2 ** (1 / 3))
    assert (seen.pair, seen.surely) == (0, 0.5)
    blind = find_detectable(find_critical_counts(claim_of([Fraction(1, 2)]), 3, 0.01), 0.8)
    assert (blind.surely, blind.at_best, blind.pair) == (None, None, None)


def hypergeometric(n, K, m, c):
    """Pr[at least c of m points drawn without replacement from n are among K]."""
    return Fraction(sum(comb(K, x) * comb(n - K, m - x) for x in range(max(c, 0), m + 1)), comb(n, m))


def distinct_claim_of(rates, tolerance=0):
    return replace(claim_of(rates, tolerance), is_distinct=True)


def sampled_without_replacement():
    """(n, m): all small ones, and some large ones."""
    yield from ((n, m) for n in range(1, 21) for m in range(1, n + 1))
    yield from ((n, m) for n in (60, 1000) for m in (2, 3, 7, 20, 31))


def test_the_tails_of_draws_without_replacement_are_bounded():
    """For every number of points that differ; a single one in a thousand has a heavier tail than the binomial."""
    assert hypergeometric(1000, 1, 2, 1) > 1 - Fraction(999, 1000) ** 2
    for n, m in sampled_without_replacement():
        some = range(n + 1) if n <= 60 else (*range(40), 100, 333, 500, 980, 999)
        claim = distinct_claim_of([Fraction(K, n) for K in some])
        for c in range(m + 2):
            bound = claim.tail(m, np.full(len(claim.rates), c), claim.rates)
            exact = [float(hypergeometric(n, K, m, c)) for K in some]
            assert (bound * (1 + 1e-12) >= exact).all()


def test_a_tail_that_is_not_bounded_by_the_binomial_is_above_a_quarter():
    """How near: the bound of 1/4 cannot be 0.33, and from two on no smaller tail than that fails."""
    least = 1
    for n in range(1, 31):
        for m in range(1, n + 1):
            for K in range(2, n + 1):
                exact, binomial = Fraction(0), Fraction(0)
                for c in range(m, 1, -1):
                    exact += Fraction(comb(K, c) * comb(n - K, m - c), comb(n, m))
                    binomial += mass(m, c, Fraction(K, n))
                    if binomial >= least:
                        break
                    if exact > binomial:
                        least = binomial
    assert Fraction(1, 4) < least < Fraction(33, 100)


@pytest.mark.parametrize("false_alarm_rate", LEVELS)
@pytest.mark.parametrize("n", [3, 8, 13, 40])
def test_distinct_samples_keep_the_level(n, false_alarm_rate):
    """The attained chance of a false alarm, summed over pairs, whatever counts they have."""
    for m in sorted({1, 2, n // 2, n - 1, n}):
        for counts in ([1], [n], list(range(n + 1)), [1] * 30, [n - 1, n // 2, 2]):
            found = find_critical_counts(distinct_claim_of([Fraction(K, n) for K in counts]), m, false_alarm_rate)
            attained = sum(
                hypergeometric(n, K, m, int(found.above[place]))
                + 1
                - hypergeometric(n, K, m, int(found.below[place]) + 1)
                for K, place in zip(counts, found.claim.place, strict=True)
            )
            assert float(attained) <= found.false_alarm * (1 + 1e-9) <= false_alarm_rate * (1 + 1e-9)


def test_a_cutoff_for_independent_draws_would_not_keep_the_level_of_distinct_ones():
    n, m, false_alarm_rate = 1000, 2, 1 - 0.999**2 + 1e-9
    free, careful = (
        find_critical_counts(make([Fraction(1, n)]), m, false_alarm_rate) for make in (claim_of, distinct_claim_of)
    )
    assert (free.above[0], careful.above[0]) == (1, 2)
    assert float(hypergeometric(n, 1, m, 1)) > false_alarm_rate


@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
@pytest.mark.parametrize("rate", ["1/10", "1/2"])
def test_a_lie_beyond_what_is_detectable_is_caught_in_distinct_samples(rate, power):
    n, m, rate = 200, 40, Fraction(rate)
    found = find_critical_counts(distinct_claim_of([rate]), m, 0.05)
    seen = find_detectable(found, power)
    above, below = int(found.above[0]), int(found.below[0])
    assert seen.surely < 0.6
    for K in range(n + 1):
        if abs(Fraction(K, n) - rate) > seen.surely:
            caught = hypergeometric(n, K, m, above) + 1 - hypergeometric(n, K, m, below + 1)
            assert float(caught) >= power


@pytest.mark.parametrize("m", [1, 2, 5, 7, 20, 300, 2000])
@pytest.mark.parametrize("false_alarm_rate", [1e-90, 1e-110, 1e-150, 1e-200, 1e-300])
def test_an_honest_site_is_flagged_at_the_level_at_most_however_small(m, false_alarm_rate):
    """Where the incomplete beta function's inverse is not known, nothing is suspicious."""
    for is_distinct in (False, True):
        claim = replace(claim_of([0.5, 0.001, 0.7]), is_distinct=is_distinct)
        assert find_critical_counts(claim, m, false_alarm_rate).false_alarm <= false_alarm_rate
