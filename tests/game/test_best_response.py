import time

import numpy as np
import pytest

import fedpact as fp
from cost_games import capped
from fedpact.game.game import game_of
from grid import random_question
from profiles import equilibria, play, random_game, responses
from strategies import report_of


@pytest.mark.parametrize("seed", range(30))
def test_responses_are_those_of_every_profile(seed):
    question = random_question(seed)
    played = play(question)
    if played is None:
        pytest.skip("too many profiles")
    m = np.argwhere(np.ones([size + 1 for size in played.most], dtype=bool))
    found = fp.game.best_response(question.build(), m)
    for agent in range(len(played.most)):
        expected = np.broadcast_to(responses(played, agent), played.met.shape[1:])
        np.testing.assert_array_equal(found[:, agent], expected[tuple(m.T)])


def test_one_profile_and_many_have_the_shape_that_was_given():
    fed = fp.examples.alice_bob()
    assert fp.game.best_response(fed, [2, 3]).shape == fp.game.best_response(fed, {"bob": 2}).shape == (2,)
    assert fp.game.best_response(fed, np.zeros((5, 2), dtype=int)).shape == (5, 2)
    assert fp.game.best_response(fed, np.zeros((0, 2), dtype=int)).shape == (0, 2)


def test_an_agent_below_what_it_needs_alone_rises_and_falls():
    labels = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]
    fed = fp.Federation.from_table(
        labels, [[0.5, 0.2, 0.3], [0, 0.3, 0.7]], epsilon=0.1, delta=0.05, capacity=[8, None]
    )
    others = np.array([[0, count] for count in (0, 3, 4, 5, 6, 9, 30)])
    assert fp.game.best_response(fed, others)[:, 0].tolist() == [0, 0, 8, 7, 6, 5, 5]
    assert game_of(fed).is_self_sufficient.tolist() == [False, True]


def test_an_agent_that_no_number_of_samples_helps_uses_the_others_data():
    labels = [[0, 0], [1, 0]]
    fed = fp.Federation.from_table(
        labels, [[1e-14, 1 - 1e-14], [0.5, 0.5]], epsilon=[0, 0.1], delta=0.05, names=["poor", "rich"]
    )
    assert fp.game.standalone(fed)["poor"] is None
    assert game_of(fed).most.tolist() == [0, 5]
    assert fp.equilibria(fed).profiles == ((0, 5),)


@pytest.mark.parametrize("m", [[0, 5], [[0, 0], [0, 5]]])
def test_profiles_keep_the_capacities(m):
    with pytest.raises(fp.FederationError, match="agent 'bob': m must be at most its capacity 4; it is 5"):
        fp.game.best_response(capped(4), m)


@pytest.mark.parametrize("m", [[1], [[1, 2, 3]], [1.5, 2], [[1.5, 2]], [-1, 2], [[-1, 2]], "ab", {"carol": 1}])
def test_what_is_no_profile_is_refused(m):
    with pytest.raises(fp.FederationError, match=r"\bm (must|names)"):
        fp.game.best_response(fp.examples.alice_bob(), m)


def test_a_capacity_beyond_what_is_ever_tried_does_not_make_an_agent_self_sufficient():
    fed = fp.Federation.from_table([[0, 0], [1, 0]], [[1e-14, 1 - 1e-14]], epsilon=0, delta=0.05, capacity=10**15)
    game = game_of(fed)
    assert not game.is_self_sufficient[0]
    found = fp.equilibria(game.fed)
    assert (found.profiles, found.unmet) == (((0,),), (("agent-1",),))


@pytest.mark.parametrize("capacity", [10**12, 10**19, 10**30])
def test_a_capacity_of_any_size_is_as_good_as_none(capacity):
    labels, distributions = [[0, 0], [1, 0]], [[0.3, 0.7], [0.5, 0.5]]
    free = fp.Federation.from_table(labels, distributions, epsilon=0.1, delta=0.05)
    large = fp.Federation.from_table(labels, distributions, epsilon=0.1, delta=0.05, capacity=capacity)
    assert fp.equilibria(large).profiles == fp.equilibria(free).profiles
    assert game_of(large).most.dtype == np.int64


def test_the_response_to_more_than_the_others_would_ever_give():
    """The second agent needs nothing, so that the first never reaches its target in an equilibrium."""
    labels = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]
    fed = fp.Federation.from_table(
        labels, [[0.5, 0.2, 0.3], [0, 0.3, 0.7]], epsilon=[0.1, 0.5], delta=0.05, capacity=[5, None]
    )
    assert game_of(fed).most.tolist() == [0, 0]
    others = np.array([[0, count] for count in (0, 8, 9, 30)])
    assert fp.game.best_response(fed, others)[:, 0].tolist() == [0, 0, 5, 5]
    assert fp.best_response_dynamics(fed, start=[0, 30]).path[1] == (5, 30)
    assert fp.game.regret(fed, [4, 0]).regret["agent-1"] == 4
    assert fp.game.regret(fed, [3, 30], worth=2).regret["agent-1"] == 3
    assert fp.game.regret(fed, [3, 30], worth=6).regret["agent-1"] == 4


