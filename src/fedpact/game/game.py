"""The game of a federation: who can play what, who is content with what, and boxes of profiles.

Whether agent i's target is met is monotone in every contribution, so the least count with which it is, with
everything else fixed, is found by bisection, for many profiles at once. Where fail_i is only known within an
interval, "met" and "missed" mean surely so; between them a question stays open.

Nobody contributes more than n_ind(i), what it needs alone. An agent that cannot meet its target alone, because
its capacity is below n_ind(i) or 2^40 samples are not enough, gives at most its largest response to what the
others can do. That is found where the others give just enough for it to reach its target at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fedpact.describe.arrays import Bools, Ints, Places
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.describe.ties import exceeds
from fedpact.statistics.engine import AnyEngine, engine_of
from fedpact.statistics.standalone import MOST, standalone

Profiles: TypeAlias = Ints
"""(B, k) one contribution vector per row."""


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """The strategies of a federation's agents and the answer to who is content with what."""

    fed: Federation
    engine: AnyEngine
    most: Ints
    """(k,) largest strategy: n_ind(i), or for an agent that needs the others its largest response to them."""
    reach: Ints
    """(k,) the most that an agent may have to give whatever the others do: n_ind(i), or all it can."""
    is_self_sufficient: Bools
    """(k,) whether each agent can meet its target alone."""
    needs: dict[str, int | None]
    """n_ind(i), capacity aside; None if 2^40 samples are not enough."""

    def judge(self, m: Profiles, agent: int) -> tuple[Bools, Bools]:
        """(B,) whether the agent's target is surely met, and whether it is surely missed."""
        limit = self.engine.threshold(agent)
        low, high = self.engine.decide(m, [agent])
        return ~exceeds(high[:, 0], limit), exceeds(low[:, 0], limit)


def with_count(m: Profiles, agent: int, count: ArrayLike) -> Profiles:
    """Replace one agent's contribution in every profile."""
    changed = m.copy()
    changed[:, agent] = count
    return changed


def bisect(is_enough: Callable[[Places, Ints], Bools], low: Ints, high: Ints) -> Ints:
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
) -> Ints:
    """(B,) least count from low to high that surely meets the agent's target; high + 1 where none does.

    The count is the agent's own contribution, or that of ``mover``.
    """
    low, high = (np.broadcast_to(end, len(m)).astype(np.int64) for end in (low, high))
    moves = agent if mover is None else mover
    return bisect(lambda rows, count: game.judge(with_count(m[rows], moves, count), agent)[0], low, high)


def find_span(game: Game, low: Profiles, high: Profiles, agent: int) -> tuple[Ints, Ints]:
    """(B,) between which of its counts the agent's best responses to the profiles from low to high lie.

    The first is the least count that is not surely missed with the others at ``high``, and ``high + 1`` if all
    are; the second the least that is surely met with the others at ``low``, at least one below ``low`` and at
    most ``high``. The two searches run side by side.
    """
    m = np.concatenate([high, low])
    first, last = low[:, agent], high[:, agent]

    def is_enough(rows: Places, count: Ints) -> Bools:
        met, missed = game.judge(with_count(m[rows], agent, count), agent)
        return np.where(rows < len(low), ~missed, met)

    found = bisect(is_enough, np.concatenate([first, np.maximum(first - 1, 0)]), np.concatenate([last, last]))
    return found[: len(low)], np.minimum(found[len(low) :], last)


def respond(game: Game, m: Profiles, agent: int) -> Ints:
    """(B,) one agent's best response to the others in every profile.

    What is enough alone is enough with the others, also where bounds, which need not fall with m, do not show it.
    """
    least = find_least(game, m, agent, 0, game.reach[agent])
    return np.where(least <= game.reach[agent], least, game.reach[agent] * game.is_self_sufficient[agent])


