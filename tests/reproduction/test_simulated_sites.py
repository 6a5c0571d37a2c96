import numpy as np
import pytest

import fedpact as fp
from reproduction.simulate_contributions import find_critical_counts
from reproduction.simulated_sites import simulate_sites

LABELS = [[0, 0, 0, 1], [0, 1, 0, 1], [1, 1, 0, 0]]
MASSES = [[0.1, 0.2, 0.3, 0.4], [0.7, 0, 0.3, 0], [0, 0.5, 0.2, 0.3]]


@pytest.fixture
def sites():
    fed = fp.Federation.from_table(LABELS, MASSES, epsilon=0.1, delta=0.1)
    return simulate_sites(fed, np.random.default_rng(0))


def test_masses_are_whole_and_rates_follow_from_them(sites):
    assert sites.mass.sum(axis=1) == pytest.approx(1)
    assert sites.mass @ sites.differ == pytest.approx(sites.rates, abs=1e-6)
    assert sites.rates[0] == pytest.approx([0.2, 0.7, 0.5])


def test_counts_have_the_mean_and_spread_of_draws(sites):
    counts = sites.draw_counts(sites.mass[0], m=50, sites=20_000)
    assert counts.mean(axis=0) == pytest.approx(50 * sites.rates[0], abs=0.15)
    assert counts.var(axis=0) == pytest.approx(50 * sites.rates[0] * (1 - sites.rates[0]), rel=0.05)
    assert (counts == np.rint(counts)).all()
    assert (counts[:, 0] + counts[:, 2] == counts[:, 1]).all()  # h1, h2 and h3 lie on a line


def test_the_farthest_agent_differs_most_in_some_pair(sites):
    assert [sites.find_farthest(agent) for agent in range(3)] == [2, 2, 1]


def test_sites_are_counted_across_blocks(sites, monkeypatch):
    found = find_critical_counts(sites.rates[0], 20, 0.05).are_suspicious
    monkeypatch.setattr("reproduction.simulated_sites._BLOCK", 30)
    assert sites.count_flagged(found, sites.mass[1], 20, 101) == 101
    assert sites.count_flagged(found, sites.mass[0], 20, 101) < 20
