import itertools
import json

import numpy as np
import pytest

import fedpact as fp
from profiles import equilibria, play, random_game


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
        assert fp.game.Regret.from_dict(json.loads(json.dumps(seen.to_dict()))) == seen


def test_every_profile_of_alice_and_bob():
    fed = fp.examples.alice_bob()
    found = [m for m in itertools.product(range(15), repeat=2) if fp.game.regret(fed, m).is_equilibrium]
    assert tuple(found) == fp.equilibria(fed).profiles


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


@pytest.mark.parametrize(
    ("worth", "match"),
    [
        (14, "worth must be above .* 14 for 'alice'; it is 14"),
        ([20], "worth must be one value or one per agent; 1 for 2 agents"),
        ({"alice": 20}, "worth is given per agent but agent 'bob' has none"),
        ({"alice": 20, "carol": 20}, "worth names 'carol', who is not in the federation"),
        ("much", "agent 'alice': worth must be a number"),
    ],
)
def test_a_worth_that_no_agent_would_pay_is_refused(worth, match):
    with pytest.raises(fp.FederationError, match=match):
        fp.game.regret(fp.examples.alice_bob(), [0, 0], worth=worth)
