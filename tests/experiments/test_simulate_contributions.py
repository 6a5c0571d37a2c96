"""Simulated sites of one's own federation: false alarms within the level, lies caught as often as is proved."""

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

import fedpact as fp
from binomials import largest_cutoff, mass, region
from fedpact.experiments.simulate_contributions import SimulationStatus, _judge, combine_simulations


@pytest.fixture(scope="module")
def small():
    steps = []
    seen = fp.experiments.simulate_contributions(
        fp.examples.alice_bob(),
        quotas=[5, 40],
        lies=[0.5, 1.0],
        level=0.05,
        rng=np.random.default_rng(3),
        progress=lambda done, total: steps.append((done, total)),
    )
    return seen, steps


def test_honest_sites_are_flagged_within_the_level(small):
    seen, _ = small
    assert [(row.agent, row.m, row.sites) for row in seen.honest] == [
        (agent, m, 10_000) for agent in ("alice", "bob") for m in (5, 40)
    ]
    for row in seen.honest:
        assert row.low <= row.flagged / row.sites <= row.high
        assert row.low <= row.false_alarm <= 0.05
        assert row.flagged <= binom.isf(1e-9, row.sites, row.false_alarm)
    assert all(row.flagged for row in seen.honest)
    assert seen.status in (fp.experiments.SimulationStatus.WITHIN, fp.experiments.SimulationStatus.NOT_ABOVE)


def test_lying_sites_are_caught_at_least_as_often_as_is_proved(small):
    seen, _ = small
    assert [(row.agent, row.other) for row in seen.lying] == [("alice", "bob")] * 4 + [("bob", "alice")] * 4
    for row in seen.lying:
        assert row.flagged >= binom.ppf(1e-9, row.sites, row.caught)
    assert [row.flagged for row in seen.lying if (row.m, row.lie) == (40, 1.0)] == [1000, 1000]


def test_the_bound_is_the_most_telling_pair_s():
    """Alice's pairs differ at 1/5, 4/5 or 1; she sends Bob's data, and those at 1/5 and 4/5 change places."""
    seen = fp.experiments.simulate_contributions(fp.examples.alice_bob(), quotas=[8], lies=[1], sites=10)
    reported = [Fraction(1, 5), Fraction(4, 5), Fraction(1)] * 2
    bad = region(8, Fraction(1, 5), largest_cutoff(8, reported, 0.01))
    assert seen.lying[0].caught == pytest.approx(float(sum(mass(8, x, Fraction(4, 5)) for x in bad)))


def test_progress_and_reading_back(small):
    seen, steps = small
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert fp.experiments.ContributionSimulation.from_dict(json.loads(json.dumps(seen.to_dict()))) == seen


def test_the_same_generator_gives_the_same_sites():
    options = {"quotas": [10], "lies": [0.5], "sites": 200, "lying_sites": 50}
    fed = fp.examples.alice_bob()
    again = [fp.experiments.simulate_contributions(fed, rng=np.random.default_rng(5), **options) for _ in range(2)]
    assert again[0] == again[1]
    assert fp.experiments.simulate_contributions(fed, rng=np.random.default_rng(6), **options) != again[0]


def test_parts_are_added_up_and_bounded_as_one():
    fed, options = fp.examples.alice_bob(), {"lies": [0.5], "sites": 300, "lying_sites": 60, "level": 0.05}
    parts = [
        fp.experiments.simulate_contributions(fed, quotas=[m], rng=np.random.default_rng(seed), **options)
        for m in (8, 20)
        for seed in (1, 2)
    ]
    seen = combine_simulations(parts, confidence=0.9)
    assert [(row.agent, row.m, row.sites) for row in seen.honest] == [
        (agent, m, 600) for m in (8, 20) for agent in ("alice", "bob")
    ]
    assert [row.sites for row in seen.lying] == [120] * 4
    assert seen.honest[2].flagged == parts[2].honest[0].flagged + parts[3].honest[0].flagged > 0
    assert seen.lying[1].flagged == parts[0].lying[1].flagged + parts[1].lying[1].flagged
    for row in seen.honest:
        # four rows share the error of 0.1, each on two sides
        assert binom.cdf(row.flagged, 600, row.high) == pytest.approx(0.1 / 8)
        assert row.low == 0 or binom.sf(row.flagged - 1, 600, row.low) == pytest.approx(0.1 / 8)
    assert combine_simulations(parts[:1]) == parts[0]


def test_simulated_shares_and_bounds_are_drawn(small):
    seen, _ = small
    (axes,) = seen.plot().axes
    assert [(line.get_label(), line.get_linestyle()) for line in axes.lines] == [
        ("5 samples", "-"),
        ("40 samples", "-"),
        ("5 samples, at least", "--"),
        ("40 samples, at least", "--"),
    ]
    assert axes.lines[1].get_ydata()[-1] == 1


@pytest.mark.parametrize(
    ("low", "high", "status"), [(0, 0.009, "WITHIN"), (0, 0.02, "NOT_ABOVE"), (0.011, 0.02, "ABOVE")]
)
def test_how_limits_are_judged(low, high, status):
    fine = fp.experiments.HonestSites(agent="a", m=1, sites=1, flagged=0, low=0.0, high=0.001, false_alarm=0.0)
    row = fp.experiments.HonestSites(agent="b", m=1, sites=1, flagged=0, low=low, high=high, false_alarm=0.0)
    assert _judge([fine, row], 0.01) is SimulationStatus[status]


ALICE = fp.examples.alice_bob().restrict(["alice"])
REPORTS = fp.Federation.from_reports(
    [fp.Report(name=name, n=4, n_classes=2, counts=np.array([1])) for name in "ab"], epsilon=0.1, delta=0.1
)
SAME = fp.Federation.from_table([[0, 1]], [[0.5, 0.5], [1, 0]], epsilon=0.1, delta=0.1)
BAD = {
    "one-agent": ({"fed": ALICE}, "fed must have at least two agents, to lie with another's data"),
    "reports": ({"fed": REPORTS}, "fed must be given by a table or by predictions, to draw from"),
    "one-hypothesis": ({"fed": SAME}, "fed must have at least two hypotheses that differ; it has 1"),
    "no-quotas": ({"quotas": []}, "quota must be at least one number of samples"),
    "a-quota": ({"quotas": [1.5]}, "quota must be a whole number >= 0; it is 1.5"),
    "a-lie": ({"lies": [2]}, "lies must be shares between 0 and 1; one is 2"),
    "sites": ({"sites": 0}, "sites must be 1 or more; it is 0"),
    "lying-sites": ({"lying_sites": 0}, "lying_sites must be 1 or more; it is 0"),
    "level": ({"level": 2}, "level must lie strictly between 0 and 1; it is 2"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_refuses(changes, message):
    with pytest.raises(fp.FederationError) as caught:
        fp.experiments.simulate_contributions(**{"fed": fp.examples.alice_bob(), **changes})
    assert message in str(caught.value)


def test_one_agent_alone_may_be_honest():
    seen = fp.experiments.simulate_contributions(ALICE, quotas=[10], lies=[], sites=100)
    assert (len(seen.honest), seen.lying) == (1, ())
