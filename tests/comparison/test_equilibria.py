import json
from dataclasses import replace

import pytest

import fedpact as fp
from cost_games import capped
from grid import is_enough, vectors_up_to
from profiles import equilibria, many_equilibria, play, random_game


def test_alice_and_bob():
    found = fp.equilibria(fp.examples.alice_bob(epsilon=0.1, delta=0.05))
    assert found.is_complete
    assert found.share_searched == 1
    assert found.status is fp.game.EquilibriaStatus.ALL
    assert found.standalone == {"alice": 14, "bob": 14}


def test_the_dictionary_holds_the_contract_and_comes_back():
    found = fp.equilibria(fp.examples.alice_bob())
    entry = json.loads(json.dumps(found.to_dict()))
    assert entry["equilibria"][1] == {"alice": 1, "bob": 7}
    assert {"is_complete", "price_of_stability", "price_of_anarchy", "standalone", "status"} < set(entry)
    assert fp.Equilibria.from_dict(entry) == found


@pytest.mark.parametrize("seed", range(40))
def test_prices_against_the_cheapest_vector_of_all(seed):
    question = random_game(seed)
    played = play(question, most_profiles=4_000)
    if played is None:
        pytest.skip("too many profiles")
    found = fp.equilibria(question.build())
    content = [m for m in equilibria(played) if played.met[(slice(None), *m)].all()]
    if not content:
        assert found.stability is found.anarchy is found.best is found.worst is None
        return
    costs = [float(question.cost @ m) for m in content]
    question = replace(question, guarantee="per-agent")
    grid = vectors_up_to(question, min(costs))
    if grid is None:
        pytest.skip("too many vectors")
    optimum = float((grid[is_enough(question, grid)] @ question.cost).min())
    assert found.price_of_stability == pytest.approx(min(costs) / optimum if optimum else 1.0)
    assert found.price_of_anarchy == pytest.approx(max(costs) / optimum if optimum else 1.0)
    assert found.best.cost == min(costs)
    assert found.worst.cost == max(costs)


def test_convex_costs_move_the_prices_and_not_the_profiles():
    plain = fp.equilibria(fp.examples.alice_bob())
    curved = fp.equilibria(fp.examples.alice_bob().replace(cost=[fp.costs.Quadratic(1, 0.5), 1.0]))
    assert curved.profiles == plain.profiles
    assert curved.optimum.high == 2 + 2 + 3
    assert curved.price_of_stability == 1
    assert curved.price_of_anarchy == (14 + 98) / 7


def test_an_epsilon_of_one_s_own_moves_the_profiles():
    found = fp.equilibria(fp.examples.alice_bob().replace(epsilon={"alice": 0.1, "bob": 1.0}))
    assert found.profiles == ((14, 0),)
    assert found.worst.excess["alice"] > 0


def test_whose_targets_make_the_worst_equilibrium_dear():
    found = fp.equilibria(fp.examples.price_of_stability("1/64"))
    assert found.profiles == ((123, 0),)
    assert found.optimum.high == 67
    assert found.worst.excess["alice"] > 56
    assert found.worst.excess["bob"] < 0
    assert sum(found.worst.excess.values()) == 123 - 67


def test_those_who_cannot_meet_their_targets_alone_are_named():
    found = fp.equilibria(capped(4))
    assert (found.dependent["bob"].need, found.dependent["bob"].capacity) == (14, 4)
    assert found.profiles == ((0, 0), (2, 3), (3, 2))
    assert found.unmet == (("alice", "bob"), (), ())
    assert found.best.contributions == {"alice": 2, "bob": 3}
    assert found.price_of_anarchy == 1


def test_where_no_plan_exists_there_is_no_price():
    found = fp.equilibria(capped(1))
    assert found.optimum is None
    assert found.profiles == ((0, 0),)
    assert found.price_of_stability is found.stability is None
    assert found.unmet == (("alice", "bob"),)


def test_a_search_that_stops_early_bounds_the_prices():
    fed = many_equilibria()
    known = fp.equilibria(fed)
    stopped = fp.equilibria(fed, time_limit=0)
    assert stopped.status is fp.game.EquilibriaStatus.STOPPED
    assert stopped.price_of_anarchy is None
    assert stopped.stability.low <= known.price_of_stability <= stopped.stability.high
    assert stopped.anarchy.low <= known.price_of_anarchy <= stopped.anarchy.high
    few = fp.equilibria(fed, max_count=2)
    assert few.status is fp.game.EquilibriaStatus.CUT
    assert (few.price_of_stability, few.price_of_anarchy) == (known.price_of_stability, known.price_of_anarchy)


def test_nothing_to_contribute():
    found = fp.equilibria(fp.examples.alice_bob().replace(epsilon=1.0))
    assert found.profiles == ((0, 0),)
    assert (found.price_of_stability, found.price_of_anarchy) == (1, 1)


def test_the_drawing_shows_the_cheapest_and_the_dearest():
    axes = fp.equilibria(fp.examples.alice_bob()).plot().axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "best plan", "(2, 3)", "(3, 2)", "(1, 7)", "(7, 1)", "(0, 14)", "(14, 0)",
    ]  # fmt: skip


REFUSED = [
    ("max_count", 0),
    ("time_limit", -1),
    ("time_limit", float("nan")),
]


def test_bad_limits_are_refused():
    for field, value in REFUSED:
        with pytest.raises(fp.FederationError, match=f"{field} must be"):
            fp.equilibria(fp.examples.alice_bob(), **{field: value})
