from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.statistics import expansion
from fedpact.statistics.bounds import bound
from fedpact.statistics.expansion import LATTICE_POINTS, MAX_STATES, _expand_lattice, _expand_states, expand
from fedpact.statistics.misses import MissFamily, reduce_family
from oracle import coupons_left, family_value, family_value_by_subsets
from strategies import families


def evaluate(signed_sum, *m):
    return signed_sum.evaluate(np.array([m], dtype=float))[0]


def coupons(n, *, shared=False):
    """n private points of equal mass; with ``shared``, every set also holds a point that a second agent draws."""
    sets, mass = np.eye(n, dtype=bool), np.full((1, n), 1 / n)
    if shared:
        sets = np.column_stack([sets, np.ones(n, dtype=bool)])
        mass = np.array([[*[1 / n] * n, 0], [*[0] * n, 0.25]])
    return MissFamily(sets=sets, weights=np.ones(n), mass=mass)


def coupons_left_in_floats(n, draws):
    """How many have been seen, followed draw by draw: all terms are positive, nothing cancels."""
    chance = np.zeros(n + 1)
    chance[0] = 1.0
    seen = np.arange(n + 1)
    for _ in range(draws):
        chance = chance * seen / n + np.append(0, chance[:-1] * (n - seen[:-1]) / n)
    return chance[:-1].sum()


@given(families())
@settings(max_examples=150)
def test_lattice_states_bounds_and_oracle_agree(family):
    truth = float(family_value(family.sets, family.weights, family.mass, family.m))
    reduced = reduce_family(MissFamily(**family.arrays))
    narrow = bound(reduced, np.array(family.m, dtype=float), width=1e-12)
    found = [
        evaluate(_expand_lattice(reduced), *family.m),
        evaluate(_expand_states(reduced, MAX_STATES), *family.m),
        narrow.low,
        narrow.high,
    ]
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-11)


@given(st.integers(0, 2**31), st.booleans())
@settings(max_examples=25)
def test_states_beyond_the_lattice(seed, weighted):
    """Five sets over up to 31 points that all lie in different sets, too many for the lattice."""
    rng = np.random.default_rng(seed)
    columns = rng.permutation(np.arange(1, 32))[: rng.integers(LATTICE_POINTS + 3, 32)]
    sets = (columns[None, :] >> np.arange(5)[:, None] & 1).astype(bool)
    shares = rng.integers(0, 5, size=(2, len(columns) + 1))
    mass = [[Fraction(int(share), int(row.sum())) for share in row[:-1]] for row in shares]
    weights = [Fraction(int(w), 4) for w in (rng.integers(1, 5, 5) if weighted else [4] * 5)]
    m = rng.integers(0, 12, 2).tolist()
    expansion = expand(
        MissFamily(sets=sets, weights=np.array(weights, dtype=float), mass=np.array(mass, dtype=float))
    )
    truth = family_value_by_subsets(sets.tolist(), weights, mass, m)
    assert evaluate(expansion, *m) == pytest.approx(float(truth), abs=1e-11)


@given(families())
@settings(max_examples=50)
def test_doubles_stay_within_their_error_bound_and_integers_agree(family):
    truth = float(family_value(family.sets, family.weights, family.mass, family.m))
    expansion = expand(MissFamily(**family.arrays))
    m = np.array(family.m, dtype=float)
    value, error = expansion._evaluate_in_doubles(m[None, :])
    assert abs(value[0] - truth) <= error[0] + 1e-15
    assert expansion._evaluate_in_integers(m) == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(10, 12), (20, 25), (30, 40), (40, 60), (50, 60)])
def test_doubles_know_how_far_they_are_off(n, m):
    """Cancellation grows with n from nothing to everything."""
    value, error = expand(coupons(n))._evaluate_in_doubles(np.array([[m]], dtype=float))
    assert abs(value[0] - coupons_left(n, m)) <= error[0]
    assert error[0] <= 1e-16 * 4**n


COUPONS = [(1, 1), (3, 5), (25, 30), (30, 40), (35, 60), (50, 60), (50, 195), (50, 400), (50, 1200)]


@pytest.mark.parametrize(("n", "m"), COUPONS)
def test_coupon_collector_in_integers(n, m):
    assert evaluate(expand(coupons(n)), m) == pytest.approx(float(coupons_left(n, m)), abs=1e-11)


