import itertools
import math
import tracemalloc

import numpy as np
import pytest

import fedpact as fp
from fedpact.game import pure_equilibria
from fedpact.game.game import game_of
from fedpact.game.pure_equilibria import find_equilibria
from profiles import equilibria, many_equilibria, play, random_game
from strategies import report_of

COUNT, PARTS = 300, 10


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))])
def test_the_same_equilibria_as_trying_every_profile(part):
    """300 federations in all; federations of which nobody has to contribute are not counted."""
    counted = 0
    for seed in itertools.count(part, PARTS):
        question = random_game(seed)
        played = play(question)
        if played is None or sum(played.most) == 0:
            continue
        found = fp.equilibria(question.build())
        assert list(found.profiles) == equilibria(played), seed
        assert found.is_complete
        counted += 1
        if counted == COUNT // PARTS:
            return


def test_a_full_list_goes_on_for_the_cheapest_and_the_dearest():
    everything = find_equilibria(game_of(many_equilibria()), max_count=10_000, time_limit=60)
    few = find_equilibria(game_of(many_equilibria()), max_count=3, time_limit=60)
    assert everything.is_complete
    assert len(everything.profiles) > 300
    assert not few.is_complete
    assert few.cost_left is None
    assert few.status is fp.game.EquilibriaStatus.CUT
    costs = [many_equilibria().costs_of(found.profiles) for found in (everything, few)]
    assert len(costs[1]) <= 3 + 20  # as many as asked for, and what became cheapest or dearest
    assert (costs[1].min(), costs[1].max()) == (costs[0].min(), costs[0].max())


def test_a_search_that_stops_says_how_far_it_came_and_what_is_left():
    everything = find_equilibria(game_of(many_equilibria()), max_count=10_000, time_limit=60)
    stopped = find_equilibria(game_of(many_equilibria()), max_count=10_000, time_limit=0.01)
    assert not stopped.is_complete
    assert 0 <= stopped.share_searched < 1
    assert stopped.cost_left is not None
    listed = {tuple(m) for m in everything.profiles.tolist()}
    assert {tuple(m) for m in stopped.profiles.tolist()} < listed
    costs, known = (many_equilibria().costs_of(found.profiles) for found in (everything, stopped))
    low, high = stopped.cost_left
    assert min([low, *known]) <= costs.min()
    assert max([high, *known]) >= costs.max()


def test_an_interrupt_returns_what_was_found(monkeypatch):
    calls = itertools.count()

    def cut(game, boxes):
        if next(calls) == 4:
            raise KeyboardInterrupt
        return uninterrupted(game, boxes)

    uninterrupted = pure_equilibria._cut_all
    monkeypatch.setattr(pure_equilibria, "_cut_all", cut)
    found = find_equilibria(game_of(many_equilibria()), max_count=10_000, time_limit=60)
    assert not found.is_complete
    assert 0 < found.share_searched < 1
    assert found.cost_left is not None


@pytest.mark.slow
def test_where_the_boxes_are_too_many_dynamics_find_one():
    fed = fp.examples.arizona_hospitals()
    found = find_equilibria(game_of(fed), max_count=1, time_limit=3)
    assert not found.is_complete
    assert len(found.profiles)
    assert all(fp.game.regret(fed, m).is_equilibrium for m in found.profiles)


@pytest.mark.parametrize(
    ("fed", "expected"),
    [
        pytest.param(fp.examples.alice_bob(), [[0, 14], [14, 0]], id="one for each that moves first"),
        pytest.param(fp.examples.price_of_stability(), [[20, 0]], id="the same twice"),
        pytest.param(fp.examples.no_pure_equilibrium(), [], id="none"),
    ],
)
def test_dynamics_offer_what_each_order_settles_at_once(fed, expected):
    search = pure_equilibria._Search(game_of(fed), max_count=10)
    pure_equilibria._try_dynamics(search, deadline=math.inf)
    assert search.result().profiles.tolist() == expected


def test_without_time_what_exists_is_not_known():
    found = find_equilibria(game_of(fp.examples.no_pure_equilibrium()), max_count=10, time_limit=0)
    assert found.status is fp.game.EquilibriaStatus.NONE_FOUND
    assert found.share_searched == 0
    found = find_equilibria(game_of(fp.examples.alice_bob()), max_count=10, time_limit=0)
    assert found.profiles.tolist() == [[14, 0]]
    assert found.status is fp.game.EquilibriaStatus.STOPPED