def check_profiles(game: Game, m: Profiles) -> tuple[Bools, Bools]:
    """(B,) whether each profile surely is an equilibrium, and whether it surely is not."""
    surely, surely_not = np.ones(len(m), dtype=bool), np.zeros(len(m), dtype=bool)
    for agent in range(game.fed.k):
        met, missed = game.judge(m, agent)
        gives = m[:, agent] > 0
        less = with_count(m[gives], agent, m[gives, agent] - 1)
        content, unsettled = met.copy(), missed.copy()
        less_met, less_missed = game.judge(less, agent)
        content[gives] &= less_missed
        unsettled[gives] |= less_met
        if not game.is_self_sufficient[agent]:
            most_met, most_missed = game.judge(with_count(m[~gives], agent, game.most[agent]), agent)
            content[~gives] |= most_missed
            unsettled[~gives] &= most_met
        surely &= content
        surely_not |= unsettled
    return surely, surely_not


def find_unmet(game: Game, m: Profiles) -> Bools:
    """(B, k) whose target an equilibrium misses: of agents who cannot meet it alone, those who do not reach it."""
    unmet = np.zeros(m.shape, dtype=bool)
    for agent in np.flatnonzero(~game.is_self_sufficient):
        unmet[:, agent] = ~game.judge(m, int(agent))[0]
    return unmet


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Boxes of profiles."""

    low: Profiles
    high: Profiles

    def __getitem__(self, rows: Bools | Places | slice) -> Boxes:
        return Boxes(self.low[rows], self.high[rows])

    def __len__(self) -> int:
        return len(self.low)

    @property
    def is_point(self) -> Bools:
        """(N,) whether each holds one profile."""
        return np.asarray((self.low == self.high).all(axis=1))


def join(*parts: Boxes) -> Boxes:
    """Put boxes together."""
    return Boxes(np.concatenate([part.low for part in parts]), np.concatenate([part.high for part in parts]))


def halve(boxes: Boxes, torn: Bools | None = None) -> Boxes:
    """Cut every box in the middle of its longest side, or after some agent's zero where it is ``torn`` (N, k)."""
    rows, side = np.arange(len(boxes)), (boxes.high - boxes.low).argmax(axis=1)
    last = (boxes.low[rows, side] + boxes.high[rows, side]) // 2
    if torn is not None:
        is_torn = torn.any(axis=1)
        side, last = np.where(is_torn, torn.argmax(axis=1), side), np.where(is_torn, 0, last)
    left, right = boxes.high.copy(), boxes.low.copy()
    left[rows, side], right[rows, side] = last, last + 1
    return join(Boxes(boxes.low, left), Boxes(right, boxes.high))


# Boxes to look into, for all agents together; beyond, an agent's largest strategy is all that it can give.
_MOST_BOXES = 40_000


def _respond_to_just_enough(game: Game, agent: int) -> int:
    """Largest response to others who, one after the other from each of them on, give until it has one at all."""
    k = game.fed.k
    order = np.array([np.roll(np.arange(k), -first) for first in range(k)])
    most = with_count(game.most[None], agent, 0)[0][order]
    before = np.cumsum(most, axis=1) - most
    total = np.full(k, most[0].sum())

    def fill(rows: Places, count: Ints) -> Profiles:
        m = np.empty((len(rows), k), dtype=np.int64)
        given = np.clip(count[:, None] - before[rows], 0, most[rows])
        np.put_along_axis(m, order[rows], given, axis=1)
        return m

    def is_enough(rows: Places, count: Ints) -> Bools:
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
    can_give = np.array([min(MOST if agent.capacity is None else agent.capacity, MOST) for agent in fed.agents])
    need = np.array([MOST + 1 if count is None else count for count in needs.values()])
    reach = np.minimum(need, can_give)
    game = Game(
        fed=fed, engine=engine_of(fed), most=reach, reach=reach, is_self_sufficient=need <= can_give, needs=needs
    )
    dependent = np.flatnonzero(~game.is_self_sufficient)
    most = game.most.copy()
    most[dependent] = [_find_largest(game, int(agent)) for agent in dependent]
    return replace(game, most=most)
