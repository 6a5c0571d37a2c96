import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.planning.tradeoff import tradeoff


def all_seen(m):
    """Probability that m uniform draws see all of four points."""
    return 1 - 4 * 0.75**m + 6 * 0.5**m - 4 * 0.25**m + 0.0**m


def best_at(benefit, rate, cost=lambda m: m, most=400):
    counts = np.arange(most)
    utility = benefit(counts) - rate * cost(counts)
    return np.flatnonzero(utility >= utility.max() - 1e-12)


def test_B8_no_rate_explains_the_threshold_of_an_s_shaped_curve():
    found = tradeoff(all_seen, 5)
    assert found.status is fp.planning.TradeoffStatus.NONE
    assert found.rate is None
    assert found.highest == pytest.approx(0.234375 / 5)
    assert all(5 not in best_at(all_seen, rate) for rate in np.linspace(0, 0.3, 3001))


@pytest.mark.parametrize("m", range(9, 40))
def test_where_returns_diminish_some_rate_does(m):
    found = tradeoff(all_seen, m)
    assert found.status is fp.planning.TradeoffStatus.EXISTS
    for rate in (found.lowest, found.rate, found.highest):
        assert m in best_at(all_seen, rate)
    for rate in (found.lowest * 0.99, found.highest * 1.01):
        assert m not in best_at(all_seen, rate)


@given(values=st.lists(st.integers(0, 20), min_size=2, max_size=8), data=st.data())
def test_random_curves_against_every_rate(values, data):
    steps = np.sort(np.array(values)) / 20
    m = data.draw(st.integers(0, len(steps) - 1))

    def benefit(count):
        return steps[np.minimum(count, len(steps) - 1)]

    found = tradeoff(benefit, m, ceiling=steps[-1])
    chords = {(benefit(a) - benefit(b)) / (a - b) for a in range(12) for b in range(a)}
    explained = {rate for rate in chords if m in best_at(benefit, rate, most=20)}
    assert bool(explained) == (found.status is fp.planning.TradeoffStatus.EXISTS)
    for rate in explained:
        assert found.lowest - 1e-9 <= rate <= found.highest + 1e-9


def test_convex_costs():
    found = tradeoff(lambda m: 1 - 0.5**m, 2, cost={"quadratic": [1, 1]})
    curve = fp.costs.Quadratic(1, 1)
    assert 2 in best_at(lambda m: 1 - 0.5**m, found.rate, cost=curve)


def test_nothing_is_explained_by_any_large_rate():
    found = tradeoff(lambda m: 1 - 0.5**m, 0)
    assert (found.lowest, found.highest) == (0.5, np.inf)
    assert found.to_dict()["highest"] is None


def test_a_curve_at_its_ceiling_needs_no_larger_contribution():
    found = tradeoff(lambda m: np.minimum(m, 3) / 3, 3)
    assert (found.lowest, found.larger) == (0, None)


@pytest.mark.parametrize(
    ("benefit", "m", "message"),
    [
        pytest.param(all_seen, -1, "whole number", id="negative"),
        pytest.param(all_seen, 1.5, "whole number", id="half a sample"),
        pytest.param(lambda m: m * np.nan, 3, "finite", id="not a number"),
        pytest.param(lambda m: 2 + m, 3, "ceiling", id="above its ceiling"),
    ],
)
def test_malformed(benefit, m, message):
    with pytest.raises(fp.FederationError, match=message):
        tradeoff(benefit, m)


def test_beyond_what_is_looked_at_the_ceiling_decides(monkeypatch):
    """A curve that is worth 1/2 up to a jump that is never looked at."""
    monkeypatch.setattr(sys.modules["fedpact.planning.tradeoff"], "_MOST", 500)
    found = tradeoff(lambda m: np.where(m < 1, 0.0, 0.5), 1)
    assert found.larger is None
    assert 0.5 / 2000 < found.lowest < 0.5 / 500
    assert found.highest == 0.5
