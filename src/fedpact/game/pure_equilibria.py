"""All pure equilibria, by cutting boxes of profiles with best responses.

A profile is an equilibrium if every agent plays its best response to the others (see
:mod:`fedpact.game.best_response`). The more the others give, the less an agent responds with, so in a box low
<= m <= high of profiles agent i's part of an equilibrium lies between its response to high and its response
to low. A box is cut to that, agent by agent, and then halved; a box that becomes empty holds no equilibrium.
Many boxes are cut at once, and no payoff tensor is ever built. Where none is left there
is no pure equilibrium, as Theorem 6 of the paper says of its ring.

An agent that is not self-sufficient responds with 0 where it cannot reach its target. A box is split into the
agent's {0} and the rest before it is halved; in the rest the rule above holds, and {0} holds no equilibrium if
zero is never enough in it while all the agent has always is.

Once as many equilibria are found as were asked for, only the cheapest and the dearest that meet every target
are looked for: a box whose profiles can be neither cheaper nor dearer than what is known is dropped.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from fedpact.describe.arrays import Bools, Floats, Ints
from fedpact.describe.progress import Progress, ends_search
from fedpact.game.dynamics import play_to_rest
from fedpact.game.game import (
    Boxes,
    Game,
    Profiles,
    check_profiles,
    find_span,
    find_unmet,
    halve,
    join,
    with_count,
)
from fedpact.game.result import EquilibriaStatus

# A batch of boxes is as large as takes about this many seconds, so that time limits hold.
_BATCH_SECONDS = 0.2
_LARGEST_BATCH = 4096
# A call for a few boxes costs as much as one for many: up to so many, boxes are halved again before the next.
_WORTHWHILE = 512
# Rounds of best responses after which dynamics are not expected to settle.
_ROUNDS = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """What a search for equilibria came to."""

    profiles: Profiles
    """(E, k) equilibria, in lexicographic order."""
    undecided: Profiles
    """(U, k) profiles of which bounds cannot tell whether they are equilibria."""
    is_complete: bool
    """Whether there are no others."""
    is_interrupted: bool
    """Whether an interrupt from the keyboard ended the search."""
    share_searched: float
    """Share of all profiles that is settled."""
    cost_left: tuple[float, float] | None
    """Within which costs cheaper or dearer equilibria than those found must lie; None if there are no such."""

    @property
    def status(self) -> EquilibriaStatus:
        """How the search ended."""
        if self.is_complete:
            return EquilibriaStatus.ALL if len(self.profiles) else EquilibriaStatus.NONE_EXISTS
        if len(self.undecided) and self.share_searched == 1:
            return EquilibriaStatus.UNDECIDED
        if not len(self.profiles):
            return EquilibriaStatus.NONE_FOUND
        return EquilibriaStatus.STOPPED if self.cost_left else EquilibriaStatus.CUT


def _is_torn(game: Game, boxes: Boxes) -> Bools:
    """(N, k) whether an agent who needs the others gives nothing in one part of a box and something in another."""
    return np.asarray(~game.is_self_sufficient & (boxes.low == 0) & (boxes.high > 0))


def _cut(game: Game, boxes: Boxes, agent: int) -> Boxes:
    """Keep of every box what the agent's best responses allow; drop boxes that become empty."""
    at_least, at_most = find_span(game, boxes.low, boxes.high, agent)
    kept = Boxes(with_count(boxes.low, agent, at_least), with_count(boxes.high, agent, at_most))
    return kept[at_least <= at_most]


def _cut_at_zero(game: Game, boxes: Boxes, agent: int) -> Boxes:
    """Drop boxes in which the agent gives nothing though that is never enough and all it has always is."""
    is_never_enough = game.judge(boxes.high, agent)[1]
    is_always_reached = game.judge(with_count(boxes.low, agent, game.most[agent]), agent)[0]
    return boxes[~(is_never_enough & is_always_reached)]


def _cut_all(game: Game, boxes: Boxes) -> Boxes:
    """One round of cuts, agent by agent."""
    for agent in range(game.fed.k):
        if game.is_self_sufficient[agent]:
            boxes = _cut(game, boxes, agent)
        else:
            is_zero, is_torn = boxes.high[:, agent] == 0, _is_torn(game, boxes)[:, agent]
            boxes = join(
                boxes[is_torn],
                _cut(game, boxes[~is_zero & ~is_torn], agent),
                _cut_at_zero(game, boxes[is_zero], agent),
            )
    return boxes


