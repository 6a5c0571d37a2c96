"""Misreports: valid claims of every kind, in turn, and a grid that leaves nothing out."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.audit.misreports import _take_turns, lies_of, list_grid
from fedpact.mechanism.claims import claims_of
from strategies import report_of

FED = fp.Federation.from_table(
    fp.planning.classes.all_labelings(3), [(0.6, 0.3, 0.1), (0.0, 0.5, 0.5)], cost=[1, 2], epsilon=0.1, delta=0.1
)
LABELS = {name: np.random.default_rng(seed).integers(0, 2, (4, 20)) for seed, name in enumerate("ab")}
REPORTED = fp.Federation.from_reports([report_of(*own) for own in LABELS.items()], epsilon=0.1, delta=0.1)


def take(fed, count, *, agent=0, private="data", thresholds=(), ceiling=math.inf):
    claims = claims_of(fed, private)
    duals = fp.plan(fed, "lp").duals
    rng = np.random.default_rng(0)
    found = lies_of(claims, agent, duals=duals, thresholds=thresholds, ceiling=ceiling, budget=count, rng=rng)
    return claims, list(itertools.islice(found, count))


@pytest.mark.parametrize("agent", [0, 1])
def test_masses_are_distributions_of_every_kind(agent):
    _, lies = take(FED, 600, agent=agent)
    assert {lie.deviation for lie in lies} == {"mixed", "scaled", "moved", "guided", "grid", "random"}
    for lie in lies:
        assert lie.claim.min() >= 0
        assert lie.claim.sum() == pytest.approx(1)


def test_a_few_reports_are_of_different_kinds():
    _, lies = take(FED, 6)
    assert len({lie.deviation for lie in lies}) >= 5


def test_the_grid_is_exhaustive_and_as_fine_as_fits():
    _, lies = take(FED, 300)
    tries = {tuple(np.round(lie.claim, 9)) for lie in lies if lie.deviation == "grid"}
    g = max(g for g in range(1, 40) if math.comb(g + 2, 2) <= 100)
    wanted = {
        tuple(np.round(np.array(m) / g, 9)) for m in itertools.product(range(g + 1), repeat=3) if sum(m) == g
    }
    assert tries == wanted


def test_guided_masses_go_where_hypotheses_differ_that_drive_the_cost():
    claims, lies = take(FED, 400)
    labels = dict(zip(FED.evidence.hypotheses, claims.table.labels, strict=True))
    regions = [labels[pair.truth] != labels[pair.hypothesis] for pair in fp.plan(FED, "lp").duals]
    guided = [lie.claim for lie in lies if lie.deviation == "guided"]
    assert len(regions) >= 2
    for region in regions:
        for level in (0.9, 2 * claims.of(0)[region].sum()):
            assert any(claim[region].sum() == pytest.approx(min(1, level)) for claim in guided)


def test_rates_become_reports_of_as_many_points():
    claims, lies = take(REPORTED, 200)
    assert {lie.deviation for lie in lies} == {"mixed", "scaled", "guided", "random"}
    for lie in lies:
        claimed = claims.federation({0: lie.claim}).evidence.reports
        assert claimed[0].n == 20
        assert claimed[1] is REPORTED.evidence.reports[1]


def test_costs_stay_above_zero_and_within_the_ceiling():
    _, lies = take(FED, 200, private="costs", thresholds=[1.7], ceiling=3.0)
    costs = [float(lie.claim[0]) for lie in lies]
    assert min(costs) > 0
    assert max(costs) <= 3
    assert any(cost == pytest.approx(1.7 * 1.001) for cost in costs)
    assert Counter(lie.deviation for lie in lies).keys() == {"scaled", "guided", "random"}


def test_kinds_take_turns_until_all_are_used_up():
    assert list(_take_turns([iter("ad"), iter("b"), iter("cef")])) == list("abcdef")


def test_the_grid_is_every_composition():
    grid = np.array(list(list_grid(4, 24)))
    assert len(grid) == math.comb(27, 3) == 2925
    assert len(np.unique(grid, axis=0)) == 2925
    assert grid.sum(axis=1) == pytest.approx(np.ones(2925))