LARGE = [(200, 700), (200, 1100), (200, 2500), (512, 3000), (512, 3381), (512, 3382), (512, 9000)]


@pytest.mark.parametrize(("n", "m"), LARGE)
def test_coupon_collector_where_alternating_sums_cancel(n, m):
    expected = coupons_left_in_floats(n, m)
    assert evaluate(expand(coupons(n)), m) == pytest.approx(expected, abs=1e-10)
    assert evaluate(expand(coupons(n, shared=True)), m, 3) == pytest.approx(expected * 0.75**3, abs=1e-10)


@pytest.mark.parametrize("n", [17, 200, 1000])
def test_equal_private_points_cost_one_state_each(n):
    assert len(expand(coupons(n, shared=True)).coefficients) == n


def test_two_kinds_of_private_points():
    """20 common and 15 rare coupons against how many of either kind have been seen."""
    common, rare = np.array([20, 1 / 32]), np.array([15, 1 / 64])
    chance = {(0, 0): 1.0}
    for _ in range(300):
        after = dict.fromkeys(chance, 0.0)
        for (a, b), p in chance.items():
            left_a, left_b = (20 - a) * common[1], (15 - b) * rare[1]
            for state, q in (((a + 1, b), left_a), ((a, b + 1), left_b), ((a, b), 1 - left_a - left_b)):
                if q > 0:
                    after[state] = after.get(state, 0.0) + p * q
        chance = after
    expected = sum(p for state, p in chance.items() if state != (20, 15))
    mass = np.repeat([common[1], rare[1]], [20, 15])[None, :]
    family = MissFamily(sets=np.eye(35, dtype=bool), weights=np.ones(35), mass=mass)
    expansion = expand(family)
    assert len(expansion.coefficients) == 21 * 16 - 1
    assert evaluate(expansion, 300) == pytest.approx(expected, abs=1e-10)


def test_many_vectors_at_once():
    rng = np.random.default_rng(1)
    family = MissFamily(
        sets=rng.random((8, 10)) < 0.4, weights=rng.random(8), mass=rng.dirichlet(np.ones(11), 2)[:, :10]
    )
    family.sets[:, 0] |= ~family.sets.any(axis=1)
    expansion = expand(family)
    m = rng.integers(0, 40, (30, 2)).astype(float)
    one_by_one = [evaluate(expansion, *row) for row in m]
    np.testing.assert_allclose(expansion.evaluate(m), one_by_one, rtol=0, atol=1e-14)


def test_no_more_states_than_allowed():
    rng = np.random.default_rng(2)
    family = MissFamily(sets=rng.random((30, 60)) < 0.3, weights=np.ones(30), mass=rng.dirichlet(np.ones(60), 1))
    assert expand(family, max_states=1000) is None


def test_a_set_of_mass_one_is_seen_at_the_first_draw():
    family = MissFamily(sets=np.ones((1, 1), dtype=bool), weights=np.ones(1), mass=np.array([[1.0], [0.5]]))
    assert [evaluate(expand(family), *m) for m in [(0, 0), (0, 2), (1, 0)]] == [1, 0.25, 0]


@pytest.mark.parametrize(
    "unit", [Fraction(1, 10**9), Fraction(1, 10**12), Fraction(1, 10**14), Fraction(1, 10**40)]
)
@pytest.mark.parametrize("build", [_expand_lattice, lambda family: _expand_states(family, MAX_STATES)])
def test_weights_of_any_size_keep_their_digits(unit, build):
    """For the expected objective with an epsilon of 1e-14 the weights that matter are of that size."""
    sets = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
    weights = [5 * unit, 3 * unit, 2 * unit]
    mass = [[Fraction(1, 4), Fraction(1, 8), Fraction(1, 2)]]
    family = MissFamily(
        sets=sets, weights=np.array([float(w) for w in weights]), mass=np.array(mass, dtype=np.float64)
    )
    for count in (0, 1, 4, 9):
        assert evaluate(build(family), count) == pytest.approx(float(family_value(sets, weights, mass, [count])))


def test_vectors_are_evaluated_in_parts(monkeypatch):
    m = np.arange(50, dtype=float)[:, None]
    whole = expand(coupons(5)).evaluate(m)
    monkeypatch.setattr(expansion, "_AT_ONCE", 64)
    np.testing.assert_array_equal(expand(coupons(5)).evaluate(m), whole)