class _Search:
    """Boxes that are left, and what was found so far."""

    def __init__(self, game: Game, max_count: int) -> None:
        self.game = game
        self.max_count = max_count
        self.left = Boxes(np.zeros((1, game.fed.k), dtype=np.int64), game.most[None].copy())
        self.found: list[Profiles] = []
        self.undecided: list[Profiles] = []
        self.count = 0
        self.cheapest, self.dearest = np.inf, -np.inf
        self.has_dropped = False
        self.is_interrupted = False
        self._log_all = float(np.log(game.most + 1.0).sum())

    @property
    def share_left(self) -> float:
        """Share of all profiles in boxes that are left."""
        return float(np.exp(np.log(self.left.high - self.left.low + 1.0).sum(axis=1) - self._log_all).sum())

    def take(self, size: int) -> Boxes:
        """Take boxes off: the last, or those that can change the extremes most."""
        if not self.is_listing:
            low, high = self._costs(self.left)
            gain = np.maximum(self.cheapest - low, high - self.dearest)
            self.left = self.left[np.argsort(gain, kind="stable")]
        start = max(0, len(self.left) - size)
        batch, self.left = self.left[start:], self.left[:start]
        return batch

    def look_into(self, boxes: Boxes, size: int) -> None:
        """Cut boxes, note the profiles that they come down to and keep the others in about ``size`` pieces."""
        boxes = _cut_all(self.game, boxes)
        is_point = boxes.is_point
        self._note(boxes.low[is_point])
        boxes = self._halve(boxes[~is_point])
        while len(boxes) < size and not boxes.is_point.all():
            is_point = boxes.is_point
            boxes = join(boxes[is_point], self._halve(boxes[~is_point]))
        self.left = join(self.left, boxes)
        if not self.is_listing:
            is_beyond = self._is_beyond(self.left)
            self.has_dropped |= not is_beyond.all()
            self.left = self.left[is_beyond]

    def _halve(self, boxes: Boxes) -> Boxes:
        return halve(boxes, _is_torn(self.game, boxes))

    def _note(self, m: Profiles) -> None:
        surely, surely_not = check_profiles(self.game, m)
        self.undecided.append(m[~surely & ~surely_not])
        new = m[surely]
        if not len(new):
            return
        cost = self.game.fed.costs_of(new)
        is_listed = np.arange(len(new)) < self.max_count - self.count
        cheapest, dearest = self.cheapest, self.dearest
        good = np.flatnonzero(~find_unmet(self.game, new).any(axis=1))
        if len(good):
            low, high = good[cost[good].argmin()], good[cost[good].argmax()]
            is_listed[low] |= cost[low] < cheapest
            is_listed[high] |= cost[high] > dearest
            cheapest, dearest = min(cheapest, cost[low]), max(dearest, cost[high])
        self.found.append(new[is_listed])  # first, so that an interrupt leaves no cost behind that nothing has
        self.count += int(is_listed.sum())
        self.has_dropped |= not is_listed.all()
        self.cheapest, self.dearest = cheapest, dearest

    @property
    def is_listing(self) -> bool:
        """Whether all equilibria are looked for, or only the cheapest and the dearest."""
        return self.count < self.max_count

    def _costs(self, boxes: Boxes) -> tuple[Floats, Floats]:
        """(N,) least and largest cost in each box."""
        return self.game.fed.costs_of(boxes.low), self.game.fed.costs_of(boxes.high)

    def _is_beyond(self, boxes: Boxes) -> Bools:
        """(N,) whether a box may hold something cheaper or dearer than is known."""
        low, high = self._costs(boxes)
        return np.asarray((low < self.cheapest) | (high > self.dearest))

    def result(self) -> Found:
        """Put together what was found."""
        undecided = np.concatenate([np.zeros((0, self.game.fed.k), dtype=np.int64), *self.undecided])
        rest = join(self.left, Boxes(undecided, undecided))
        rest = rest[self._is_beyond(rest)]
        low, high = self._costs(rest)
        profiles = np.concatenate([undecided[:0], *self.found])
        return Found(
            profiles=profiles[np.lexsort(profiles.T[::-1])],
            undecided=undecided,
            is_complete=not self.has_dropped and not len(self.left) and not len(undecided),
            is_interrupted=self.is_interrupted,
            share_searched=1 - min(1.0, self.share_left),
            cost_left=(float(low.min()), float(high.max())) if len(rest) else None,
        )

    def offer(self, m: Ints) -> None:
        """Note an equilibrium that was found in another way."""
        if not (np.concatenate([m[None][:0], *self.found]) == m).all(axis=1).any():
            self._note(m[None])


def _search_boxes(search: _Search, deadline: float, progress: Progress | None) -> None:
    """Look into boxes until none is left or the time is over."""
    size = 1
    while len(search.left) and time.monotonic() < deadline:
        start, before = time.monotonic(), search.left
        try:
            batch = search.take(size)
            search.look_into(batch, min(size, _WORTHWHILE))
        except KeyboardInterrupt:
            search.left = before
            raise
        seconds_each = (time.monotonic() - start) / len(batch)
        size = int(np.clip(_BATCH_SECONDS / max(seconds_each, 1e-9), 1, _LARGEST_BATCH))
        if progress is not None:
            progress(1 - search.share_left, 1.0)


def _try_dynamics(search: _Search, deadline: float) -> None:
    """Offer what round-robin dynamics settle at, each agent moving first once, until the time is over."""
    game = search.game
    for first in range(game.fed.k):
        m = play_to_rest(game, [*range(first, game.fed.k), *range(first)], _ROUNDS)
        if m is not None:
            search.offer(m)
        if time.monotonic() > deadline:
            return


def find_equilibria(game: Game, *, max_count: int, time_limit: float, progress: Progress | None = None) -> Found:
    """Search all profiles; an interrupt (Ctrl-C) or the end of the time returns what was found so far.

    A search that cannot finish gives a quarter of its time to best-response dynamics, which find single
    equilibria where boxes are still too large.
    """
    search = _Search(game, max_count)
    start = time.monotonic()
    try:
        _search_boxes(search, start + 0.75 * time_limit, progress)
        if len(search.left):
            _try_dynamics(search, start + time_limit)
    except ends_search():
        search.is_interrupted = True
        if not search.count:
            _try_dynamics(search, start)
    return search.result()
