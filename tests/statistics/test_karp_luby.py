import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.statistics.karp_luby import estimate
from fedpact.statistics.misses import MissFamily
from oracle import coupons_left, family_value, family_value_by_subsets
from strategies import families


def random_family(seed, *, weighted):
    rng = np.random.default_rng(seed)
    sets = rng.random((8, 20)) < 0.25
    sets[:, 0] |= ~sets.any(axis=1)
    weights = rng.integers(1, 9, 8) / 8 if weighted else np.ones(8)
    return MissFamily(sets=sets, weights=weights, mass=rng.dirichlet(np.full(21, 0.5), 2)[:, :20])


# Families with the draws of their agents; the last has a set that one agent always sees.
FAMILIES = {
    "coupons": (MissFamily(sets=np.eye(6, dtype=bool), weights=np.ones(6), mass=np.full((1, 6), 1 / 6)), [14]),
    "random": (random_family(1, weighted=False), [10, 4]),
    "random-weights": (random_family(2, weighted=True), [7, 9]),
    "random-weights-rarely": (random_family(3, weighted=True), [60, 50]),
    "few-draws": (random_family(4, weighted=True), [1, 1]),
    "nested-weights": (
        MissFamily(sets=np.tri(4, dtype=bool), weights=np.array([0.1, 0.4, 0.7, 1.0]), mass=np.full((1, 4), 0.2)),
        [5],
    ),
    "always-seen": (
        MissFamily(
            sets=np.array([[1, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=bool),
            weights=np.ones(3),
            mass=np.array([[0.3, 0.3, 0.4], [0.2, 0.1, 0.1]]),
        ),
        [1, 3],
    ),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("family", "m"), FAMILIES.values(), ids=FAMILIES)
def test_unbiased_within_four_standard_errors(family, m, seed):
    truth = family_value_by_subsets(family.sets.tolist(), family.weights.tolist(), family.mass.tolist(), m)
    found = estimate(family, np.array(m, dtype=float), draws=8_000, rng=np.random.default_rng(seed))
    assert abs(found.value - truth) <= 4 * found.standard_error + 1e-12
    assert found.low - 1e-12 <= truth <= found.high + 1e-12
    assert found.standard_error < 0.05 * truth


def test_the_standard_error_is_the_spread_over_repetitions():
    family, m = FAMILIES["random-weights"]
    rng = np.random.default_rng(0)
    found = [estimate(family, np.array(m, dtype=float), draws=100, rng=rng) for _ in range(300)]
    assert np.std([entry.value for entry in found]) == pytest.approx(
        np.mean([entry.standard_error for entry in found]), rel=0.15
    )


def test_a_failure_of_one_in_a_hundred_million_needs_no_more_draws():
    family = MissFamily(sets=np.eye(10, dtype=bool), weights=np.ones(10), mass=np.full((1, 10), 0.1))
    truth = float(coupons_left(10, 200))
    found = estimate(family, np.array([200.0]), draws=2_000, rng=np.random.default_rng(0))
    assert 0 < truth < 1e-8
    assert found.value == pytest.approx(truth, rel=0.01)


@given(families(), st.integers(0, 100))
@settings(max_examples=60)
def test_the_interval_covers(family, seed):
    truth = float(family_value(family.sets, family.weights, family.mass, family.m))
    m = np.array(family.m, dtype=float)
    found = estimate(MissFamily(**family.arrays), m, draws=300, rng=np.random.default_rng(seed))
    assert found.low - 1e-12 <= truth <= found.high + 1e-12
    assert found.low <= found.value <= found.high + 1e-12


def test_the_confidence_widens_the_interval():
    family, m = FAMILIES["random"]
    widths = []
    for confidence in (0.9, 0.999, 0.999999):
        found = estimate(
            family, np.array(m, dtype=float), draws=500, rng=np.random.default_rng(0), confidence=confidence
        )
        widths.append(found.high - found.low)
    assert widths[0] < widths[1] < widths[2]


def test_what_cannot_be_missed_takes_no_draws():
    family = MissFamily(sets=np.ones((1, 2), dtype=bool), weights=np.ones(1), mass=np.array([[0.5, 0.5]]))
    found = estimate(family, np.array([1.0]), draws=10, rng=np.random.default_rng(0))
    assert (found.low, found.value, found.high) == (0, 0, 0)


def test_the_generator_alone_decides():
    family, m = FAMILIES["random"]
    once, again, other = (
        estimate(family, np.array(m, dtype=float), draws=50, rng=np.random.default_rng(seed)).value
        for seed in (0, 0, 1)
    )
    assert once == again != other
