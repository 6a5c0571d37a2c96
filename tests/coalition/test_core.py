"""Core and least core: e against one linear program, the point against every group and a general solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

import fedpact as fp
from cost_games import (
    brute_least_core,
    brute_values,
    given_game,
    groups_of,
    leaving_groups,
    random_values,
    rows_of,
    small_question,
)
from fedpact.coalition.core import find_core, find_least_core
from fedpact.coalition.cost_game import CostGame
from fedpact.coalition.groups import GroupSearch

GAMES = {f"k={k}-seed={seed}": (seed, k) for k in (2, 3, 4, 5) for seed in range(8)}


def search_of(game):
    return GroupSearch(game, 1, np.random.default_rng(0))


def solve(find, values, k):
    return find(search_of(given_game(values, k)))


def distance_by_slsqp(values, k, e, start):
    """Distance from the equal split to the points that reach e, by a general solver from a point that does."""
    inside, limits = rows_of(values, k)
    total = values[tuple(range(k))]
    found = minimize(
        lambda x: ((x - total / k) ** 2).sum(),
        start,
        jac=lambda x: 2 * (x - total / k),
        constraints=[
            {"type": "ineq", "fun": lambda x: limits + e - inside @ x, "jac": lambda x: -inside},
            {"type": "eq", "fun": lambda x: x.sum() - total, "jac": lambda x: np.ones((1, k))},
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    is_feasible = (inside @ found.x <= limits + e + 1e-6).all() and abs(found.x.sum() - total) < 1e-6
    return np.sqrt(found.fun) if is_feasible else np.inf


def check_point(values, k, x, e):
    """x splits the total, keeps every group to e, and nothing closer to the equal split does."""
    total = values[tuple(range(k))]
    inside, limits = rows_of(values, k)
    assert x.sum() == pytest.approx(total)
    assert (inside @ x <= limits + e + 1e-6 * max(total, abs(e))).all()
    nearer = distance_by_slsqp(values, k, e, x)
    assert np.linalg.norm(x - total / k) <= nearer + 1e-5 * total


@pytest.mark.parametrize(("seed", "k"), GAMES.values(), ids=GAMES)
def test_the_least_core_of_random_games(seed, k):
    values = random_values(seed, k)
    point = solve(find_least_core, values, k)
    assert point.e == pytest.approx(brute_least_core(values, k), abs=1e-6)
    check_point(values, k, point.x, point.e)


@pytest.mark.parametrize(("seed", "k"), GAMES.values(), ids=GAMES)
def test_the_core_of_random_games_is_a_point_or_empty(seed, k):
    values = random_values(seed, k)
    values[tuple(range(k))] *= 0.6
    e = brute_least_core(values, k)
    if e > 0:
        with pytest.raises(fp.InfeasibleError, match="the core is empty: however the cost is split"):
            solve(find_core, values, k)
    else:
        point = solve(find_core, values, k)
        assert leaving_groups(values, point.x) == set()
        check_point(values, k, point.x, 0.0)


def test_random_games_have_both_kinds_of_core():
    signs = set()
    for seed, k in GAMES.values():
        values = random_values(seed, k)
        values[tuple(range(k))] *= 0.6
        signs.add(brute_least_core(values, k) > 0)
    assert signs == {True, False}


@pytest.mark.parametrize("seed", range(20))
def test_groups_without_a_plan_have_no_row(seed):
    k = 3 + seed % 2
    values = random_values(seed, k, infinite=0.6)
    e = brute_least_core(values, k)
    point = solve(find_least_core, values, k)
    assert (point.e is None) == (e is None)
    if e is None:
        inside, limits = rows_of(values, k)
        least = max(0.0, brute_least_core(values | dict.fromkeys([(place,) for place in range(k)], 1e6), k))
        assert (inside @ point.x <= limits + least + 1e-5).all()
    else:
        assert point.e == pytest.approx(e, abs=1e-6)
        check_point(values, k, point.x, e)


def test_groups_without_a_plan_leave_some_programs_bounded_and_some_not():
    ends = {
        brute_least_core(random_values(seed, 3 + seed % 2, infinite=0.6), 3 + seed % 2) is None
        for seed in range(20)
    }
    assert ends == {True, False}


def test_nobody_can_leave():
    values = dict.fromkeys(groups_of(3), np.inf) | {(0, 1, 2): 9.0}
    for find in (find_core, find_least_core):
        point = solve(find, values, 3)
        assert (point.x.tolist(), point.e) == ([3.0, 3.0, 3.0], None)


def test_who_is_needed_by_everybody_pays_as_the_others_if_nobody_leaves_then():
    values = dict.fromkeys(groups_of(2), np.inf) | {(0,): 4.0, (0, 1): 12.0}
    assert solve(find_least_core, values, 2).x == pytest.approx([4, 8])


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_the_currency_does_not_matter(unit):
    values = random_values(3, 4)
    plain = solve(find_least_core, values, 4)
    scaled = solve(find_least_core, {group: unit * value for group, value in values.items()}, 4)
    assert scaled.x / unit == pytest.approx(plain.x)
    assert scaled.e / unit == pytest.approx(plain.e)


def test_one_agent_s_cost_alone_may_be_far_above_everything():
    values = {(0,): 10.0, (1,): 1e7, (0, 1): 12.0}
    point = solve(find_least_core, values, 2)
    e = (12 - 10 - 1e7) / 2
    assert point.e == pytest.approx(e)
    assert point.x == pytest.approx([10 + e, 1e7 + e])


@pytest.mark.parametrize("find", [find_core, find_least_core])
def test_agents_that_are_alike_pay_the_same(find):
    values = {group: 10.0 * len(group) ** 0.5 for group in groups_of(5)}
    for group in values:
        values[group] -= 3.0 * (4 in group)
    x = solve(find, values, 5).x
    assert x[:4] == pytest.approx([x[0]] * 4)
    assert x[4] <= x[0]


def test_an_empty_core_names_groups_that_prove_it():
    values = {group: {1: 2.0, 2: 2.0, 3: 4.0}[len(group)] for group in groups_of(3)}
    with pytest.raises(fp.InfeasibleError) as raised:
        solve(find_core, values, 3)
    for pair in ("'agent-1' with 'agent-2'", "'agent-1' with 'agent-3'", "'agent-2' with 'agent-3'"):
        assert pair in str(raised.value)
    assert "saves more than 0.666667" in str(raised.value)
    assert len(raised.value.agents) == 2


def test_an_empty_core_is_not_sure_if_the_plan_for_all_may_be_too_dear():
    values = {(0,): 1.0, (1,): 1.0, (0, 1): 3.0}
    game = given_game(values, 2, bounds={(0, 1): 1.5})
    with pytest.raises(fp.InfeasibleError, match="the core is empty as far as the plans found go"):
        find_core(search_of(game))


@pytest.mark.parametrize("seed", range(24))
def test_federations(seed):
    question = small_question(seed, guarantee="joint" if seed % 4 == 3 else "per-agent")
    values = brute_values(question)
    if values is None or values[tuple(range(len(question.cost)))] == 0:
        pytest.skip("the grid is too large, or there is nothing to share")
    k, game = len(question.cost), CostGame(question.build())
    point = find_least_core(search_of(game))
    e = brute_least_core(values, k)
    assert (point.e is None) == (e is None)
    if e is not None:
        assert point.e == pytest.approx(e, abs=1e-6)
        check_point(values, k, point.x, e)
