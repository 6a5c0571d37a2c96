"""The game of a federation: who can play what, and the search for the least count that is enough.

Whether agent i's target is met is monotone in every contribution, so the least count with which it is, with
everything else fixed, is found by bisection, for many profiles at once. Where fail_i is only known within an
interval, "met" and "missed" mean surely so; between them a question stays open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.statistics.engine import Engine

Profiles: TypeAlias = NDArray[np.int64]
"""(B, k) one contribution vector per row."""


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """The strategies of a federation's agents and the answer to who is content with what."""

    fed: Federation
    engine: Engine
    most: NDArray[np.int64]
    """(k,) largest strategy: n_ind(i), or for an agent that needs the others its largest response to them."""
    reach: NDArray[np.int64]
    """(k,) the most that an agent may have to give whatever the others do: n_ind(i), or all it can."""
    is_self_sufficient: NDArray[np.bool_]
    """(k,) whether each agent can meet its target alone."""
    needs: dict[str, int | None]
    """n_ind(i), capacity aside; None if 2^40 samples are not enough."""

    def judge(self, m: Profiles, agent: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(B,) whether the agent's target is surely met, and whether it is surely missed."""
        limit = self.engine.threshold(agent)
        low, high = self.engine.decide(m, [agent])
        return ~exceeds(high[:, 0], limit), exceeds(low[:, 0], limit)


def with_count(m: Profiles, agent: int, count: ArrayLike) -> Profiles:
    """Replace one agent's contribution in every profile."""
    changed = m.copy()
    changed[:, agent] = count
    return changed


def bisect(
    is_enough: Callable[[NDArray[np.intp], NDArray[np.int64]], NDArray[np.bool_]],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(B,) least count from low to high that is enough, all rows at once; high + 1 where none is."""
    below, above = low - 1, high + 1
    while True:
        rows = np.flatnonzero(above - below > 1)
        if not len(rows):
            return above
        middle = (below[rows] + above[rows]) // 2
        enough = is_enough(rows, middle)
        above[rows[enough]] = middle[enough]
        below[rows[~enough]] = middle[~enough]


def find_least(
    game: Game, m: Profiles, agent: int, low: ArrayLike, high: ArrayLike, *, mover: int | None = None
) -> NDArray[np.int64]:
    """(B,) least count from low to high that surely meets the agent's target; high + 1 where none does.

    The count is the agent's own contribution, or that of ``mover``.
    """
    low, high = (np.broadcast_to(end, len(m)).astype(np.int64) for end in (low, high))
    moves = agent if mover is None else mover
    return bisect(lambda rows, count: game.judge(with_count(m[rows], moves, count), agent)[0], low, high)


def find_span(
    game: Game, low: Profiles, high: Profiles, agent: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(B,) between which of its counts the agent's best responses to the profiles from low to high lie.

    The first is the least count that is not surely missed with the others at ``high``, and ``high + 1`` if all
    are; the second the least that is surely met with the others at ``low``, at least one below ``low`` and at
    most ``high``. The two searches run side by side.
    """
    m = np.concatenate([high, low])
    first, last = low[:, agent], high[:, agent]

    def is_enough(rows: NDArray[np.intp], count: NDArray[np.int64]) -> NDArray[np.bool_]:
        met, missed = game.judge(with_count(m[rows], agent, count), agent)
        return np.where(rows < len(low), ~missed, met)

    found = bisect(is_enough, np.concatenate([first, np.maximum(first - 1, 0)]), np.concatenate([last, last]))
    return found[: len(low)], np.minimum(found[len(low) :], last)


def respond(game: Game, m: Profiles, agent: int) -> NDArray[np.int64]:
    """(B,) one agent's best response to the others in every profile.

    What is enough alone is enough with the others, also where bounds, which need not fall with m, do not show it.
    """
    least = find_least(game, m, agent, 0, game.reach[agent])
    return np.where(least <= game.reach[agent], least, game.reach[agent] * game.is_self_sufficient[agent])
