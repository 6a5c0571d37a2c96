import numpy as np
import pytest

import fedpact as fp
from fedpact.game.dynamics import play_to_rest
from fedpact.game.game import game_of
from profiles import play, random_game, responses
from strategies import report_of


def check_path(fed, seen):
    """Every step is one agent's best response, or everybody's; the end is what the status says."""
    for before, after in zip(seen.path, seen.path[1:], strict=False):
        best = fp.game.best_response(fed, before)
        moved = np.flatnonzero(np.array(before) != np.array(after))
        if seen.order == "simultaneous":
            assert tuple(best) == after
        else:
            assert len(moved) == 1
            assert after[moved[0]] == best[moved[0]]
    assert list(seen.costs) == [fed.cost_of(m) for m in seen.path]
    if seen.status is fp.game.DynamicsStatus.RESTS:
        assert not fp.game.regret(fed, seen.path[-1]).is_equilibrium
    elif seen.status is fp.game.DynamicsStatus.SETTLED:
        assert fp.game.regret(fed, seen.path[-1]).is_equilibrium
        assert seen.equilibrium == dict(zip(fed.names, seen.path[-1], strict=True))
    else:
        assert seen.equilibrium is None
        assert seen.cycle == seen.path[-len(seen.cycle) - 1 : -1]
        assert seen.cycle[0] == seen.path[-1]
    if seen.status is fp.game.DynamicsStatus.CYCLES:
        assert fp.best_response_dynamics(fed, order=seen.order, start=seen.cycle[0]).cycle == seen.cycle


@pytest.mark.parametrize("order", ["round-robin", "random", "simultaneous"])
@pytest.mark.parametrize("seed", range(12))
def test_every_step_is_a_best_response(seed, order):
    fed = random_game(seed).build()
    check_path(fed, fp.best_response_dynamics(fed, order=order, max_rounds=30, rng=np.random.default_rng(seed)))


@pytest.mark.parametrize("order", ["round-robin", "simultaneous"])
def test_the_paper_s_ring_cycles(order):
    seen = fp.best_response_dynamics(fp.examples.no_pure_equilibrium(), order=order)
    assert seen.status is fp.game.DynamicsStatus.CYCLES
    assert set(seen.cycle[0]) <= {0, 1}
    assert len(set(seen.cycle)) == len(seen.cycle) > 1


def test_in_a_random_order_the_ring_is_left_after_all_rounds():
    seen = fp.best_response_dynamics(fp.examples.no_pure_equilibrium(), order="random", max_rounds=40)
    assert seen.status is fp.game.DynamicsStatus.WANDERS
    assert seen.rounds == 40
    assert seen.cycle


def test_too_few_rounds_are_said():
    seen = fp.best_response_dynamics(fp.examples.no_pure_equilibrium(), max_rounds=1)
    assert seen.status is fp.game.DynamicsStatus.STOPPED
    assert seen.cycle == ()


def test_progress_counts_the_rounds():
    seen = []
    fp.best_response_dynamics(
        fp.examples.alice_bob(), start=[5, 5], max_rounds=9, progress=lambda *given: seen.append(given)
    )
    assert seen == [(1, 9), (2, 9)]


def test_who_settles_is_found_and_who_does_not_is_not():
    assert play_to_rest(game_of(fp.examples.alice_bob()), [1, 0], 3).tolist() == [0, 14]
    assert play_to_rest(game_of(fp.examples.no_pure_equilibrium()), [0, 1, 2], 50) is None


def test_the_staircases_are_those_of_every_profile():
    seen = fp.best_response_dynamics(fp.examples.alice_bob(), start=[5, 5])
    assert seen.path == ((5, 5), (2, 5), (2, 3))
    assert seen.staircase[:8] == (14, 7, 3, 2, 2, 2, 2, 1)
    assert seen.responses["alice"] == seen.responses["bob"] == (14, 7, 3, 2, 2, 2, 2, *[1] * 7, 0, 0)


@pytest.mark.parametrize("seed", [s for s in range(80) if len(random_game(s).epsilon) == 2][:10])
def test_what_is_enough_for_both(seed):
    question = random_game(seed)
    played = play(question)
    seen = fp.best_response_dynamics(question.build())
    if played is None:
        pytest.skip("too many profiles")
    both = played.met.all(axis=0)
    for first in range(played.most[0] + 1):
        if both[first].any():
            assert seen.staircase[first] == both[first].argmax()
        else:
            assert seen.staircase[first] in (None, played.most[1] + 1)
    for agent, name in enumerate(("agent-1", "agent-2")):
        assert (
            list(seen.responses[name][: played.most[1 - agent] + 1]) == responses(played, agent).ravel().tolist()
        )


def test_two_agents_are_drawn_over_the_staircase_and_more_as_lines():
    two = fp.best_response_dynamics(fp.examples.alice_bob(), order="simultaneous").plot().axes[0]
    assert two.get_xlabel() == "samples of alice"
    assert len(two.collections) == 1
    three = fp.best_response_dynamics(fp.examples.no_pure_equilibrium()).plot().axes[0]
    assert [line.get_label() for line in three.lines] == ["agent-1", "agent-2", "agent-3"]


REFUSED = [
    ({"order": "alphabetical"}, "order must be one of"),
    ({"max_rounds": 0}, "max_rounds must be 1 or more"),
    ({"start": [1]}, "start: m must have one number per agent"),
    ({"start": [[1, 2], [3, 4]]}, "agent 'alice': m must be"),
]


def test_bad_requests_are_refused():
    for options, match in REFUSED:
        with pytest.raises(fp.FederationError, match=match):
            fp.best_response_dynamics(fp.examples.alice_bob(), **options)


def test_where_only_bounds_are_known_rest_is_not_called_an_equilibrium():
    """Both stop at (4, 0), where pairwise rates prove both targets met; the second would have needed fewer."""
    rng = np.random.default_rng(27)
    noisy = {name: rng.integers(0, 3, (5, 12)) for name in ("one", "two")}
    reports = [report_of(name, predictions) for name, predictions in noisy.items()]
    fed = fp.Federation.from_reports(reports, epsilon=0.4, delta=0.3)
    seen = fp.best_response_dynamics(fed)
    check_path(fed, seen)
    exact = fp.Federation.from_predictions(noisy, epsilon=0.4, delta=0.3)
    assert seen.path[-1] == (4, 0)
    assert not fp.game.regret(exact, seen.path[-1]).is_equilibrium
    assert seen.status is fp.game.DynamicsStatus.RESTS
    assert fp.mixed_equilibrium(fed).status is fp.game.MixedStatus.CAUTIOUS
