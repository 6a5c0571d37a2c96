"""The Shapley value against all orders of arrival."""

import numpy as np
import pytest

import fedpact as fp
from cost_games import brute_shapley, brute_values, given_game, groups_of, random_values, small_question
from fedpact.coalition.shapley import exact_shapley, sampled_shapley


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_random_games(seed, k):
    values = random_values(seed, k)
    found = exact_shapley(given_game(values, k))
    assert found.x == pytest.approx(brute_shapley(values, k))
    assert found.standard_error is None


@pytest.mark.parametrize("seed", range(12))
def test_federations(seed):
    question = small_question(seed)
    values = brute_values(question)
    if values is None or np.isinf(list(values.values())).any():
        pytest.skip("the grid is too large, or a group has no plan")
    split = fp.share(question.build(), rule="shapley")
    assert list(split.shares.values()) == pytest.approx(brute_shapley(values, len(question.cost)), abs=1e-9)


def test_drawn_orders_sum_to_the_total_and_come_within_their_errors():
    values = random_values(0, 5)
    exact = brute_shapley(values, 5)
    drawn = sampled_shapley(given_game(values, 5), 30, np.random.default_rng(1))
    assert drawn.x.sum() == pytest.approx(values[0, 1, 2, 3, 4])
    assert (drawn.standard_error > 0).all()
    assert (abs(drawn.x - exact) <= 4 * drawn.standard_error).all()
    assert not (abs(drawn.x - exact) <= 0.01 * drawn.standard_error).all()


def test_four_times_the_orders_halve_the_error():
    game = given_game(random_values(0, 5), 5)
    few, many = (sampled_shapley(game, orders, np.random.default_rng(1)) for orders in (100, 400))
    assert many.standard_error == pytest.approx(few.standard_error / 2, rel=0.3)


def test_two_orders_are_drawn_at_least():
    values = random_values(0, 5)
    drawn = sampled_shapley(given_game(values, 5), 0, np.random.default_rng(0))
    assert drawn.x.sum() == pytest.approx(values[0, 1, 2, 3, 4])
    assert np.isfinite(drawn.standard_error).all()


def test_a_group_without_a_plan_is_named():
    values = random_values(0, 3) | {(0, 2): np.inf}
    with pytest.raises(fp.InfeasibleError, match="'agent-1' with 'agent-3' cannot meet the targets") as raised:
        exact_shapley(given_game(values, 3))
    assert raised.value.agents == ("agent-1", "agent-3")


def test_who_adds_nothing_pays_nothing():
    values = {group: float(len(set(group) - {2})) ** 0.5 for group in groups_of(3)}
    assert exact_shapley(given_game(values, 3)).x == pytest.approx([0.5**0.5, 0.5**0.5, 0])
