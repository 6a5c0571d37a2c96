"""What an agent does by itself: the least contribution that meets its own target, given the others'.

Agent i chooses m_i and cares about its own target alone (the paper's section 2: utility 1 if fail_i(m) <= delta,
less c_i(m_i)). The paper's self-sufficiency assumption makes meeting the target worth what it costs alone, so
costs do not matter for what an agent does:

- its best response to the others is the least m_i with which its target is met. More data never harm (ERRATA
  C3), so the condition is monotone in m_i and a one-dimensional search finds it; and the more the others give,
  the less it is.
- nobody contributes more than n_ind(i), what it needs alone: more is dominated (ERRATA C4).

The paper leaves out agents that are not self-sufficient. Here such an agent, whose capacity is below n_ind(i) or
for whom 2^40 samples are not enough, responds with the least m_i that is enough together with the others', and
with 0 where not even everything it has is enough. Its response is 0, then high, then falling as the others give
more.

The game is always about each agent's own target, also where the federation's guarantee is joint. Where fail_i
is only known within an interval, "met" and "missed" mean surely so; between them a question stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError
from fedpact.statistics.engine import Engine, engine_of
from fedpact.statistics.standalone import MOST, standalone
from fedpact.statistics.verification import read_contributions

Profiles: TypeAlias = NDArray[np.int64]
"""(B, k) one contribution vector per row."""

# Boxes to look into, for all agents together, for the largest response of an agent that needs the others; beyond,
# all that it can give.
_MOST_BOXES = 40_000


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


def _bisect(
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
    return _bisect(lambda rows, count: game.judge(with_count(m[rows], moves, count), agent)[0], low, high)


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

    found = _bisect(is_enough, np.concatenate([first, np.maximum(first - 1, 0)]), np.concatenate([last, last]))
    return found[: len(low)], np.minimum(found[len(low) :], last)


def respond(game: Game, m: Profiles, agent: int) -> NDArray[np.int64]:
    """(B,) one agent's best response to the others in every profile."""
    least = find_least(game, m, agent, 0, game.reach[agent])
    return np.where(least <= game.reach[agent], least, 0)


def _respond_to_just_enough(game: Game, agent: int) -> int:
    """Largest response to others who, one after the other from each of them on, give until it has one at all."""
    k = game.fed.k
    order = np.array([np.roll(np.arange(k), -first) for first in range(k)])
    most = with_count(game.most[None], agent, 0)[0][order]
    before = np.cumsum(most, axis=1) - most
    total = np.full(k, most[0].sum())

    def fill(rows: NDArray[np.intp], count: NDArray[np.int64]) -> Profiles:
        m = np.empty((len(rows), k), dtype=np.int64)
        given = np.clip(count[:, None] - before[rows], 0, most[rows])
        np.put_along_axis(m, order[rows], given, axis=1)
        return m

    def is_enough(rows: NDArray[np.intp], count: NDArray[np.int64]) -> NDArray[np.bool_]:
        return game.judge(with_count(fill(rows, count), agent, game.most[agent]), agent)[0]

    enough = _bisect(is_enough, np.zeros(k, dtype=np.int64), total)
    return int(respond(game, fill(np.arange(k), np.minimum(enough, total)), agent).max())


def _find_largest(game: Game, agent: int) -> int:
    """Largest response of an agent that needs the others, over all that they can do.

    It is largest where the others give just enough for it to reach its target at all. Boxes of what the others
    give are halved until their least corner is enough; a box whose largest corner surely is not has no response.
    Some such places are tried first: where the agent gives all it can there, nothing is larger. All that it can
    give is also the answer where bounds cannot decide a profile, or the boxes are too many.
    """
    low, high = np.zeros((1, game.fed.k), dtype=np.int64), with_count(game.most[None], agent, 0)
    largest, looked = _respond_to_just_enough(game, agent), 0
    while len(low) and looked < _MOST_BOXES // game.fed.k and largest < game.most[agent]:
        looked += len(low)
        is_lost = game.judge(with_count(high, agent, game.most[agent]), agent)[1]
        low, high = low[~is_lost], high[~is_lost]
        least = find_least(game, low, agent, 0, game.most[agent])
        is_always = least <= game.most[agent]
        largest = max(largest, *least[is_always].tolist(), 0)
        low, high = low[~is_always], high[~is_always]
        if (low == high).all(axis=1).any():
            break
        rows, side = np.arange(len(low)), (high - low).argmax(axis=1)
        middle = (low[rows, side] + high[rows, side]) // 2
        left, right = high.copy(), low.copy()
        left[rows, side], right[rows, side] = middle, middle + 1
        low, high = np.concatenate([low, right]), np.concatenate([left, high])
    return int(game.most[agent]) if len(low) else largest


def game_of(fed: Federation) -> Game:
    """Return the game of a federation, made once and kept with it."""
    if Game not in fed.memo:
        needs = standalone(fed)
        can_give = np.array(
            [MOST if agent.capacity is None else min(agent.capacity, MOST) for agent in fed.agents], dtype=np.int64
        )
        need = np.array([MOST + 1 if count is None else count for count in needs.values()], dtype=np.int64)
        reach = np.minimum(need, can_give)
        game = Game(
            fed=fed,
            engine=engine_of(fed),
            most=reach,
            reach=reach,
            is_self_sufficient=need <= can_give,
            needs=needs,
        )
        dependent = np.flatnonzero(~game.is_self_sufficient)
        largest = [_find_largest(game, int(agent)) for agent in dependent]
        most = game.most.copy()
        most[dependent] = largest
        fed.memo[Game] = replace(game, most=most)
    kept = fed.memo[Game]
    assert isinstance(kept, Game)
    return kept


def _read_profiles(fed: Federation, m: NDArray[Any]) -> Profiles:
    """Check many contribution vectors at once, the largest of each agent as :func:`fedpact.verify` does."""
    if m.shape[1] != fed.k or m.dtype.kind not in "iu" or (m < 0).any():
        raise FederationError(
            f"m must hold a whole number >= 0 for each of {fed.k} agents in every row; it is an array of "
            f"{m.dtype} of shape {m.shape}"
        )
    if len(m):
        read_contributions(fed, m.max(axis=0))
    return m.astype(np.int64)


def best_response(fed: Federation, m: Any) -> NDArray[np.int64]:
    """Best response of every agent to what the others contribute.

    Parameters
    ----------
    fed
        The federation.
    m
        One profile, as for :func:`fedpact.verify`, or (B, k) many at once.

    Returns
    -------
    ndarray
        (k,) or (B, k): the least contribution with which each agent's own target is met, the others
        as in ``m``; 0 where the agent cannot meet it.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> best_response(alice_bob(), [2, 3])
    array([2, 3])
    >>> best_response(alice_bob(), [[0, 0], [1, 7]]).tolist()
    [[14, 14], [1, 7]]
    """
    has_many = not isinstance(m, Mapping) and np.ndim(m) == 2
    profiles = _read_profiles(fed, np.asarray(m)) if has_many else read_contributions(fed, m)[None]
    game = game_of(fed)
    answers = np.stack([respond(game, profiles, agent) for agent in range(fed.k)], axis=1)
    return answers if has_many else answers[0]
