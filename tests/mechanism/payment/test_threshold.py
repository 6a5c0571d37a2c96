"""Threshold payments against the paper's program solved by another solver, cost by cost."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

import fedpact as fp
from fedpact.mechanism.payment.threshold import find_thresholds

DELTA = 0.1


def random_federation(seed, **options):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    masses = rng.dirichlet(np.full(n, 0.7), k)
    masses[(masses < 0.1) & (masses < masses.max(axis=1, keepdims=True))] = 0
    return fp.Federation.from_table(
        rng.integers(0, 2, (int(rng.integers(2, 7)), n)),
        masses / masses.sum(axis=1, keepdims=True),
        cost=rng.uniform(0.5, 3, k),
        epsilon=0.05,
        delta=DELTA,
        **options,
    )


def rows_of(fed):
    """Coefficients of every pair that is bad for somebody; none is needed if there is none."""
    labels = fed.evidence.labels[fed.distinct]
    rates = [
        [masses[one != two].sum() for masses in fed.evidence.distributions]
        for one, two in itertools.combinations(labels, 2)
    ]
    bad = np.array([p for p in rates if max(p) > 0.05 + 1e-9]).reshape(-1, fed.k)
    return -np.log1p(-np.minimum(bad, 1 - 1e-15))


def solve_alone(fed, costs, *, without=None):
    """Optimum of the paper's program by scipy, or None."""
    a, b = rows_of(fed), np.log(fed.H / DELTA)
    if not len(a):
        return np.zeros(fed.k)
    bounds = [(0, 0 if agent == without else None) for agent in range(fed.k)]
    found = linprog(costs, -np.minimum(a, b), -np.full(len(a), b), bounds=bounds)
    return found.x if found.success else None


def with_cost(fed, agent, cost):
    rates = [float(a.cost(1)) for a in fed.agents]
    rates[agent] = cost
    return rates


def is_dispensable(fed, agent):
    return solve_alone(fed, with_cost(fed, agent, 1.0), without=agent) is not None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_the_payment_is_the_integral_of_the_quota_over_costs(seed):
    fed = random_federation(seed)
    found = find_thresholds(fed, (6.0,) * fed.k)
    for agent, own in enumerate(fed.agents):
        c = float(own.cost(1))
        at = np.linspace(c, 6.0, 201)
        quotas = [np.ceil(solve_alone(fed, with_cost(fed, agent, t))[agent] - 1e-7) for t in at]
        # The quota falls, so its values at either end of an interval bound it in between.
        below, above = (c * found.m[agent] + sum(part) * (6.0 - c) / 200 for part in (quotas[1:], quotas[:-1]))
        assert below - 1e-6 <= found.payments[agent] <= above + 1e-6


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 500), marks=pytest.mark.slow)])
def test_quotas_fall_with_the_own_cost_and_no_other_cost_pays(seeds):
    for seed in seeds:
        fed = random_federation(seed)
        ceiling = (10.0,) * fed.k
        truth = find_thresholds(fed, ceiling)
        agent = seed % fed.k
        c = float(fed.agents[agent].cost(1))
        around = [step.upto * (1 + nudge) for step in truth.steps[agent] for nudge in (-1e-6, 1e-6)]
        costs = [cost for cost in sorted([c / 3, 0.9 * c, 1.1 * c, 3 * c, 9.5, *around]) if cost <= 10]
        lies = [find_thresholds(fed.replace(cost=with_cost(fed, agent, cost)), ceiling) for cost in costs]
        quotas = [lie.m[agent] for lie in lies]
        assert quotas == sorted(quotas, reverse=True)
        best = max(lie.payments[agent] - c * lie.m[agent] for lie in lies)
        assert best <= truth.payments[agent] - c * truth.m[agent] + 1e-7 * max(1.0, truth.payments[agent])


def test_contributions_satisfy_the_paper_s_program_at_the_least_cost():
    for seed in range(40):
        fed = random_federation(seed)
        found = find_thresholds(fed, (10.0,) * fed.k)
        costs = np.array([float(a.cost(1)) for a in fed.agents])
        assert fp.verify(fed, found.m).is_feasible
        assert costs @ found.m <= costs @ solve_alone(fed, costs) + costs[found.m > 0].sum() + 1e-6
        assert (rows_of(fed) @ found.m >= np.log(fed.H / DELTA) * (1 - 1e-9)).all()


