"""Simulated sites of a federation: false alarms within the level, lies caught as often as is proved."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import fedpact as fp
from binomials import largest_cutoff, mass, region
from reproduction.simulate_contributions import simulate_contributions

ALICE = fp.examples.alice_bob().restrict(["alice"])


def simulate(fed=None, *, seed=3, **asked):
    options = {"m": 40, "lies": [0.5, 1.0], "level": 0.05, "sites": 10_000, "lying_sites": 1000} | asked
    return simulate_contributions(fed or fp.examples.alice_bob(), rng=np.random.default_rng(seed), **options)


def test_honest_sites_are_flagged_within_the_level():
    for m in (5, 40):
        rows = simulate(m=m)["honest"]
        assert [(row["agent"], row["m"], row["sites"]) for row in rows] == [
            (agent, m, 10_000) for agent in ("alice", "bob")
        ]
        for row in rows:
            assert 0 < row["flagged"] <= binom.isf(1e-9, row["sites"], row["false_alarm"])
            assert row["false_alarm"] <= 0.05


def test_lying_sites_are_caught_at_least_as_often_as_is_proved():
    rows = simulate()["lying"]
    assert [(row["agent"], row["other"]) for row in rows] == [("alice", "bob")] * 2 + [("bob", "alice")] * 2
    assert all(row["flagged"] >= binom.ppf(1e-9, row["sites"], row["caught"]) for row in rows)
    assert [row["flagged"] for row in rows if row["lie"] == 1.0] == [1000, 1000]


def test_the_bound_is_the_most_telling_pair_s():
    """Alice's pairs differ at 1/5, 4/5 or 1; she sends Bob's data, and those at 1/5 and 4/5 change places."""
    seen = simulate(m=8, lies=[1], level=0.01, sites=10)["lying"]
    reported = [Fraction(1, 5), Fraction(4, 5), Fraction(1)] * 2
    bad = region(8, Fraction(1, 5), largest_cutoff(8, reported, 0.01))
    assert seen[0]["caught"] == pytest.approx(float(sum(mass(8, x, Fraction(4, 5)) for x in bad)))


def test_the_same_generator_gives_the_same_sites():
    assert simulate(seed=5, sites=200) == simulate(seed=5, sites=200) != simulate(seed=6, sites=200)


def test_one_agent_alone_may_be_honest():
    seen = simulate(ALICE, lies=[], sites=100)
    assert (len(seen["honest"]), seen["lying"]) == (1, [])


def test_sites_need_points_to_draw_and_hypotheses_that_differ():
    reports = [fp.Report(name=name, n=4, n_classes=2, counts=np.array([1])) for name in "ab"]
    by_reports = fp.Federation.from_reports(reports, epsilon=0.1, delta=0.1)
    same = fp.Federation.from_table([[0, 1]], [[0.5, 0.5], [1, 0]], epsilon=0.1, delta=0.1)
    for fed, said in ((by_reports, "it is by reports"), (same, "at least two hypotheses that differ")):
        with pytest.raises(fp.FederationError, match=said):
            simulate(fed)
