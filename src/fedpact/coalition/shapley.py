"""The Shapley value of the cost game.

Let the agents arrive one after the other, in an order drawn uniformly, and charge each what its arrival adds:

    phi_i = E[ v(before i, with i) - v(before i) ] = sum_{S without i} |S|! (k - |S| - 1)! / k!  (v(S + i) - v(S)).

In every order the charges telescope to v(N), so they sum to it. Up to twelve agents the sum is taken over all
groups. Beyond, orders are drawn, and the mean over n of them has a standard error per agent, s / sqrt(n); it still
sums to v(N) exactly. A group without a plan has no value to charge, so the Shapley value is then undefined.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from fedpact.coalition.cost_game import CostGame, Members, Split
from fedpact.errors import InfeasibleError


def _cost(game: CostGame, group: Members) -> float:
    """Give v of a group, which must have a plan."""
    if not group:
        return 0.0
    value = game.value(group)
    if math.isinf(value.cost):
        names = game.names(group)
        raise InfeasibleError(
            f"rule 'shapley' is undefined: {' with '.join(map(repr, names))} cannot meet the targets without the "
            f"others; use rule 'least-core' ({value.reason})",
            agents=names,
        )
    return value.cost


def exact_shapley(game: CostGame) -> Split:
    """Sum over all groups."""
    k, x = game.fed.k, np.zeros(game.fed.k)
    for size in range(k):
        weight = 1 / (k * math.comb(k - 1, size))
        for group in combinations(game.everyone, size):
            for place in set(game.everyone) - set(group):
                joined = tuple(sorted((*group, place)))
                x[place] += weight * (_cost(game, joined) - _cost(game, group))
    return Split(x=x)


def sampled_shapley(game: CostGame, orders: int, rng: np.random.Generator) -> Split:
    """Mean over so many drawn orders, two at least."""
    charges = np.zeros((max(2, orders), game.fed.k))
    for added in charges:
        order = rng.permutation(game.fed.k)
        for at, place in enumerate(order):
            before, after = (tuple(sorted(order[:end].tolist())) for end in (at, at + 1))
            added[place] = _cost(game, after) - _cost(game, before)
    error = charges.std(axis=0, ddof=1) / math.sqrt(len(charges))
    return Split(x=charges.mean(axis=0), standard_error=error)
