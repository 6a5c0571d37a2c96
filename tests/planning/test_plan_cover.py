"""Plans for infinite classes, verified on every labelling of the points."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.explain import explain
from refusals import check_refused

RNG = np.random.default_rng(7)
POINTS = {
    "thresholds": {"alice": RNG.normal(size=60), "bob": RNG.normal(1, 1, size=40)},
    "intervals": {"alice": RNG.normal(size=20), "bob": RNG.normal(1, 1, size=20)},
    "stumps": {"alice": RNG.normal(size=(30, 2)), "bob": RNG.normal(1, 1, size=(24, 2))},
    "rectangles": {"alice": RNG.normal(size=(30, 1)), "bob": RNG.integers(0, 3, size=(40, 1))},
    "halfspaces": {"alice": RNG.integers(0, 3, size=(24, 2)), "bob": RNG.normal(1, 1, size=(9, 2))},
}


def check_cover_plan(points, class_name, found, **options):
    """Verify against every labelling of the points; trusts nothing that the plan says."""
    fed = fp.Federation.from_points(points, class_name, guarantee="joint", **options)
    assert fp.verify(fed, found.m).is_feasible
    assert found.cost == pytest.approx(fed.cost_of(found.m))
    assert found.fractional_cost <= found.cost + 1e-6
    assert list(found.contributions) == list(points)


@pytest.mark.parametrize("gamma", [None, 0.0, 0.1])
@pytest.mark.parametrize("class_name", POINTS)
def test_plans_meet_every_target_jointly(class_name, gamma):
    options = {"epsilon": [0.7, 0.75], "delta": 0.2, "cost": {"alice": 1, "bob": 1.5}}
    found = fp.planning.plan_cover(POINTS[class_name], class_name, gamma=gamma, **options)
    check_cover_plan(POINTS[class_name], class_name, found, **options)
    is_whole = gamma != 0.1
    assert (found.radius == 0) == is_whole
    assert (found.samples_per_region == 1) == is_whole
    whole, part = fp.planning.CoverPlanStatus.ENUMERATED, fp.planning.CoverPlanStatus.COVERED
    assert found.status is (whole if is_whole else part)


@given(
    own=st.lists(st.lists(st.integers(0, 40), min_size=8, max_size=40), min_size=1, max_size=2),
    epsilon=st.sampled_from((0.35, 0.5, 0.8)),
    delta=st.sampled_from((0.05, 0.3)),
)
@settings(max_examples=40)
def test_plans_for_thresholds_meet_every_target_jointly(own, epsilon, delta):
    points = {f"agent-{i}": values for i, values in enumerate(own)}
    found = fp.planning.plan_cover(points, epsilon=epsilon, delta=delta, gamma=epsilon / 7)
    check_cover_plan(points, "thresholds", found, epsilon=epsilon, delta=delta)


def test_every_labelling_gives_the_paper_s_plan():
    points = POINTS["thresholds"]
    found = fp.planning.plan_cover(points, epsilon=0.1, delta=0.05)
    fed = fp.Federation.from_points(points, epsilon=0.1, delta=0.05, guarantee="joint")
    assert found.cover_size == fed.H
    assert found.fractional_cost == pytest.approx(fp.plan(fed, method="lp").fractional_cost)


def test_gamma_is_refined_where_that_helps():
    points = {"alice": np.arange(20_000), "bob": np.arange(10_000, 40_000)}
    found = fp.planning.plan_cover(points, epsilon=0.2, delta=0.1)
    assert found.status is fp.planning.CoverPlanStatus.COVERED
    costs = [fp.planning.plan_cover(points, epsilon=0.2, delta=0.1, gamma=0.2 / 7 / 2**t).cost for t in range(6)]
    assert found.cost == min(costs)
    assert found.cost < costs[0]


def test_a_finer_cover_may_fit_into_capacities_that_a_coarser_one_exceeds():
    options = {"epsilon": 0.2, "delta": 0.1}
    points = {"alice": np.arange(20_000), "bob": np.arange(10_000, 40_000)}
    free = fp.planning.plan_cover(points, **options)
    found = fp.planning.plan_cover(points, capacity=free.contributions, **options)
    assert found.contributions == free.contributions
    with pytest.raises(fp.InfeasibleError):
        fp.planning.plan_cover(points, capacity=free.contributions, gamma=0.2 / 7, **options)
    with pytest.raises(fp.InfeasibleError):
        fp.planning.plan_cover(points, capacity=1, **options)


def test_only_as_many_as_fit_are_tried(monkeypatch):
    points = {"alice": np.arange(20_000)}
    module = sys.modules[fp.planning.plan_cover.__module__]
    monkeypatch.setattr(module, "REFINE", 10)
    found = fp.planning.plan_cover(points, epsilon=0.2, delta=0.1)
    assert found.gamma == pytest.approx(0.2 / 7)
    monkeypatch.setattr(module, "most_members", lambda k: 10)
    with pytest.raises(fp.FederationError, match="has more than 10 hypotheses; raise gamma"):
        fp.planning.plan_cover(points, epsilon=0.2, delta=0.1)


def test_no_error_at_all_takes_every_labelling():
    found = fp.planning.plan_cover({"a": [1, 2, 3]}, epsilon=0, delta=0.1)
    assert found.status is fp.planning.CoverPlanStatus.ENUMERATED
    check_cover_plan({"a": [1, 2, 3]}, "thresholds", found, epsilon=0, delta=0.1)


def test_nothing_is_needed_where_nothing_is_bad():
    found = fp.planning.plan_cover(POINTS["thresholds"], epsilon=1, delta=0.1, gamma=0.1)
    assert found.status is fp.planning.CoverPlanStatus.NOTHING_NEEDED
    assert not found.m.any()
    assert found.cost == 0


def test_says_what_it_guarantees():
    found = fp.planning.plan_cover(POINTS["thresholds"], epsilon=0.5, delta=0.05)
    assert (found.guarantee, found.delta, found.hypotheses) == ("joint", 0.05, "thresholds")
    (promise,) = explain(found).sentences
    assert "Whichever of the thresholds is the truth, with probability at least 1 - 0.05" in promise


def test_capacities_that_are_too_small_name_the_agent_and_the_pair():
    points = {"alice": range(100), "bob": range(200, 300)}
    with pytest.raises(fp.InfeasibleError) as caught:
        fp.planning.plan_cover(points, epsilon=0.2, delta=0.1, gamma=0.02, capacity={"alice": 5, "bob": None})
    assert caught.value.agents == ("alice",)
    assert all(name in str(caught.value) for name in (*caught.value.pair, "alice"))
    enough = fp.planning.plan_cover(points, epsilon=0.2, delta=0.1, gamma=0.02)
    capacity = dict(enough.contributions)
    assert fp.planning.plan_cover(
        points, epsilon=0.2, delta=0.1, gamma=0.02, capacity=capacity
    ).m.tolist() == list(capacity.values())


BAD = [
    (({"a": range(9)}, "thresholds"), {"gamma": 0.05}, "gamma must be a seventh of the least"),
    (({"a": range(9)}, "thresholds"), {"delta": 0}, "delta must lie strictly between 0 and 1"),
    (({"a": range(300)}, "intervals"), {"gamma": 0}, "has more than 8,000 hypotheses; raise gamma"),
]


def test_refuses():
    for arguments, options, message in BAD:
        check_refused(message, fp.planning.plan_cover, *arguments, **{"epsilon": 0.1, "delta": 0.1, **options})
