"""Making the game of a federation: the largest strategy of every agent.

Nobody contributes more than n_ind(i), what it needs alone. An agent that cannot meet its target alone, because
its capacity is below n_ind(i) or 2^40 samples are not enough, gives at most its largest response to what the
others can do. That is found where the others give just enough for it to reach its target at all.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.game.boxes import Boxes, halve
from fedpact.game.game import Game, Profiles, bisect, find_least, respond, with_count
from fedpact.statistics.engine import engine_of
from fedpact.statistics.standalone import MOST, standalone

# Boxes to look into, for all agents together; beyond, an agent's largest strategy is all that it can give.
_MOST_BOXES = 40_000


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

    enough = bisect(is_enough, np.zeros(k, dtype=np.int64), total)
    return int(respond(game, fill(np.arange(k), np.minimum(enough, total)), agent).max())


def _find_largest(game: Game, agent: int) -> int:
    """Largest response of an agent that needs the others, over all that they can do.

    It is largest where the others give just enough for it to reach its target at all. Boxes of what the others
    give are halved until their least corner is enough; a box whose largest corner surely is not has no response.
    Some such places are tried first: where the agent gives all it can there, nothing is larger. All that it can
    give is also the answer where bounds cannot decide a profile, or the boxes are too many.
    """
    boxes = Boxes(np.zeros((1, game.fed.k), dtype=np.int64), with_count(game.most[None], agent, 0))
    largest, looked = _respond_to_just_enough(game, agent), 0
    while len(boxes) and looked < _MOST_BOXES // game.fed.k and largest < game.most[agent]:
        looked += len(boxes)
        is_lost = game.judge(with_count(boxes.high, agent, game.most[agent]), agent)[1]
        boxes = boxes[~is_lost]
        least = find_least(game, boxes.low, agent, 0, game.most[agent])
        is_always = least <= game.most[agent]
        largest = max(largest, *least[is_always].tolist(), 0)
        boxes = boxes[~is_always]
        if boxes.is_point.any():
            break
        boxes = halve(boxes)
    return int(game.most[agent]) if len(boxes) else largest


@memoized
def game_of(fed: Federation) -> Game:
    """Return the game of a federation, made once and kept with it."""
    needs = standalone(fed)
    can_give = np.array(
        [MOST if agent.capacity is None else min(agent.capacity, MOST) for agent in fed.agents], dtype=np.int64
    )
    need = np.array([MOST + 1 if count is None else count for count in needs.values()], dtype=np.int64)
    reach = np.minimum(need, can_give)
    game = Game(
        fed=fed, engine=engine_of(fed), most=reach, reach=reach, is_self_sufficient=need <= can_give, needs=needs
    )
    dependent = np.flatnonzero(~game.is_self_sufficient)
    most = game.most.copy()
    most[dependent] = [_find_largest(game, int(agent)) for agent in dependent]
    return replace(game, most=most)
