"""Groups that would leave: all of them against brute force, and what a search among too many groups finds."""

import numpy as np
import pytest

from cost_games import given_game, groups_of, leaving_groups, random_values
from fedpact.coalition.cost_game import CostGame, Value
from fedpact.coalition.groups import AllGroups, SampledGroups, find_better_off, is_proved_stable
from noisy import noisy_federation


@pytest.mark.parametrize("seed", range(10))
def test_exactly_those_that_pay_more_than_by_themselves(seed):
    k = 2 + seed % 4
    values = random_values(seed, k, infinite=0.2)
    x = np.random.default_rng(seed).dirichlet(np.ones(k)) * values[tuple(range(k))]
    game = given_game(values, k)
    found = find_better_off(AllGroups(game), game, x)
    assert set(found) == leaving_groups(values, x)
    savings = [sum(x[list(group)]) - values[group] for group in found]
    assert savings == sorted(savings, reverse=True)
    assert is_proved_stable(AllGroups(game), game, x) == (not found)


def test_who_breaks_even_stays():
    values = {(0,): 3.0, (1,): 2.0, (0, 1): 5.0}
    game = given_game(values, 2)
    assert find_better_off(AllGroups(game), game, np.array([3 + 1e-9, 2 - 1e-9])) == []
    assert find_better_off(AllGroups(game), game, np.array([3.001, 1.999])) == [(0,)]


def test_stability_is_not_proved_by_a_plan_that_may_be_too_dear():
    values = {(0,): 3.0, (1,): 2.0, (0, 1): 4.0}
    x = np.array([2.5, 1.5])
    assert is_proved_stable(AllGroups(given_game(values, 2)), given_game(values, 2), x)
    game = given_game(values, 2, bounds={(0,): 2.4})
    assert find_better_off(AllGroups(game), game, x) == []
    assert not is_proved_stable(AllGroups(game), game, x)


def test_a_lower_bound_saves_plans():
    game = CostGame(noisy_federation(0, H=5, k=4, n=12, delta=0.3))
    x = np.full(4, game.total / 4)
    assert find_better_off(AllGroups(game), game, x) == []
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

    def _bound(self, group):
        return self._cost(group)


def test_a_search_finds_a_group_that_no_pair_points_to():
    game = Sparse({1, 3, 5, 7, 9, 11})
    x = np.full(13, game.total / 13)
    x[list(game.cheap)] += 0.4
    x[0] -= 0.4 * 6
    best = max(groups_of(13)[:-1], key=lambda group: x[list(group)].sum() - game._cost(group))
    assert len(best) > 2
    found = find_better_off(SampledGroups(game, 200, np.random.default_rng(0)), game, x)
    assert found[0] == best


def test_a_search_keeps_its_budget_and_proves_nothing():
    game = Sparse(set())
    search = SampledGroups(game, 20, np.random.default_rng(0))
    x = np.full(13, 2.0)
    assert 0 < len(find_better_off(search, game, x)) <= 20
    assert game.planned == 20
    assert not is_proved_stable(search, game, np.full(13, game.total / 13))


def test_the_same_seed_tries_the_same_groups():
    pools = [SampledGroups(Sparse(set()), 20, np.random.default_rng(seed)).pool() for seed in (1, 1, 2)]
    assert pools[0] == pools[1] != pools[2]