def test_progress_ends_with_everything_settled():
    seen = []
    game = game_of(fp.examples.alice_bob())
    found = find_equilibria(game, max_count=100, time_limit=60, progress=lambda *given: seen.append(given))
    assert seen == sorted(seen)
    assert seen[-1] == (1, 1)
    assert found.is_complete


def test_pairwise_rates_leave_profiles_undecided():
    noisy = {name: np.random.default_rng(seed).integers(0, 3, (5, 12)) for seed, name in enumerate(("one", "two"))}
    reports = [report_of(name, predictions) for name, predictions in noisy.items()]
    exact = fp.equilibria(fp.Federation.from_predictions(noisy, epsilon=0.4, delta=0.3))
    found = fp.equilibria(fp.Federation.from_reports(reports, epsilon=0.4, delta=0.3))
    assert exact.is_complete
    assert found.undecided
    assert not found.is_complete
    assert set(found.profiles) <= set(exact.profiles)


@pytest.mark.parametrize("seed", [23, 58, 59])
def test_who_may_reach_its_target_with_the_others_is_not_ruled_out(seed):
    """Pairwise rates cannot tell whether (1, 2) meets both targets, so neither that these are all, nor no plan."""
    rng = np.random.default_rng(seed)
    noisy = {name: rng.integers(0, 3, (5, 12)) for name in ("one", "two")}
    reports = [report_of(name, predictions) for name, predictions in noisy.items()]
    options = {"epsilon": 0.4, "delta": 0.3, "capacity": [1, 2]}
    assert fp.equilibria(fp.Federation.from_predictions(noisy, **options)).profiles == ((0, 0), (1, 2))
    found = fp.equilibria(fp.Federation.from_reports(reports, **options))
    assert found.profiles == ((0, 0),)
    assert (found.undecided, found.status) == (1, fp.game.EquilibriaStatus.UNDECIDED)
    assert 0 < found.optimum.low <= 3
    assert found.optimum.high == float("inf")
    assert len(found.plot().axes[0].patches) == 1


def test_thirty_agents_who_need_each_other_do_not_fill_the_memory():
    rng = np.random.default_rng(0)
    labels = np.vstack([np.zeros(6, dtype=int), np.eye(6, dtype=int)])
    fed = fp.Federation.from_table(labels, rng.dirichlet(np.ones(6), 30), epsilon=0.02, delta=0.01, capacity=3)
    game = game_of(fed)
    assert not game.is_self_sufficient.any()
    tracemalloc.start()
    found = find_equilibria(game, max_count=10, time_limit=0.5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not found.is_complete
    assert peak < 300e6


@pytest.mark.parametrize("place", ["take", "look_into", "_note"])
@pytest.mark.parametrize("at", [1, 2, 5])
def test_an_interrupt_at_any_place_loses_nothing(monkeypatch, place, at):
    game = game_of(fp.examples.alice_bob())
    everything = find_equilibria(game, max_count=100, time_limit=60)
    calls = itertools.count(1)
    step = getattr(pure_equilibria._Search, place)

    def stop_after(search, *given):
        done = step(search, *given)
        if next(calls) == at:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(pure_equilibria._Search, place, stop_after)
    found = find_equilibria(game, max_count=100, time_limit=60)
    listed = {tuple(m) for m in found.profiles.tolist()}
    assert len(listed) == len(found.profiles)
    if found.is_complete:
        assert found.profiles.tolist() == everything.profiles.tolist()
    else:
        costs = game.fed.costs_of(everything.profiles)
        low, high = found.cost_left
        known = game.fed.costs_of(found.profiles)
        assert min([low, *known]) <= costs.min()
        assert max([high, *known]) >= costs.max()


def test_what_bounds_cannot_tell_of_an_agent_who_needs_the_others_stays_open():
    """With all its data the second agent meets its target; pairwise rates prove neither that nor the contrary."""
    labels = np.array([[1, 0, 2], [1, 1, 0], [2, 0, 1], [0, 0, 0]])
    predictions = {"alice": labels[:, 1:2], "bob": labels}
    settings = {"epsilon": 0.25, "delta": 0.5, "capacity": [9, 1]}
    truth = find_equilibria(
        game_of(fp.Federation.from_predictions(predictions, **settings)), max_count=9, time_limit=60
    )
    reports = [report_of(*entry) for entry in predictions.items()]
    found = find_equilibria(game_of(fp.Federation.from_reports(reports, **settings)), max_count=9, time_limit=60)
    assert truth.profiles.tolist() == [[1, 1]]
    assert found.profiles.tolist() == []
    assert not found.is_complete
    assert [1, 1] in found.undecided.tolist()
