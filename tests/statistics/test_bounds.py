"""Intervals around the exact value; one set missed and a few others seen, against draws followed in fractions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.describe.ties import exceeds
from fedpact.statistics import kernels
from fedpact.statistics.bounds import bound, count_work, lower_bound_from_subset, missed_alone, union_below
from fedpact.statistics.expansion import expand
from fedpact.statistics.misses import MissFamily, reduce_family
from oracle import family_value, family_value_by_subsets, seen_sets
from strategies import families
from uncompiled import uncompile


def reduced(family):
    return reduce_family(MissFamily(**family.arrays))


NEIGHBOURS = [0, 1, 2, 12]


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@given(families(), st.sampled_from([0, 300, 3000, 1e9]), st.sampled_from([1e-1, 1e-4, 0.0]))
@settings(max_examples=100)
def test_the_interval_holds_however_early_it_stops(neighbours, family, max_work, width):
    truth = float(family_value(family.sets, family.weights, family.mass, family.m))
    m = np.array(family.m, dtype=float)
    found = bound(reduced(family), m, width=width, max_work=max_work, neighbours=neighbours)
    assert 0 <= found.low <= found.high <= 1
    assert found.low - 1e-12 <= truth <= found.high + 1e-12


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@given(families(), st.fractions(0, 1))
@settings(max_examples=100)
def test_the_side_of_a_limit_is_found(neighbours, family, limit):
    truth = family_value(family.sets, family.weights, family.mass, family.m)
    m = np.array(family.m, dtype=float)
    found = bound(reduced(family), m, width=0.0, limit=float(limit), neighbours=neighbours)
    assert exceeds(found.low, limit) == exceeds(found.high, limit) == exceeds(float(truth), limit)


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("seed", range(4))
def test_the_interval_is_as_narrow_as_asked(seed, width, neighbours):
    """Nine sets over forty points, known by inclusion and exclusion."""
    rng = np.random.default_rng(seed)
    sets = rng.random((9, 40)) < 0.2
    mass = rng.dirichlet(np.ones(41), 2)[:, :40]
    weights = rng.integers(1, 5, 9) / 4 if seed % 2 else np.ones(9)
    m = np.array([6.0, 5.0])
    truth = family_value_by_subsets(sets.tolist(), weights.tolist(), mass.tolist(), [6, 5])
    found = bound(
        reduce_family(MissFamily(sets=sets, weights=weights, mass=mass)), m, width=width, neighbours=neighbours
    )
    assert found.high - found.low <= width
    assert found.low - 1e-12 <= truth <= found.high + 1e-12


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_more_nodes_never_hurt(neighbours):
    rng = np.random.default_rng(5)
    family = reduce_family(
        MissFamily(sets=rng.random((25, 60)) < 0.15, weights=np.ones(25), mass=rng.dirichlet(np.ones(60), 1))
    )
    each = family.sets.size + count_work(neighbours, 1)
    budgets = [nodes * each for nodes in (0, 100, 2_000, 20_000)]
    m = np.array([15.0])
    found = [bound(family, m, width=1e-9, max_work=budget, neighbours=neighbours) for budget in budgets]
    widths = [entry.high - entry.low for entry in found]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < widths[0]
    assert all(entry.work <= budget for entry, budget in zip(found, budgets, strict=True))


@given(families(), st.integers(0, 6))
@settings(max_examples=150)
def test_one_level_is_never_below_the_truth_and_exact_with_all_neighbours(family, neighbours):
    truth = float(family_value(family.sets, family.weights, family.mass, family.m))
    whole, m = MissFamily(**family.arrays), np.array(family.m, dtype=float)
    some, everything = (
        bound(whole, m, width=0.0, max_levels=1, neighbours=count) for count in (neighbours, len(family.sets))
    )
    assert some.high >= truth - 1e-12
    assert everything.high == pytest.approx(truth, abs=1e-9)


def test_more_neighbours_say_more_at_once():
    rng = np.random.default_rng(6)
    family = reduce_family(
        MissFamily(sets=rng.random((30, 90)) < 0.3, weights=np.ones(30), mass=rng.dirichlet(np.ones(90), 2))
    )
    m = np.array([4.0, 4.0])
    level = 30 * (family.sets.size + count_work(12, 2))
    first = [bound(family, m, max_work=level, neighbours=count) for count in (1, 4, 8, 12)]
    assert [one.high for one in first] == sorted((one.high for one in first), reverse=True)
    assert first[-1].high - first[-1].low < 0.5 * (first[0].high - first[0].low)


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_sets_that_differ_where_nobody_draws_are_one(neighbours):
    """What is missed together with a set that contains another was once left out of de Caen's sums."""
    sets = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool)  # C, A and B over x1, x2, y, z
    mass = np.array([[0.5, 0, 0, 0], [0, 0.5, 0, 0]])
    family, m = MissFamily(sets=sets, weights=np.ones(3), mass=mass), np.array([1.0, 1.0])
    for levels in (1, 5):
        found = bound(family, m, limit=0.76, neighbours=neighbours, max_levels=levels)
        assert found.low <= 0.75 + 1e-12
        assert found.high >= 0.75 - 1e-12


