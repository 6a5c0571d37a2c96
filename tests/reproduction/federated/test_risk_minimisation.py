"""Draws against the guarantee engine, and counts against counting one by one."""

import numpy as np
import pytest

import fedpact as fp
from reproduction.federated.risk_minimisation import (
    choose,
    count_mistakes,
    draw_places,
    find_best,
    simulate_misses,
    simulate_worst,
)
from reproduction.federated.sites import Points
from reproduction.simulated_sites import simulate_sites

DRAWS = 20_000


def make_points(rng, n, H=5, classes=3):
    labels = rng.integers(0, classes, n)
    return Points(labels, rng.integers(0, classes, (H, n)))


@pytest.fixture(scope="module")
def fed():
    rng = np.random.default_rng(5)
    common = rng.integers(0, 3, 60)
    said = np.where(rng.random((7, 60)) < 0.3, rng.integers(0, 3, (7, 60)), common)
    return fp.Federation.from_predictions({"a": said[:, :35], "b": said[:, 35:]}, epsilon=[0.1, 0.3], delta=0.05)


@pytest.mark.parametrize("m", [[3, 2], [10, 0], [0, 7], [12, 9]])
def test_shares_of_draws_are_the_exact_probabilities(fed, m):
    seen = fp.verify(fed, m, how="exact")
    shares = simulate_misses(fed, simulate_sites(fed, np.random.default_rng(0)), np.array(m), DRAWS)
    worst = simulate_worst(fed, simulate_sites(fed, np.random.default_rng(1)), np.array(m), DRAWS)
    for site, name in enumerate(fed.names):
        exact = seen.failure[name].value
        reach = 5 * np.sqrt(exact * (1 - exact) / DRAWS) + 1e-9
        assert abs(shares[site, fed.hypotheses.index(seen.worst_truth[name])] - exact) <= reach
        assert shares[site].max() <= exact + reach
        assert abs(worst[site] - exact) <= reach


def test_a_plan_keeps_delta_and_half_of_it_does_not(fed):
    m = fp.plan(fed, "exact").m
    assert (simulate_worst(fed, simulate_sites(fed, np.random.default_rng(0)), m, DRAWS) <= 0.055).all()
    assert simulate_worst(fed, simulate_sites(fed, np.random.default_rng(0)), m // 2, DRAWS).max() > 0.055


def test_mistakes_are_counted_and_the_first_of_the_best_is_chosen():
    rng = np.random.default_rng(0)
    own, m = [make_points(rng, 9), make_points(rng, 6)], np.array([4, 2])
    places = draw_places(own, np.array([5, 2]), 30, rng)
    assert [at.shape for at in places] == [(30, 5), (30, 2)]
    chosen = choose(own, places, m)
    for draw in range(30):
        mistakes = [
            sum(
                int(one.predictions[h, x] != one.labels[x])
                for one, at, count in zip(own, places, m, strict=True)
                for x in at[draw, :count]
            )
            for h in range(5)
        ]
        parts = [count_mistakes(one, at[:, :count])[draw] for one, at, count in zip(own, places, m, strict=True)]
        assert np.sum(parts, axis=0).tolist() == mistakes
        assert chosen[draw] == mistakes.index(min(mistakes))


def test_the_best_candidate_is_the_best_at_all_points_of_a_site():
    labels = np.zeros(4, dtype=np.int64)
    own = Points(labels, np.array([[0, 0, 0, 1], [0, 0, 1, 1]]))
    test = Points(labels, np.array([[1, 1, 1, 0], [0, 0, 0, 0]]))
    assert find_best(own, test) == 1
    assert find_best(own, own) == 0
