"""Cost games by brute force, and games whose values are simply given.

Values come from the grid of :mod:`grid`, the Shapley value from all orders of arrival, the least core from one
linear program over all groups; none of them shares code with :mod:`fedpact.coalition`.
"""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
from scipy.optimize import linprog

import fedpact as fp
from fedpact.coalition.cost_game import CostGame, Value
from grid import Question, is_enough, vectors_up_to


def capped(capacity):
    """Alice and Bob with capacities."""
    return fp.examples.alice_bob().replace(capacity=capacity)


def groups_of(k):
    """Every group, that of all agents last."""
    return [group for size in range(1, k + 1) for group in combinations(range(k), size)]


def small_question(seed, *, guarantee="per-agent", objective="pac"):
    """Few samples are needed, so that the grid stays small for up to four agents."""
    rng = np.random.default_rng(seed)
    k, n, H = rng.integers(2, 5), rng.integers(2, 5), rng.integers(2, 5)
    masses = rng.integers(0, 5, (k, n)) + 4 * (np.arange(n) == rng.integers(0, n, (k, 1)))
    has_capacity = rng.random() < 0.4
    return Question(
        labels=rng.integers(0, 2, (H, n)),
        distributions=masses / masses.sum(axis=1, keepdims=True),
        epsilon=rng.choice([0.1, 0.25, 0.4], k),
        delta=float(rng.choice([0.25, 0.4, 0.6])),
        cost=rng.integers(1, 4, k).astype(float),
        capacity=tuple(int(c) if has_capacity else None for c in rng.integers(1, 8, k)),
        objective=objective,
        guarantee=guarantee,
    )


def restrict_question(question, group):
    chosen = list(group)
    return replace(
        question,
        distributions=question.distributions[chosen],
        epsilon=question.epsilon[chosen],
        cost=question.cost[chosen],
        capacity=tuple(question.capacity[place] for place in chosen),
    )


def cheapest(question):
    """Cost of the cheapest vector of the grid; infinite if the capacities leave none, None if it is too large."""
    highest = sum(
        np.inf if cap is None else c * cap for c, cap in zip(question.cost, question.capacity, strict=True)
    )
    budget = 4.0
    while True:
        grid = vectors_up_to(question, min(budget, highest))
        if grid is None:
            return None
        enough = grid[is_enough(question, grid)]
        if len(enough):
            return float((enough @ question.cost).min())
        if budget >= highest:
            return np.inf
        budget *= 1.5


def brute_values(question):
    """Group to v by brute force; None if the grid is too large or all agents together have no plan."""
    k = len(question.cost)
    values = {group: cheapest(restrict_question(question, group)) for group in groups_of(k)}
    return None if None in values.values() or np.isinf(values[tuple(range(k))]) else values


def brute_shapley(values, k):
    """(k,) the mean over all orders of arrival."""
    orders = list(permutations(range(k)))
    x = np.zeros(k)
    for order in orders:
        before = 0.0
        for end in range(1, k + 1):
            after = values[tuple(sorted(order[:end]))]
            x[order[end - 1]] += (after - before) / len(orders)
            before = after
    return x


def rows_of(values, k):
    """(R, k) who is in each proper group that has a plan, and (R,) its value."""
    kept = [group for group in groups_of(k)[:-1] if np.isfinite(values[group])]
    inside = np.array([[place in group for place in range(k)] for group in kept], dtype=float).reshape(-1, k)
    return inside, np.array([values[group] for group in kept])


def brute_least_core(values, k):
    """The least e by one linear program; None if it has no lower end."""
    inside, limits = rows_of(values, k)
    found = linprog(
        [*[0] * k, 1],
        A_ub=np.hstack([inside, -np.ones((len(inside), 1))]) if len(inside) else None,
        b_ub=limits if len(inside) else None,
        A_eq=[[*[1] * k, 0]],
        b_eq=[values[tuple(range(k))]],
        bounds=[(None, None)] * (k + 1),
    )
    assert found.status in (0, 3)
    return found.fun if found.status == 0 else None


def leaving_groups(values, x):
    """Groups that pay more than by themselves."""
    k, total = len(x), values[tuple(range(len(x)))]
    return {
        group for group in groups_of(k)[:-1] if sum(x[list(group)]) - values[group] > 1e-6 * max(total, 1e-300)
    }


def given_game(values, k, bounds=None):
    """A cost game with these values; ``bounds`` are lower bounds of plans that are not optimal."""
    fed = fp.Federation.from_table([[0], [1]], [[1.0]] * k, epsilon=0.1, delta=0.5)
    found = fp.plan(fed)
    game = CostGame(fed)
    for group, cost in values.items():
        lower = (bounds or {}).get(group, cost)
        game._values[group] = Value(cost=cost, lower_bound=lower, plan=found if np.isfinite(cost) else None)
    return game


def random_values(seed, k, *, infinite=0.0):
    """Values of no particular structure; some groups have none."""
    rng = np.random.default_rng(seed)
    values = {group: float(rng.integers(1, 30)) for group in groups_of(k)}
    lost = {group for group in groups_of(k)[:-1] if rng.random() < infinite}
    return {group: np.inf if group in lost else value for group, value in values.items()}