def test_the_largest_response_of_seventeen_agents_who_need_each_other_is_found_quickly():
    rng = np.random.default_rng(0)
    labels = np.vstack([np.zeros(6, dtype=int), np.eye(6, dtype=int)])
    fed = fp.Federation.from_table(
        labels, rng.dirichlet(np.ones(6), 17), epsilon=0.02, delta=0.01, capacity=rng.integers(3, 6, 17)
    )
    start = time.monotonic()
    game = game_of(fed)
    assert time.monotonic() - start < 5
    assert game.most.tolist() == [agent.capacity for agent in fed.agents]


def test_what_is_enough_alone_is_enough_with_the_others_even_if_bounds_do_not_show_it():
    """With 9 samples bob's bound is tight at 2^-9 alone, and a little above with a sample of alice's."""
    labels = np.array([[1, 0, 0, 1], [0, 1, 1, 1], [0, 0, 0, 1], [0, 1, 0, 1]])
    data = {
        "alice": np.repeat(labels, [2, 0, 4, 3], axis=1),
        "bob": np.repeat(labels, [1, 4, 1, 2], axis=1),
    }
    reports = [report_of(*entry) for entry in data.items()]
    fed = fp.Federation.from_reports(reports, epsilon=[0.1, 0.25], delta=2.0**-9)
    assert fp.game.standalone(fed)["bob"] == 9
    assert fp.game.best_response(fed, [[0, 0], [1, 0], [2, 0]])[:, 1].tolist() == [9, 9, 9]


@pytest.mark.parametrize("seed", range(8))
def test_regret_is_the_best_deviation_of_all(seed):
    question = random_game(seed)
    played = play(question, most_profiles=3_000)
    if played is None:
        pytest.skip("too many profiles")
    fed = question.build()
    rng = np.random.default_rng(seed)
    for _ in range(10):
        m = tuple(int(rng.integers(0, most + 1)) for most in played.most)
        seen = fp.game.regret(fed, m)
        for agent, name in enumerate(fed.names):
            worth = seen.worth[name]
            utility = [
                worth * played.met[(agent, *m[:agent], own, *m[agent + 1 :])] - question.cost[agent] * own
                for own in range(played.most[agent] + 1)
            ]
            assert seen.regret[name] == pytest.approx(max(utility) - utility[m[agent]])
            assert utility[seen.best_response[name]] == pytest.approx(max(utility))
        assert fp.game.regret(fed, m).is_equilibrium == (m in equilibria(played)) == (seen.largest < 1e-12)


def test_convex_costs_count_in_the_regret_but_not_in_what_is_best():
    fed = fp.examples.alice_bob().replace(cost=[fp.costs.Quadratic(1, 0.5), fp.costs.PiecewiseLinear([2], [1, 3])])
    seen = fp.game.regret(fed, [4, 3])
    assert seen.best_response == {"alice": 2, "bob": 2}
    assert seen.regret == {"alice": 4 + 8 - 2 - 2, "bob": 2 + 3 - 2}


def test_the_worth_of_a_target():
    fed = fp.examples.alice_bob()
    assert fp.game.regret(fed, [0, 0]).regret == {"alice": 14.0, "bob": 14.0}
    assert fp.game.regret(fed, [0, 0], worth=20).regret == {"alice": 6.0, "bob": 6.0}
    assert fp.game.regret(fed, [0, 0], worth={"alice": 20, "bob": 15}).regret == {"alice": 6.0, "bob": 1.0}
    assert fp.game.regret(fp.examples.no_pure_equilibrium(), [0, 0, 0]).worth["agent-1"] == 1.0


REFUSED = [
    (14, "worth must be above .* 14 for 'alice'; it is 14"),
    ([20], "worth must be one value or one per agent; 1 for 2 agents"),
    ({"alice": 20}, "worth is given per agent but agent 'bob' has none"),
    ({"alice": 20, "carol": 20}, "worth names 'carol', who is not in the federation"),
    ("much", "agent 'alice': worth must be a number"),
]


def test_a_worth_that_no_agent_would_pay_is_refused():
    for worth, match in REFUSED:
        with pytest.raises(fp.FederationError, match=match):
            fp.game.regret(fp.examples.alice_bob(), [0, 0], worth=worth)
