import sys
from functools import partial

import numpy as np
import pytest
import quantecon.game_theory

import fedpact as fp
from fedpact.game import mixed, solve_mixed
from fedpact.game.solve_mixed import solve
from profiles import play, random_game


def ring(own, epsilon, delta, cost):
    """Three agents, each of whom sees its successor's point."""
    distributions = np.diag(own) + np.roll(np.diag(1 - np.array(own)), 1, axis=1)
    return fp.Federation.from_table(
        fp.planning.classes.all_labelings(3), distributions, epsilon=epsilon, delta=delta, cost=cost
    )


def check_mixed(found, met, costs):
    """Recompute everything from a table of who is content with which profile."""
    k = met.shape[0]
    shares = []
    for name, size in zip(found.strategies, met.shape[1:], strict=True):
        own = np.zeros(size)
        own[list(found.strategies[name])] = list(found.strategies[name].values())
        assert own.sum() == pytest.approx(1)
        assert own.min() >= 0
        shares.append(own)
    total = 0.0
    for agent, name in enumerate(found.strategies):
        chance = np.moveaxis(met[agent], agent, 0).astype(float)
        for other in reversed([other for other in range(k) if other != agent]):
            chance = chance @ shares[other]
        cost = np.array([float(costs[agent](count)) for count in range(len(chance))])
        utility = found.worth[name] * chance - cost
        own = float(shares[agent] @ utility)
        assert found.regret[name] == pytest.approx(max(0.0, utility.max() - own), abs=1e-9 * found.worth[name])
        assert found.regret[name] <= 1e-6 * found.worth[name]
        assert found.probability_met[name] == pytest.approx(shares[agent] @ chance)
        assert found.expected_contributions[name] == pytest.approx(shares[agent] @ np.arange(len(chance)))
        total += float(shares[agent] @ cost)
    assert found.expected_cost == pytest.approx(total)
    assert found.status is fp.game.MixedStatus.VERIFIED


@pytest.mark.parametrize("seed", range(25))
def test_nobody_gains_by_any_deviation(seed):
    question = random_game(seed)
    played = play(question, most_profiles=5_000)
    if played is None:
        pytest.skip("too many profiles")
    fed = question.build()
    check_mixed(fp.mixed_equilibrium(fed), played.met, [agent.cost for agent in fed.agents])


def test_a_ring_of_unequal_agents_is_solved_to_the_last_digit():
    fed = ring([0.376, 0.36, 0.336], epsilon=0.16, delta=0.341, cost=[0.03, 0.03, 0.02])
    assert fp.equilibria(fed).status is fp.game.EquilibriaStatus.NONE_EXISTS
    found = fp.mixed_equilibrium(fed)
    assert found.largest_regret < 1e-12
    assert not found.is_pure


def test_alice_and_bob_mix_over_every_equilibrium():
    found = fp.mixed_equilibrium(fp.examples.alice_bob())
    assert list(found.strategies["alice"]) == [0, 1, 2, 3, 7, 14]
    assert found.considered == {"alice": 6, "bob": 6}
    assert found.method == "support-enumeration"
    assert found.largest_regret < 1e-9


def test_convex_costs_change_the_mixture():
    curved = fp.examples.alice_bob().replace(cost=[fp.costs.Quadratic(1, 0.5), 1.0])
    found = fp.mixed_equilibrium(curved)
    assert found.status is fp.game.MixedStatus.VERIFIED
    assert found.worth == {"alice": 2 * (14 + 98), "bob": 28}
    assert found.strategies["bob"] != fp.mixed_equilibrium(fp.examples.alice_bob()).strategies["bob"]


def test_one_agent_alone_and_one_that_dominance_settles():
    one = fp.Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]], epsilon=0.1, delta=0.05)
    assert fp.mixed_equilibrium(one).strategies == {"agent-1": {5: 1.0}}
    stability = fp.mixed_equilibrium(fp.examples.price_of_stability())
    assert stability.strategies == {"alice": {20: 1.0}, "bob": {0: 1.0}}
    assert stability.method == "iterated-dominance"


def test_unequal_coins_of_three_are_found_to_the_last_digit():
    """Agents 2 and 3 want to match the first, who wants to differ from the second; each by weights of its own."""
    rng = np.random.default_rng(3)
    payoffs = []
    for agent in range(3):
        weight = rng.uniform(1, 2, (2, 2))
        is_same = np.eye(2) if agent else 1 - np.eye(2)
        payoffs.append(np.repeat((is_same * weight)[:, :, None], 2, axis=2))
    mixture, method = solve(payoffs)
    assert method == "mclennan-tourky"
    for agent, payoff in enumerate(payoffs):
        others = [mixture[other] for other in range(3) if other != agent]
        utility = np.einsum("abc,b,c->a", payoff, *others)
        assert utility.max() - mixture[agent] @ utility < 1e-9