def test_exactly_the_indispensable_need_a_ceiling():
    for seed in range(60):
        fed = random_federation(seed)
        needed = [name for agent, name in enumerate(fed.names) if not is_dispensable(fed, agent)]
        if needed:
            with pytest.raises(fp.FederationError, match=f"{needed[0]}.* indispensable.*declare a ceiling"):
                find_thresholds(fed)
        else:
            assert (find_thresholds(fed).payments >= -1e-12).all()
            assert find_thresholds(fed).payments == pytest.approx(find_thresholds(fed, (1e6,) * fed.k).payments)


def test_some_of_the_random_federations_have_an_indispensable_agent_and_some_have_none():
    feds = [random_federation(seed) for seed in range(60)]
    are_free = [all(is_dispensable(fed, agent) for agent in range(fed.k)) for fed in feds]
    assert 5 < sum(are_free) < 55


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_another_currency_changes_nothing_but_the_unit(unit):
    fed = random_federation(3)
    costs = np.array([float(a.cost(1)) for a in fed.agents])
    one = find_thresholds(fed, (10.0,) * fed.k)
    other = find_thresholds(fed.replace(cost=(costs * unit).tolist()), (10.0 * unit,) * fed.k)
    assert other.m.tolist() == one.m.tolist()
    assert other.payments == pytest.approx(one.payments * unit, rel=1e-6)


def test_capacities_are_kept_and_raise_the_thresholds_of_the_others():
    twins = [[0.5, 0.5]] * 3
    options = {"cost": [1, 2, 3], "epsilon": 0.1, "delta": 0.25}
    free = find_thresholds(fp.Federation.from_table([[0, 0], [0, 1]], twins, **options))
    tight = find_thresholds(fp.Federation.from_table([[0, 0], [0, 1]], twins, capacity=2, **options))
    assert free.m.tolist() == [3, 0, 0]
    assert free.payments == pytest.approx([3 * 2.0, 0, 0])
    assert tight.m.tolist() == [2, 1, 0]
    # Agent 1's second sample is given by agent 2 from a cost of 2 on, its first one by agent 3 from 3 on.
    assert tight.payments == pytest.approx([2.0 + 3.0, 3.0, 0.0])


def test_a_rate_of_one_counts_the_same_whatever_was_solved_before():
    """A sample at p = 1 is worth the row's own right-hand side, which for expected error differs by row."""
    fed = fp.Federation.from_table(
        [[0, 0, 0], [1, 1, 0], [0, 1, 1]],
        [[0, 1, 0], [0.25, 0.15, 0.6], [0.5, 0.1, 0.4]],
        cost=[12, 9, 19],
        epsilon=[0.6, 0.6, 0.1],
        delta=0.1,
        objective="expected",
    )
    ceiling = (200.0,) * 3
    truth = find_thresholds(fed, ceiling)
    for cost in (9.5, 11, 12, 15, 20):
        lie = find_thresholds(fed.replace(cost=[12, cost, 19]), ceiling)
        assert lie.payments[1] - 9 * lie.m[1] <= truth.payments[1] - 9 * truth.m[1] + 1e-7


def test_a_whole_number_missed_by_noise_stays_within_the_capacity():
    fed = fp.Federation.from_table(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]],
        [[0.5, 0, 0.5], [0, 0.5, 0.5], [0, 0.5, 0.5]],
        cost=[1, 1, 5],
        epsilon=0.1,
        delta=4 * 0.5 ** (3 + 5e-8),
        capacity=[None, 3, None],
    )
    found = find_thresholds(fed, (10.0,) * 3)
    assert found.m[1] <= 3
    assert fp.verify(fed, found.m).is_feasible


def test_a_convex_cost_is_refused():
    fed = random_federation(0).replace(cost={"quadratic": [1, 1]})
    with pytest.raises(fp.FederationError, match="costs under rule 'threshold' must be one number per sample"):
        find_thresholds(fed)


def test_capacities_that_leave_no_plan_are_infeasible():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.5, 0.5]], epsilon=0.1, delta=0.1, capacity=1)
    with pytest.raises(fp.InfeasibleError, match="capacity"):
        find_thresholds(fed)
