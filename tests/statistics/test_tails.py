"""The tail of a walk against its enumeration in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.statistics.tails import choose_cosines, weigh
from oracle import not_behind

RATES = st.fractions(0, 1, max_denominator=12)


def sum_terms(square, rates):
    """The sum of products for steps of +1 and -1 in proportion 1 to ``square``, each made at a rate."""
    rho = math.sqrt(square)
    cosines, shares = choose_cosines(rho)
    factors = [1 - q + 2 * q * rho / (1 + square) * cosines for q in map(float, rates)]
    return float(
        (shares * weigh(np.array(rho), cosines)) @ np.abs(np.prod([np.ones_like(cosines), *factors], axis=0))
    )


@given(square=st.fractions(0, Fraction(9, 10), max_denominator=12), rates=st.lists(RATES, max_size=7))
def test_the_sum_is_the_tail_and_never_below_it(square, rates):
    tail = float(not_behind([(q / (1 + square), q * square / (1 + square)) for q in rates]))
    found = sum_terms(float(square), rates)
    assert found >= tail - 1e-12
    if all(q <= Fraction(1, 2) for q in rates):  # no factor is negative
        assert found == pytest.approx(tail, abs=1e-8)


@given(square=st.fractions(0, Fraction(9, 10), max_denominator=12), rates=st.lists(RATES, min_size=1, max_size=7))
def test_a_step_more_never_raises_it(square, rates):
    assert sum_terms(float(square), rates) <= sum_terms(float(square), rates[1:]) + 1e-12


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9, 0.999])
def test_shares_are_of_all_angles(rho):
    cosines, shares = choose_cosines(rho)
    assert (cosines[0], cosines[-1], shares.sum()) == (1.0, -1.0, pytest.approx(1))
