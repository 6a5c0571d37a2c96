import numpy as np
import pytest

import fedpact as fp
from cost_games import capped
from fedpact.game.best_response import game_of
from grid import random_question
from profiles import play, responses


@pytest.mark.parametrize("seed", range(30))
def test_responses_are_those_of_every_profile(seed):
    question = random_question(seed)
    played = play(question)
    if played is None:
        pytest.skip("too many profiles")
    m = np.argwhere(np.ones([size + 1 for size in played.most], dtype=bool))
    found = fp.best_response(question.build(), m)
    for agent in range(len(played.most)):
        expected = np.broadcast_to(responses(played, agent), played.met.shape[1:])
        np.testing.assert_array_equal(found[:, agent], expected[tuple(m.T)])


def test_one_profile_and_many_have_the_shape_that_was_given():
    fed = fp.examples.alice_bob()
    assert fp.best_response(fed, [2, 3]).shape == fp.best_response(fed, {"bob": 2}).shape == (2,)
    assert fp.best_response(fed, np.zeros((5, 2), dtype=int)).shape == (5, 2)


def test_more_from_the_others_never_asks_for_more():
    fed = fp.examples.alice_bob(0.05, 0.1)
    others = np.zeros((30, 2), dtype=int)
    others[:, 1] = np.arange(30)
    counts = fp.best_response(fed, others)[:, 0]
    assert (np.diff(counts) <= 0).all()
    assert counts[0] == fp.standalone(fed)["alice"]


def test_an_agent_below_what_it_needs_alone_rises_and_falls():
    labels = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]
    fed = fp.Federation.from_table(
        labels, [[0.5, 0.2, 0.3], [0, 0.3, 0.7]], epsilon=0.1, delta=0.05, capacity=[8, None]
    )
    others = np.array([[0, count] for count in (0, 3, 4, 5, 6, 9, 30)])
    assert fp.best_response(fed, others)[:, 0].tolist() == [0, 0, 8, 7, 6, 5, 5]
    assert game_of(fed).is_self_sufficient.tolist() == [False, True]


def test_an_agent_that_no_number_of_samples_helps_uses_the_others_data():
    labels = [[0, 0], [1, 0]]
    fed = fp.Federation.from_table(
        labels, [[1e-14, 1 - 1e-14], [0.5, 0.5]], epsilon=[0, 0.1], delta=0.05, names=["poor", "rich"]
    )
    assert fp.standalone(fed)["poor"] is None
    assert game_of(fed).most.tolist() == [0, 5]
    assert fp.equilibria(fed).profiles == ((0, 5),)


@pytest.mark.parametrize("m", [[0, 5], [[0, 0], [0, 5]]])
def test_profiles_keep_the_capacities(m):
    with pytest.raises(fp.FederationError, match="agent 'bob': m must be at most its capacity 4; it is 5"):
        fp.best_response(capped(4), m)


@pytest.mark.parametrize("m", [[1], [[1, 2, 3]], [1.5, 2], [[1.5, 2]], [-1, 2], [[-1, 2]], "ab", {"carol": 1}])
def test_what_is_no_profile_is_refused(m):
    with pytest.raises(fp.FederationError, match=r"\bm (must|names)"):
        fp.best_response(fp.examples.alice_bob(), m)
