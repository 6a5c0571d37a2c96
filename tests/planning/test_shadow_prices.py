import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.plan import plan
from fedpact.planning.shadow_prices import shadow_prices


def sites(**settings):
    """Three sites with noisy models, so that no two rates are alike."""
    rng = np.random.default_rng(3)
    predictions = {}
    for name in ("north", "south", "west"):
        truth = rng.integers(0, 4, 60)
        is_wrong = rng.random((8, 60)) < rng.uniform(0.05, 0.4, (8, 1))
        predictions[name] = np.where(is_wrong, rng.integers(0, 4, (8, 60)), truth)
    settings = {"epsilon": [0.15, 0.2, 0.1], "delta": 0.05, "cost": [1, 2, 3]} | settings
    return fp.Federation.from_predictions(predictions, **settings)


def fractional_cost(fed):
    return plan(fed, "union").fractional_cost


@pytest.mark.parametrize("guarantee", ["per-agent", "joint"])
def test_the_price_of_delta_is_the_slope_of_the_fractional_cost(guarantee):
    fed = sites(guarantee=guarantee)
    prices = shadow_prices(fed)
    assert prices.fractional_cost == pytest.approx(fractional_cost(fed), rel=1e-5)
    step = 0.02
    less, more = (fractional_cost(fed.replace(delta=fed.delta * np.exp(-sign * step))) for sign in (-1, 1))
    assert prices.delta == pytest.approx((more - less) / (2 * step), rel=1e-2)
    assert prices.halving_delta == pytest.approx(np.log(2) * prices.delta)
    assert plan(fed, "union").delta_price == pytest.approx(prices.delta, rel=1e-2)


@pytest.mark.parametrize("guarantee", ["per-agent", "joint"])
def test_the_saving_is_what_the_next_epsilon_saves(guarantee):
    fed = sites(guarantee=guarantee)
    prices = shadow_prices(fed)
    assert guarantee == "joint" or any(price.saving for price in prices.epsilon.values())
    for agent, price in enumerate(prices.epsilon.values()):
        if price.next_epsilon is None:
            continue
        epsilon = fed.epsilon
        epsilon[agent] = price.next_epsilon
        saving = prices.fractional_cost - fractional_cost(fed.replace(epsilon=epsilon))
        assert price.saving == pytest.approx(saving, abs=1e-4 * prices.fractional_cost)
        assert price.rate == pytest.approx(price.saving / (price.next_epsilon - price.epsilon))


def test_shares_add_up_and_an_agent_without_a_binding_row_is_free():
    prices = shadow_prices(sites(epsilon=[0.15, 0.2, 1]))
    assert sum(price.share for price in prices.epsilon.values()) == pytest.approx(1)
    assert prices.epsilon["west"].share == prices.epsilon["west"].rate == 0
    assert prices.epsilon["west"].next_epsilon is None


def test_a_free_agent_is_really_free():
    fed = sites()
    prices = shadow_prices(fed)
    for agent, price in enumerate(prices.epsilon.values()):
        if price.share == 0:
            epsilon = fed.epsilon
            epsilon[agent] = 1.0
            assert fractional_cost(fed.replace(epsilon=epsilon)) == pytest.approx(prices.fractional_cost, rel=1e-5)


def test_expected_objective_prices_are_slopes():
    fed = sites(objective="expected", epsilon=[0.1, 0.15, 0.12])
    prices = shadow_prices(fed)
    assert prices.delta is None
    assert any(price.rate > 0 for price in prices.epsilon.values())
    for agent, price in enumerate(prices.epsilon.values()):
        step = 1e-3
        costs = []
        for sign in (-1, 1):
            epsilon = fed.epsilon
            epsilon[agent] += sign * step
            costs.append(fractional_cost(fed.replace(epsilon=epsilon)))
        assert price.rate == pytest.approx((costs[0] - costs[1]) / (2 * step), rel=0.05, abs=0.5)


def test_nothing_binds_where_nothing_is_bad():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.95, 0.05]], epsilon=0.1, delta=0.1)
    prices = shadow_prices(fed)
    assert (prices.delta, prices.fractional_cost, prices.epsilon["agent-1"].rate) == (0, 0, 0)


def test_capacities_that_leave_no_solution_are_said():
    fed = fp.Federation.from_table(
        fp.planning.classes.all_labelings(2), [[0.5, 0.5]], epsilon=0.1, delta=0.05, capacity=2, names=["alice"]
    )
    with pytest.raises(fp.InfeasibleError, match="alice"):
        shadow_prices(fed)


def test_the_currency_changes_the_amounts_only():
    fed = sites()
    cheap = shadow_prices(fed.replace(cost=[1e-9, 2e-9, 3e-9]))
    for name, ours in shadow_prices(fed).epsilon.items():
        assert cheap.epsilon[name].rate == pytest.approx(ours.rate * 1e-9, rel=1e-4)
    assert cheap.delta == pytest.approx(shadow_prices(fed).delta * 1e-9, rel=1e-6)


def test_prices_of_hidden_counts_are_refused():
    site = fp.Report(name="alice", n=50, n_classes=2, counts=np.array([0, 20, 20]), minimum_count=5)
    with pytest.raises(fp.FederationError, match=r"prices need exact rates.*reports that hide nothing"):
        fp.planning.shadow_prices(fp.Federation.from_reports([site], epsilon=0.1, delta=0.05))


def test_prices_at_a_confidence_are_refused():
    fed = fp.Federation.from_predictions({"a": [[0, 1], [1, 1]]}, epsilon=0.1, delta=0.1)
    with pytest.raises(fp.FederationError, match="leave the confidence out"):
        fp.planning.shadow_prices(fp.planning.at_confidence(fed, 0.95))


def test_where_the_next_epsilon_needs_nothing_it_saves_everything():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]], epsilon=0.1, delta=0.1)
    calls = []
    prices = shadow_prices(fed, progress=lambda *given: calls.append(given))
    assert calls == [(1, 1)]
    assert prices.epsilon["agent-1"].next_epsilon == 0.5
    assert prices.epsilon["agent-1"].saving == prices.fractional_cost == pytest.approx(np.log(0.1) / np.log(0.5))


def test_what_only_the_union_program_cannot_reach_is_said():
    """Eight hypotheses are missed together where the first point is; a sum of their probabilities counts eight."""
    labels = np.hstack([np.arange(9)[:, None] > 0, np.eye(9, dtype=bool)[:, 1:], np.zeros((9, 1), dtype=bool)])
    masses = [0.6, *[0.01] * 8, 0.32]
    fed = fp.Federation.from_table(labels, [masses], epsilon=0.1, delta=0.05, capacity=4)
    assert fp.plan(fed, "exact").contributions == {"agent-1": 4}
    with pytest.raises(fp.errors.NoPlanFoundError):
        shadow_prices(fed)