@given(families(most_sets=6, equal_weights=True), st.data())
@settings(max_examples=200)
def test_agents_that_give_nothing_make_points_alike(family, data):
    silent = data.draw(st.integers(0, len(family.m) - 1))
    m = tuple(0 if agent == silent else count for agent, count in enumerate(family.m))
    truth = float(family_value(family.sets, family.weights, family.mass, m))
    whole = MissFamily(**family.arrays)
    for neighbours in (0, 1):
        found = bound(whole, np.array(m, dtype=float), width=0.0, max_levels=1, neighbours=neighbours)
        assert found.low - 1e-12 <= truth <= found.high + 1e-12


def test_without_samples_everything_is_missed():
    family = MissFamily(sets=np.eye(3, dtype=bool), weights=np.array([0.5, 0.25, 0.25]), mass=np.full((2, 3), 0.3))
    found = bound(family, np.zeros(2))
    assert (found.low, found.high) == (0.5, 0.5)


def test_misses_that_hardly_ever_happen_may_seem_to_coincide_more_often():
    """From rates that are known within limits; any r is right in Dawson and Sankoff's bound."""
    low = union_below(np.full(2, 1e-300), np.array([[1e-300, 0.5], [0.5, 1e-300]]))
    assert 0 <= low <= 2e-300


def enumerate_alone(family, others):
    """Probability that the first set is missed and none of the others is."""
    elsewhere = [(*row, 1 - sum(row)) for row in family.mass]
    first, *rest = (sum(1 << x for x, inside in enumerate(row) if inside) for row in family.sets)
    seen = seen_sets(elsewhere, family.m).items()
    return sum(chance for at, chance in seen if not at & first and all(at & rest[one - 1] for one in others))


def ask(family, others):
    sets = np.array(family.sets, dtype=bool)
    near = np.array([list(others)], dtype=np.int64).reshape(1, len(others))
    union, mass = np.packbits(sets[:1], axis=1), np.array(family.mass, dtype=float)
    low, high = missed_alone(union, near, np.array([len(others)]), sets, mass, np.array(family.m))
    return float(low[0]), float(high[0])


@given(families(), st.data())
@settings(max_examples=300)
def test_the_limits_hold_the_truth_and_are_a_rounding_apart(family, data):
    others = data.draw(st.lists(st.integers(1, len(family.sets)), unique=True).map(
        lambda drawn: [one for one in drawn if one < len(family.sets)]
    ))  # fmt: skip
    low, high = ask(family, others)
    truth = enumerate_alone(family, others)
    assert low <= truth <= high
    assert high - low < 1e-12


@pytest.fixture(params=["compiled", "as written"])
def loops(request, monkeypatch):
    if request.param == "as written":
        uncompile(monkeypatch, kernels)


@pytest.mark.usefixtures("loops")
def test_nodes_have_their_own_numbers_of_others():
    sides, mass = np.eye(4, dtype=bool), np.full((1, 4), 0.25)
    union, near = np.packbits(sides[:3], axis=1), np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3]])
    low, high = missed_alone(union, near, np.array([0, 1, 3]), sides, mass, np.array([4]))
    assert (low + high) / 2 == pytest.approx([3**4 / 4**4, (3**4 - 2**4) / 4**4, (3 * 2**4 - 4 * 3) / 4**4 * 1.0])


def test_many_samples_widen_the_limits_and_keep_the_truth():
    """A point of mass 1e-6 after a million draws; rounding of masses counts a million times."""
    sets, mass = np.array([[True, False], [False, True]]), np.array([[1e-6, 0.5]])
    low, high = missed_alone(
        np.packbits(sets[:1], axis=1), np.array([[1]]), np.array([1]), sets, mass, np.array([10**6])
    )
    truth = np.exp(10**6 * np.log1p(-1e-6))
    assert low[0] <= truth <= high[0]
    assert high[0] - low[0] < 1e-8


@st.composite
def families(draw):
    sets, points, agents = draw(st.integers(1, 8)), draw(st.integers(1, 8)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    mass = rng.dirichlet(np.ones(points), size=agents)
    family = MissFamily(
        sets=rng.random((sets, points)) < 0.5, weights=rng.choice([0.25, 0.5, 1.0], size=sets), mass=mass
    )
    return reduce_family(family), rng.integers(0, 6, agents).astype(np.float64)


@given(families())
def test_fewer_sets_say_less_and_all_say_everything(case):
    family, m = case
    if not len(family.sets):
        return
    whole = expand(family).evaluate(m[None])[0]
    bounds = [lower_bound_from_subset(family, m, most) for most in range(1, len(family.sets) + 1)]
    assert bounds == pytest.approx(sorted(bounds))
    assert bounds[0] >= 0
    assert bounds[-1] == pytest.approx(whole)


def test_the_likeliest_sets_are_taken():
    family = MissFamily(
        sets=np.eye(3, dtype=bool), weights=np.ones(3), mass=np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    )
    assert lower_bound_from_subset(family, np.array([4.0, 0.0]), 1) == pytest.approx(0.9**4)
    assert lower_bound_from_subset(family, np.array([0.0, 4.0]), 1) == pytest.approx(0.9**4)
    assert lower_bound_from_subset(family, np.array([1.0, 4.0]), 1) == pytest.approx(0.8 * 0.9**4)
