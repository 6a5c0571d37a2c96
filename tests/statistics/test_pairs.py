import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.statistics import kernels
from fedpact.statistics.bounds import union_below
from fedpact.statistics.pairs import bound_above, bound_below, tree_bound
from oracle import answer
from strategies import cases
from uncompiled import uncompile


def pair_bounds(p, p_pairs, weights, m, *, is_binary):
    low = bound_below(p, p, p_pairs, weights, m, is_binary=is_binary)
    return low, bound_above(p, p, p_pairs, weights, m)


def rates_of(case):
    instance, H = case.instance, range(len(case.instance.labels))
    return [[[instance.rate(i, h, g) for g in H] for h in H] for i in range(case.k)]


def pairwise(case, rates, truth, agent):
    """What reports tell about one truth: rates, rates of pairs, weights of the hypotheses that matter."""
    p = np.array(rates, dtype=float)
    if case.objective == "pac":
        weights = np.array([rate > case.instance.epsilon[agent] for rate in rates[agent][truth]], dtype=float)
    else:
        weights = p[agent, truth]
    some = np.flatnonzero(weights)
    return p[:, truth, some], p[:, some][:, :, some], weights[some]


def check_contains(case, *, is_binary):
    expected = answer(case.instance, case.m).by_truth(case.objective)
    m, rates = np.array(case.m, dtype=float), rates_of(case)
    for truth, row in enumerate(expected):
        for agent, value in enumerate(row):
            p, p_pairs, weights = pairwise(case, rates, truth, agent)
            if len(weights):
                low, high = pair_bounds(p, p_pairs, weights, m, is_binary=is_binary)
                assert 0 <= low <= high + 1e-12
                assert high <= 1
                assert low - 1e-12 <= value <= high + 1e-12


@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=100)
def test_any_number_of_classes(objective, data):
    check_contains(data.draw(cases("table", objective)), is_binary=False)


@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=100)
def test_two_classes(objective, data):
    check_contains(data.draw(cases("table", objective, most_classes=2)), is_binary=True)


# Three labels at one point of mass 2/5: one draw misses it, and with it both hypotheses, with probability 3/5.
ONE_POINT = {
    "p": np.array([[0.4, 0.4]]),
    "p_pairs": np.array([[[0, 0.4], [0.4, 0]]]),
    "weights": np.ones(2),
    "m": np.ones(1),
}


@pytest.mark.parametrize(("is_binary", "low"), [(True, 0.8), (False, 0.6)], ids=["two-classes", "three-classes"])
def test_half_the_sum_of_the_rates_is_the_union_for_two_classes_only(is_binary, low):
    """Two sets of two points that share one have the same rates; there the failure is 4/5."""
    assert pair_bounds(**ONE_POINT, is_binary=is_binary) == pytest.approx((low, 0.8))


@pytest.mark.parametrize(("n_classes", "low"), [(2, 0.8), (3, 0.6)])
def test_reports_say_how_many_classes_there_are(n_classes, low):
    report = fp.Report(name="a", n=5, n_classes=n_classes, counts=np.array([2, 2, 2]))
    fed = fp.Federation.from_reports([report], epsilon=0.1, delta=0.1)
    interval = fp.verify(fed, [1]).failure["a"]
    assert (interval.low, interval.high) == pytest.approx((low, 0.8))


def test_nested_sets_leave_the_likeliest_miss_alone():
    p = np.array([[0.1, 0.2, 0.3]])
    p_pairs = np.abs(p[:, :, None] - p[:, None, :])
    assert pair_bounds(p, p_pairs, np.ones(3), np.array([4.0]), is_binary=True) == pytest.approx((0.9**4, 0.9**4))


def test_the_tree_links_what_is_missed_together():
    """Three sets in a row: 1 and 2 overlap, 2 and 3 overlap, 1 and 3 are disjoint."""
    p, m = np.array([[0.2, 0.2, 0.2]]), np.array([3.0])
    p_pairs = np.array([[[0, 0.2, 0.4], [0.2, 0, 0.2], [0.4, 0.2, 0]]])
    assert bound_above(p, p, p_pairs, np.ones(3), m) == pytest.approx(3 * 0.8**3 - 2 * 0.7**3)


@pytest.mark.parametrize("seed", range(5))
def test_dawson_and_sankoff_with_their_best_number(seed):
    """2 S1 / (r + 1) - 2 S2 / (r (r + 1)) is a lower bound for every r; the best of them is taken."""
    rng = np.random.default_rng(seed)
    q = rng.random(6)
    both = np.minimum.outer(q, q) * rng.uniform(0.2, 1.0)
    np.fill_diagonal(both, q)
    s1, s2 = q.sum(), (both.sum() - q.sum()) / 2
    assert union_below(q, both) >= max(2 * s1 / (r + 1) - 2 * s2 / (r * (r + 1)) for r in range(1, 7)) - 1e-12


def sum_tree_slowly(q, both, weights):
    """Grow the tree from masks: of the largest weight that waits, the best linked, then the likeliest."""
    total, link, waiting = 0.0, np.zeros(len(q)), np.ones(len(q), dtype=bool)
    for _ in q:
        level = waiting & (weights == weights[waiting].max())
        taken = int(np.argmax(np.where(level, link + 1e-300 * q, -1.0)))
        total += weights[taken] * (q[taken] - link[taken])
        waiting[taken] = False
        link = np.maximum(link, np.minimum(both[taken], q))
    return total


@pytest.mark.parametrize("kind", ["compiled", "as written"])
@given(seed=st.integers(0, 2**32), s=st.integers(1, 12), levels=st.integers(1, 4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_tree_is_the_one_that_masks_grow(monkeypatch, kind, seed, s, levels):
    if kind == "as written":
        uncompile(monkeypatch, kernels)
    rng = np.random.default_rng(seed)
    q, both = rng.integers(0, 9, s) / 8, rng.integers(0, 9, (s, s)) / 8
    weights = -np.sort(-rng.integers(1, levels + 1, s) / levels)
    assert tree_bound(q, np.maximum(both, both.T), weights) == sum_tree_slowly(
        q, np.maximum(both, both.T), weights
    )
