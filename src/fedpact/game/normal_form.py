"""The game as a table: strategies that are not dominated, and the payoffs of every profile of them.

Given what the others do, only the least m_i that is enough matters. So of all strategies those are kept that are
such a response to some profile of the others' kept strategies, and 0 where the target may be out of reach. Any
other costs more than the next lower one that is kept and meets the target in the same profiles: it is strictly
dominated. This is repeated until nothing goes; mixed equilibria lose nothing by it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Floats, Ints
from fedpact.errors import FederationError
from fedpact.game.game import Game, Profiles, find_least, with_count

MAX_PROFILES = 2_000_000
MAX_PAYOFFS = 20_000_000
NEVER = np.iinfo(np.int64).max
"""Stands for a response where none is enough."""

Strategies: TypeAlias = list[Ints]
"""Each agent's strategies, rising."""


def others_of(agent: int, strategies: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Leave one agent out."""
    return [kept for other, kept in enumerate(strategies) if other != agent]


def _grid_of_others(agent: int, strategies: Strategies) -> Profiles:
    """Every profile of the others' strategies, the agent itself at zero."""
    axes = [np.zeros(1, dtype=np.int64) if i == agent else kept for i, kept in enumerate(strategies)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(strategies))


def responses_of(game: Game, strategies: Strategies, agent: int) -> Ints:
    """Least contribution that is enough, with one axis per other agent; larger than any where none is."""
    shape = [len(kept) for kept in others_of(agent, strategies)]
    most = game.most[agent]
    least = find_least(game, _grid_of_others(agent, strategies), agent, 0, most)
    otherwise = most if game.is_self_sufficient[agent] else NEVER
    return np.where(least <= most, least, otherwise).reshape(shape)


def are_certain(game: Game, strategies: Strategies, agent: int, responses: Ints) -> bool:
    """Whether one sample less than each response, or all there is where there is none, surely is not enough."""
    less = np.where(responses == NEVER, game.most[agent], responses - 1)
    needs_some = responses > 0
    m = with_count(_grid_of_others(agent, strategies)[needs_some], agent, less[needs_some])
    return bool(game.judge(m, agent)[1].all())


def _check_size(game: Game) -> None:
    sizes = game.most + 1.0
    most = max(sizes.max(), (sizes.prod() / sizes).max())
    if most > MAX_PROFILES:
        raise FederationError(
            f"mixed equilibria need a table of at most {MAX_PROFILES:,} strategies, or profiles that an agent "
            f"faces; here it is {most:,.0f}. Use fewer agents, or a larger epsilon or delta"
        )


def drop_dominated(game: Game) -> Strategies:
    """Keep of every agent the responses to what the others have kept."""
    _check_size(game)
    strategies = [np.arange(most + 1) for most in game.most.tolist()]
    sizes: list[int] = []
    while sizes != [len(kept) for kept in strategies]:
        sizes = [len(kept) for kept in strategies]
        for agent in range(game.fed.k):
            responses = np.unique(responses_of(game, strategies, agent))
            strategies[agent] = np.unique(np.where(responses == NEVER, 0, responses))
    return strategies


def payoffs_of(game: Game, strategies: Strategies, worth: Floats) -> list[Floats]:
    """Utilities in units of each agent's worth, its own strategies along the first axis, then the others'."""
    size = math.prod(len(kept) for kept in strategies)
    if size > MAX_PAYOFFS:
        raise FederationError(
            f"mixed equilibria need a table of at most {MAX_PAYOFFS:,} profiles of strategies that are not "
            f"dominated; here it is {size:,}. Use fewer agents, or a larger epsilon or delta"
        )
    payoffs = []
    for agent, kept in enumerate(strategies):
        own = kept.reshape(-1, *[1] * (game.fed.k - 1))
        is_met = own >= responses_of(game, strategies, agent)[None]
        payoffs.append(is_met - game.fed.agents[agent].cost(own) / worth[agent])
    return payoffs
