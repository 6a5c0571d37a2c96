"""The cost game against the brute-force grid, its bounds, and groups without a plan."""

import math

import pytest

import fedpact as fp
from cost_games import brute_values, capped, small_question
from fedpact.coalition.cost_game import CostGame


@pytest.mark.parametrize("seed", range(40))
def test_values_are_those_of_the_grid(seed):
    options = [("per-agent", "pac"), ("joint", "pac"), ("per-agent", "expected")][seed % 3]
    question = small_question(seed, guarantee=options[0], objective=options[1])
    values = brute_values(question)
    if values is None:
        pytest.skip("the grid is too large, or there is no plan for all")
    game = CostGame(question.build())
    for group, cost in values.items():
        assert game.lower_bound(group) <= cost * (1 + 1e-9)
        assert game.value(group).cost == pytest.approx(cost), group
        assert game.value(group).is_proved
        assert game.lower_bound(group) == pytest.approx(cost)


def test_few_seeds_are_skipped():
    assert sum(brute_values(small_question(seed)) is None for seed in range(12)) <= 3


def test_a_group_whose_capacities_are_too_small_has_no_plan():
    game = CostGame(capped([13, None]))
    assert (game.value((0,)).cost, game.value((0,)).lower_bound) == (math.inf, math.inf)
    assert "'alice' still misses" in game.value((0,)).reason
    assert game.value((1,)).cost == 14


def test_no_plan_found_is_no_proof_that_there_is_none():
    game = CostGame(capped([14, 14]), "lp")
    value = game.value((0,))
    assert value.cost == math.inf
    assert 0 < value.lower_bound <= 14
    assert not value.is_proved
    assert "method 'lp' cannot prove" in value.reason


def test_a_value_is_planned_for_once_and_counted():
    seen = []
    game = CostGame(capped([None, None]), tell=seen.append)
    game.lower_bound((0,))
    assert (game.planned, game.looked_at) == (0, 1)
    assert game.value((0,)) is game.value((0,))
    assert game.total == 5
    assert (game.planned, game.looked_at, seen) == (2, 2, [1, 2])


def test_all_together_without_a_plan_is_an_error():
    with pytest.raises(fp.InfeasibleError):
        CostGame(capped([1, 1])).value((0, 1))
