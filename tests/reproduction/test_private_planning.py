"""From private points to a plan: every stage against what it is made of."""

from dataclasses import replace

import numpy as np
import pytest

import fedpact as fp
from reproduction.data.private_points import Labelled, SiteData
from reproduction.private_planning import plan_privately
from reproduction.train_candidates import predict, train

pytest.importorskip("sklearn")
EPSILON = [0.2, 0.4]


def draw_sites(sizes, rng):
    """Two features, ill where their sum is large; every site lies elsewhere."""

    def draw(n, center):
        points = rng.normal(center, 1.0, size=(n, 2))
        return Labelled(points, (points.sum(axis=1) > 0).astype(np.int64))

    private = {f"s{place}": draw(n, place - 1.0) for place, n in enumerate(sizes)}
    return SiteData(name="drawn", public=draw(60, 0.0), private=private)


DATA = draw_sites((40, 60, 50), np.random.default_rng(1))


def run(data=DATA, **asked):
    options = {
        "candidates": 24,
        "epsilon": EPSILON,
        "delta": 0.05,
        "confidence": 0.95,
        "method": "tree",
        "seed": 3,
    }
    return plan_privately(data, **options | asked)


@pytest.fixture(scope="module")
def large():
    return run()


@pytest.fixture(scope="module")
def small():
    return run(candidates=8)


@pytest.fixture(scope="module")
def labels():
    trained = train(*DATA.public, count=24, seed=3)
    return {site: predict(trained, own.points).labels for site, own in DATA.private.items()}


def costs(seen):
    return {(one["epsilon"], one["confidence"]): one["plan"]["cost"] for one in seen["plans"]}


def test_the_reports_are_of_the_sites_own_points(large, labels):
    fed = fp.Federation.from_predictions(labels, epsilon=0.2, delta=0.05)
    assert (large["H"], large["H_different"]) == (24, fed.H)
    assert [(site["name"], site["points"]) for site in large["sites"]] == [("s0", 40), ("s1", 60), ("s2", 50)]
    assert all(site["report_bytes"] > 276 for site in large["sites"])
    errors = [(labels[site] != own.labels).sum(axis=1) for site, own in DATA.private.items()]
    assert large["least_error"] == pytest.approx(min(sum(errors)) / 150)


def test_plans_meet_the_targets_on_the_points_themselves(large, labels):
    """What is planned from counts alone holds for the points, which only this test looks at."""
    for one in large["plans"]:
        plan = one["plan"]
        fed = fp.Federation.from_predictions(labels, epsilon=one["epsilon"], delta=0.05)
        assert fp.verify(fed, plan["contributions"], how="bounds").is_feasible
        assert one["settlement"]["payments"] == {site: float(m) for site, m in plan["contributions"].items()}
        assert all(one["alone"][site] >= need for site, need in fp.game.standalone(fed).items())
        assert plan["cost"] == sum(plan["contributions"].values()) >= plan["lower_bound"]
        if one["confidence"] is None:
            assert plan["lower_bound"] <= fp.plan(fed, "auto").cost <= plan["cost"]


def test_confidence_costs_and_so_does_a_larger_class(large, small):
    for epsilon in EPSILON:
        assert costs(large)[epsilon, None] <= costs(large)[epsilon, 0.95]
        assert costs(small)[epsilon, 0.95] <= costs(large)[epsilon, 0.95]
    assert [one["plan"]["confidence"] for one in large["plans"]] == [None, 0.95] * 2


def test_the_same_seed_gives_the_same_plans():
    first, second, other = (run(candidates=6, epsilon=[0.3], seed=seed)["plans"] for seed in (5, 5, 6))
    assert first == second != other


def test_sites_with_few_points_are_planned_for_without_capacities(small):
    few = draw_sites((4, 5), np.random.default_rng(2))
    sure = run(few, candidates=12, epsilon=[0.1], seed=0)["plans"][1]
    assert not sure["has_capacities"]
    assert any(sure["plan"]["contributions"][site] > n for site, n in few.sizes.items())
    for one in small["plans"]:
        within = all(one["plan"]["contributions"][site] <= n for site, n in DATA.sizes.items())
        assert within or not one["has_capacities"]
    assert small["plans"][2]["has_capacities"]


def test_no_stage_that_plans_looks_at_private_labels(large):
    hidden = {site: Labelled(own.points, 1 - own.labels) for site, own in DATA.private.items()}
    again = run(replace(DATA, private=hidden))
    assert again["plans"] == large["plans"]
    assert again["least_error"] != large["least_error"]
