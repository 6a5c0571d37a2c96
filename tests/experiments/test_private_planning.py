"""From private points to a plan: every stage against what it is made of."""

import json
from dataclasses import replace

import numpy as np
import pytest

import fedpact as fp
from fedpact.experiments import private_planning as stages


def draw_sites(sizes, rng):
    """Two features, ill where their sum is large; every site lies elsewhere."""

    def draw(n, center):
        points = rng.normal(center, 1.0, size=(n, 2))
        return fp.experiments.Labelled(points, (points.sum(axis=1) > 0).astype(np.int64))

    private = {f"s{place}": draw(n, place - 1.0) for place, n in enumerate(sizes)}
    return fp.experiments.SiteData(name="drawn", public=draw(60, 0.0), private=private)


@pytest.fixture(scope="module")
def data():
    return draw_sites((40, 60, 50), np.random.default_rng(1))


@pytest.fixture(scope="module")
def seen(data):
    steps = []
    found = fp.experiments.plan_privately(
        data,
        candidates=[24, 8],
        epsilon=[0.2, 0.4],
        seed=3,
        progress=lambda done, total: steps.append((done, total)),
    )
    return found, steps


def test_the_reports_are_of_the_sites_own_points(data, seen):
    trained = fp.sites.train(*data.public, count=24, rng=3)
    run = seen[0].runs[0]
    labels = {site: trained.predict(own.points).labels for site, own in data.private.items()}
    fed = fp.Federation.from_predictions(labels, epsilon=0.2, delta=0.05)
    assert (run.H, run.H_different) == (24, fed.H)
    assert [(site.name, site.points) for site in run.sites] == [("s0", 40), ("s1", 60), ("s2", 50)]
    assert all(site.report_bytes > 276 for site in run.sites)
    errors = [(labels[site] != own.labels).sum(axis=1) for site, own in data.private.items()]
    assert run.least_error == pytest.approx(min(sum(errors)) / 150)


def test_plans_meet_the_targets_on_the_points_themselves(data, seen):
    """What is planned from counts alone holds for the points, which only this test looks at."""
    trained = fp.sites.train(*data.public, count=24, rng=3)
    labels = {site: trained.predict(own.points).labels for site, own in data.private.items()}
    for one in seen[0].runs[0].plans:
        fed = fp.Federation.from_predictions(labels, epsilon=one.epsilon, delta=0.05)
        assert fp.verify(fed, one.plan.m, how="bounds").is_feasible
        assert one.settlement.payments == {site: float(m) for site, m in one.plan.contributions.items()}
        assert all(one.alone[site] >= need for site, need in fp.game.standalone(fed).items())
        assert one.plan.cost == one.plan.m.sum() >= one.plan.lower_bound
        if one.confidence is None:
            assert one.plan.lower_bound <= fp.plan(fed, "auto").cost <= one.plan.cost


def test_confidence_costs_and_so_does_a_larger_class(seen):
    large, small = seen[0].runs
    for epsilon in (0.2, 0.4):
        assert large.at(epsilon, None).plan.cost <= large.at(epsilon, 0.95).plan.cost
        assert small.at(epsilon, 0.95).plan.cost <= large.at(epsilon, 0.95).plan.cost
    assert [one.plan.confidence for one in large.plans] == [None, 0.95] * 2


def test_progress_and_reading_back(seen):
    found, steps = seen
    assert steps[-1] == (40, 40)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert fp.experiments.PrivatePlanning.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_the_same_seed_gives_the_same_plans(data):
    again = [
        fp.experiments.plan_privately(data, candidates=6, epsilon=0.3, seed=seed).runs[0] for seed in (5, 5, 6)
    ]
    first, second, other = ([one.plan.to_dict() for one in run.plans] for run in again)
    assert first == second != other


def test_sites_with_few_points_are_planned_for_without_capacities():
    few = draw_sites((4, 5), np.random.default_rng(2))
    sure = fp.experiments.plan_privately(few, candidates=12, epsilon=0.1).runs[0].at(0.1, 0.95)
    assert not sure.has_capacities
    assert any(sure.plan.contributions[site] > n for site, n in few.sizes.items())


def test_enough_points_are_kept_to(seen, data):
    for one in seen[0].runs[1].plans:
        within = all(one.plan.contributions[site] <= n for site, n in data.sizes.items())
        assert within or not one.has_capacities
    assert seen[0].runs[1].at(0.4, None).has_capacities


def test_samples_with_and_without_confidence_are_drawn(seen):
    found = seen[0]
    (axes,) = found.plot().axes
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == ["s0", "s0, confident"]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths[::2] == list(found.runs[0].at(0.4, None).plan.contributions.values())
    assert widths[1::2] == list(found.runs[0].at(0.4, 0.95).plan.contributions.values())


def test_no_stage_that_plans_looks_at_private_labels(data, seen):
    hidden = {site: fp.experiments.Labelled(own.points, 1 - own.labels) for site, own in data.private.items()}
    again = fp.experiments.plan_privately(replace(data, private=hidden), candidates=24, epsilon=0.2, seed=3).runs[
        0
    ]
    assert again.at(0.2, 0.95).plan == seen[0].runs[0].at(0.2, 0.95).plan
    assert again.least_error != seen[0].runs[0].least_error


BAD = {
    "candidates": ({"candidates": 1}, "candidates must be 2 or more; it is 1"),
    "no-candidates": ({"candidates": []}, "candidates must be one value or several different ones; it is []"),
    "twice": ({"epsilon": [0.1, "0.1"]}, "epsilon must be one value or several different ones"),
    "epsilon": ({"epsilon": 2}, "epsilon must lie between 0 and 1; it is 2"),
    "delta": ({"delta": 0}, "delta must lie strictly between 0 and 1; it is 0"),
    "confidence": ({"confidence": 1}, "confidence must lie strictly between 0 and 1; it is 1"),
    "method": ({"method": "exact"}, "method"),
    "seed": ({"seed": -1}, "seed must be a whole number >= 0; it is -1"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_refuses_before_anything_is_trained(data, changes, message, monkeypatch):
    monkeypatch.setattr(stages, "train", None)
    with pytest.raises(fp.FederationError) as caught:
        fp.experiments.plan_privately(data, **changes)
    assert message in str(caught.value)
