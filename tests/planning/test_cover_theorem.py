"""The theorem for infinite classes: its constants, its rows, and the paper's counterexample."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.planning.cover_theorem import CoverProgram, choose_s, samples_in_region, survival_bound
from fedpact.planning.plan_cover import solve_cover


def double_sample(n, d):
    """The bound on the survival of some hypothesis of a ball, as printed in the module."""
    return 2 * sum(math.comb(2 * n, t) for t in range(d + 1)) * 2.0 ** -math.floor(3 * n / 4)


@pytest.mark.parametrize("d", [1, 2, 3, 6])
@pytest.mark.parametrize("delta", [0.5, 0.01, 1e-6])
def test_n_is_the_least_that_meets_the_double_sample_bound(d, delta):
    n = samples_in_region(d, delta)
    assert double_sample(n, d) <= delta * (1 + 1e-9)
    assert all(double_sample(fewer, d) > delta for fewer in range(1, n))
    assert math.exp(survival_bound(n, d)) == pytest.approx(double_sample(n, d))


@given(rates=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_median_of_independent_indicators_is_at_least_the_floor_of_their_mean(rates):
    law = np.ones(1)
    for rate in rates:
        law = np.convolve(law, [1 - rate, rate])
    assert law[math.floor(max(0.0, sum(rates) - 1e-9)) :].sum() >= 0.5 - 1e-9


def lower_tail(n, rates):
    """Exact probability of fewer than n successes among independent trials."""
    law = np.ones(1)
    for rate in rates:
        law = np.convolve(law, [1 - rate, rate])
    return law[:n].sum()


@given(
    m=st.tuples(st.integers(0, 200), st.integers(0, 200)),
    b=st.tuples(st.floats(0.31, 1), st.floats(0, 1)),
    delta=st.sampled_from((0.05, 0.5)),
)
@settings(max_examples=100)
def test_a_row_that_holds_puts_n_samples_into_the_region(m, b, delta):
    fed = fp.Federation.from_table(
        [[0, 0], [1, 0]], [[b[0], 1 - b[0]], [b[1], 1 - b[1]]], epsilon=0.3, delta=delta
    )
    program = CoverProgram(fed, radius=0.01, d=1)
    in_region = np.maximum(np.array(b) - 0.01, 0)  # at least
    tail = lower_tail(program.n, np.repeat(in_region, m))
    if program.proves(np.array([m]))[0]:
        assert tail <= delta / 4 + 1e-9
    if tail > delta / 4 + 1e-6:
        assert not program.proves(np.array([m]))[0]
        assert program(np.array(m, dtype=float))


def test_s_is_the_best_of_a_grid():
    def samples(s):
        return (s * 25 + 8) / -math.log(1 - 0.1 * (1 - math.exp(-s)))

    assert samples(choose_s(26, 8, 0.1)) <= min(map(samples, np.geomspace(1e-3, 50, 400))) * (1 + 1e-6)


def test_agents_with_little_mass_in_a_region_are_not_counted():
    fed = fp.Federation.from_table([[0, 0], [1, 0]], [[0.5, 0.5], [0.04, 0.96]], epsilon=0.1, delta=0.1)
    (row,) = CoverProgram(fed, radius=0.01, d=1)(np.zeros(2))
    assert row.a[0] > 0
    assert row.a[1] == 0
    assert row.requirement == 0


@pytest.mark.parametrize("gamma", [1 / 1000, 1 / 100])
@pytest.mark.parametrize("delta", [0.1, 0.5])
def test_A4_a_program_without_the_margin_asks_for_nothing_and_with_it_for_enough(gamma, delta):
    masses = [[0.1, gamma, 0.9 - gamma]]
    everything = fp.Federation.from_table([[0, 0, 0], [1, 0, 0], [1, 1, 0]], masses, epsilon=0.1, delta=delta)
    cover = fp.Federation.from_table([[0, 0, 0], [1, 0, 0]], masses, epsilon=0.1, delta=delta)
    assert fp.plan(cover, method="lp").m.tolist() == [0]
    assert not fp.verify(everything, [0]).is_feasible
    m, _ = solve_cover(cover, CoverProgram(cover, radius=gamma, d=1))
    assert m[0] >= 22 or delta > 0.1
    assert fp.verify(everything, m).is_feasible
