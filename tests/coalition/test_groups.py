"""Groups that would leave: all of them against brute force, and what a search among too many groups finds."""

import numpy as np
import pytest

from cost_games import given_game, groups_of, leaving_groups, random_values
from fedpact.coalition.cost_game import CostGame, Value
from fedpact.coalition.groups import GroupSearch
from noisy import noisy_federation


def search_of(game, max_groups=1, seed=0):
    return GroupSearch(game, max_groups, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(10))
def test_exactly_those_that_pay_more_than_by_themselves(seed):
    k = 2 + seed % 4
    values = random_values(seed, k, infinite=0.2)
    x = np.random.default_rng(seed).dirichlet(np.ones(k)) * values[tuple(range(k))]
    game = given_game(values, k)
    found = search_of(game).find_better_off(x)
    assert set(found) == leaving_groups(values, x)
    savings = [sum(x[list(group)]) - values[group] for group in found]
    assert savings == sorted(savings, reverse=True)
    assert search_of(game).is_proved_stable(x) == (not found)


def test_who_breaks_even_stays():
    values = {(0,): 3.0, (1,): 2.0, (0, 1): 5.0}
    game = given_game(values, 2)
    assert search_of(game).find_better_off(np.array([3 + 1e-9, 2 - 1e-9])) == []
    assert search_of(game).find_better_off(np.array([3.001, 1.999])) == [(0,)]


def test_stability_is_not_proved_by_a_plan_that_may_be_too_dear():
    values = {(0,): 3.0, (1,): 2.0, (0, 1): 4.0}
    x = np.array([2.5, 1.5])
    assert search_of(given_game(values, 2)).is_proved_stable(x)
    game = given_game(values, 2, bounds={(0,): 2.4})
    assert search_of(game).find_better_off(x) == []
    assert not search_of(game).is_proved_stable(x)


def test_a_lower_bound_saves_plans():
    game = CostGame(noisy_federation(0, H=5, k=4, n=12, delta=0.3))
    x = np.full(4, game.total / 4)
    assert search_of(game).find_better_off(x) == []
    assert game.planned < game.looked_at == 15


class Sparse(CostGame):
    """Thirteen agents who pay 1 each, but for one group that pays less; counts its plans."""

    def __init__(self, cheap):
        super().__init__(given_game(random_values(0, 1), 13).fed)
        self.cheap = cheap

    def _cost(self, group):
        return len(group) - 0.5 * max(0, len(set(group) & self.cheap) - 3) - 5.0 * (len(group) == 13)

    def _plan_group(self, group):
        return Value(cost=self._cost(group), lower_bound=self._cost(group), plan=None)

    def _plan_everyone(self):
        return self._plan_group(self.everyone)

    def lower_bound(self, group):
        return self._cost(group)


def test_a_search_finds_a_group_that_no_pair_points_to():
    game = Sparse({1, 3, 5, 7, 9, 11})
    x = np.full(13, game.total / 13)
    x[list(game.cheap)] += 0.4
    x[0] -= 0.4 * 6
    best = max(groups_of(13)[:-1], key=lambda group: x[list(group)].sum() - game._cost(group))
    assert len(best) > 2
    found = search_of(game, 200).find_better_off(x)
    assert found[0] == best


def test_a_search_keeps_its_budget_and_proves_nothing():
    game = Sparse(set())
    search = search_of(game, 20)
    x = np.full(13, 2.0)
    assert 0 < len(search.find_better_off(x)) <= 20
    assert game.planned == 20
    assert not search.is_proved_stable(np.full(13, game.total / 13))


def test_the_same_seed_tries_the_same_groups():
    pools = [list(search_of(Sparse(set()), 20, seed)._groups) for seed in (1, 1, 2)]
    assert pools[0] == pools[1] != pools[2]