PENNIES = np.array([[1.0, -1.0], [-1.0, 1.0]])


def three(first, second):
    """Two play, a third looks on."""
    return [first[:, :, None], second[:, :, None], np.zeros((1, 2, 2))]


def test_one_agent_takes_what_pays_most():
    assert solve([np.array([1.0, 3.0, 2.0])])[0][0].tolist() == [0, 1, 0]


def test_two_agents_with_many_strategies_are_solved_by_pivots_alone():
    payoff = np.kron(np.eye(5), PENNIES)
    mixture, method = solve([payoff, -payoff.T])
    assert method == "lemke-howson"
    for own, other, one in ((payoff, mixture[1], mixture[0]), (-payoff.T, mixture[0], mixture[1])):
        assert (own @ other).max() - one @ own @ other < 1e-12


def test_a_solver_that_does_not_converge_is_named(monkeypatch):
    monkeypatch.setattr(
        quantecon.game_theory, "lemke_howson", partial(quantecon.game_theory.lemke_howson, max_iter=1)
    )
    payoff = np.kron(np.eye(5), PENNIES)
    with pytest.raises(fp.errors.SolverError, match="Lemke-Howson did not converge"):
        solve([payoff, -payoff.T])


def test_what_does_not_converge_for_three_is_looked_for_among_pure_profiles(monkeypatch):
    monkeypatch.setattr(solve_mixed, "_MAX_ITERATIONS", 1)
    second_is_better = np.array([[0.0, 0.0], [1.0, 1.0]])
    mixture, method = solve(three(second_is_better, second_is_better))
    assert method == "every-profile"
    assert [own.tolist() for own in mixture] == [[0, 1], [0, 1], [1]]
    with pytest.raises(fp.errors.SolverError, match="McLennan-Tourky did not converge in 1 iterations"):
        solve(three(PENNIES, -PENNIES.T))


def test_a_support_on_which_nobody_is_indifferent_is_left_as_it_is():
    """The first is indifferent only if the second plays its first strategy with probability 3/2."""
    payoffs = three(np.array([[1.0, 0.0], [1.5, 1.5]]), PENNIES)
    mixture = [np.array([0.5, 0.5]), np.array([0.75, 0.25]), np.ones(1)]
    assert solve_mixed._sharpen(payoffs, mixture, 1e-3) is mixture


def test_what_is_no_equilibrium_is_called_approximate(monkeypatch):
    """Alice and bob both give nothing; each is 14 samples short of a target worth 28."""
    monkeypatch.setattr(mixed, "solve", lambda payoffs: ([np.eye(len(payoff))[0] for payoff in payoffs], "guess"))
    found = fp.mixed_equilibrium(fp.examples.alice_bob())
    assert found.status is fp.game.MixedStatus.APPROXIMATE
    assert found.regret == {"alice": 14.0, "bob": 14.0}


def test_without_quantecon_the_line_that_installs_it_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "quantecon.game_theory", None)
    with pytest.raises(fp.errors.MissingExtraError, match=r'pip install "fedpact\[game\]"'):
        fp.mixed_equilibrium(fp.examples.alice_bob())


def test_too_many_profiles_are_refused():
    with pytest.raises(fp.FederationError, match="at most 2,000,000 strategies"):
        fp.mixed_equilibrium(fp.examples.arizona_hospitals())


@pytest.mark.parametrize("cost", [1e-9, 1e-6, 1e-3])
def test_samples_that_cost_next_to_nothing_are_not_given_for_nothing(cost):
    """What is an equilibrium up to 1e-3 of the worth may have everybody give what nobody needs."""
    two = fp.Federation.from_table(
        [[2, 0], [1, 0], [1, 2]], [[0.6, 0.4], [0.5, 0.5]], epsilon=0.5, delta=0.6, cost=[cost, 2.0]
    )
    three = fp.Federation.from_table(
        [[0], [1]], [[1.0], [1.0], [1.0]], epsilon=0.1, delta=0.1, cost=[cost, 1.0, cost]
    )
    for fed in (two, three):
        found = fp.mixed_equilibrium(fed)
        assert found.status is fp.game.MixedStatus.VERIFIED
        assert found.largest_regret <= 1e-6 * cost


def test_a_table_that_no_memory_holds_is_refused():
    p = 1e-4
    fed = fp.Federation.from_table(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        [[p, p / 2, 1 - 1.5 * p], [p / 2, p, 1 - 1.5 * p]],
        epsilon=p / 4,
        delta=0.05,
    )
    with pytest.raises(fp.FederationError, match="at most 20,000,000 profiles"):
        fp.mixed_equilibrium(fed)
