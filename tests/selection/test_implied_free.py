"""A plan's own draws, asked only where they matter: in the end the same candidates are left."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.selection.implied_free import PlannedDraws, draw_points


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([1, 3]))
def test_who_is_left_is_who_errs_least_on_all_draws(seed, is_realizable, batch):
    rng = np.random.default_rng(seed)
    said = [rng.integers(0, 3, (4, 6)) for _ in range(2)]
    labels = [own[1] for own in said] if is_realizable else [rng.integers(0, 4, 6) for _ in said]
    mass = [np.full(6, 1 / 6)] * 2
    draws = draw_points(np.array([4, 9]), mass, seed, with_replacement=np.full(2, bool(seed % 2)))
    plan, asked = PlannedDraws(said, draws, is_realizable=is_realizable), []
    while wanted := plan.draw(batch, np.full(2, 99), np.ones(2)):
        asked += wanted
        for site, point in wanted:
            plan.take(site, point)
        for site, point in wanted:
            plan.learn(site, point, int(labels[site][point]))
    mistakes = sum((said[site][:, point] != labels[site][point]).astype(int) for site, point in draws)
    assert plan.is_done
    assert plan.survivors.tolist() == np.flatnonzero(mistakes == mistakes.min()).tolist()
    assert len(asked) == len(set(asked)) <= len(set(draws))
    assert not is_realizable or batch > 1 or len(asked) <= 3


def test_points_of_a_sites_own_are_drawn_once_and_kinds_of_a_table_by_their_masses():
    mass = np.array([0.5, 0.5, 0.0])
    assert sorted(draw_points(np.array([7]), [mass], 0, with_replacement=np.array([False]))) == [(0, 0), (0, 1)]
    often = draw_points(np.array([1000]), [np.array([0.8, 0.2, 0.0])], 0, with_replacement=np.array([True]))
    drawn = [point for _, point in often]
    assert np.bincount(drawn, minlength=3) / 1000 == pytest.approx([0.8, 0.2, 0.0], abs=0.04)


def test_the_17_hospitals_pay_a_twelfth_of_their_plan():
    fed = fp.examples.arizona_hospitals()
    plan = fp.plan(fed, "tree")
    found = [fp.select(fed, truth, ask="implied-free", plan=plan) for truth in fed.hypotheses]
    assert {one.status.value for one in found} == {"certified"}
    assert np.mean([one.cost for one in found]) <= 7.39
    assert max(one.cost for one in found) <= 14.3
    assert max(one.labels for one in found) <= 16


def test_a_plan_for_more_than_there_is_cannot_be_kept_under_noise():
    said = {"a": np.random.default_rng(0).integers(0, 2, (3, 9))}
    fed = fp.Federation.from_predictions(said, epsilon=0.2, delta=0.1, noise=0.1)
    with pytest.raises(fp.FederationError, match="the plan asks for 500 labels of 9 points"):
        fp.Selector(fed, ask="implied-free", plan={"a": 500})
    with pytest.raises(fp.FederationError, match="the plan asks for 500 labels of 9 points"):
        fp.Selector(fed.replace(assume="realizable"), ask="implied-free", plan={"a": 500}, confidence=0.9)
    large = fp.Federation.from_predictions(
        {"a": np.random.default_rng(0).integers(0, 2, (3, 900))}, epsilon=0.2, delta=0.1, noise=0.1
    )
    assert fp.select(large, "h1", ask="implied-free").status == "certified"
    with pytest.raises(fp.FederationError, match="with noise the draws must be those of a plan by method 'lp'"):
        fp.Selector(large, ask="implied-free", plan={"a": fp.plan(large, "lp").contributions["a"] - 9})
    with pytest.raises(fp.FederationError, match="every sample of a table has a label of its own"):
        fp.Selector("alice-bob", noise=0.1, ask="implied-free", plan={"alice": 90, "bob": 90})


def test_a_plan_for_all_points_asks_each_once_and_finds_the_best():
    rng = np.random.default_rng(6)
    labels = rng.integers(0, 2, 30)
    says = [np.where(rng.random(30) < wrong, 1 - labels, labels) for wrong in (0.1, 0.3, 0.4, 0.5)]
    fed = fp.Federation.from_predictions({"north": says}, epsilon=0.05, delta=0.05, assume="agnostic")
    assert fp.plan(fed).m.tolist() == [30]
    errors = dict(zip(fed.hypotheses, np.mean(np.array(says) != labels, axis=1), strict=True))
    for seed in range(10):
        found = fp.select(fed, {"north": labels}, ask="implied-free", rng=seed)
        assert found.status == "certified"
        assert errors[found.chosen["north"]] == min(errors.values())
        assert found.labels <= (np.array(says) != says[0]).any(axis=0).sum()
