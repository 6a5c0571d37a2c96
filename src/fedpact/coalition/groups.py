"""The groups that would do better by leaving a split.

S leaves the split x if x(S) > v(S). Up to twelve agents every group is looked at; a group whose lower bound
already reaches its share needs no plan. Beyond that the groups are too many, and the answer is that of a search:
singles, pairs and their complements first, then from the most promising of them and from random groups one agent
at a time is added or dropped while that raises x(S) less the lower bound of v(S). Whoever is found to leave has a
plan of its own and is certain to; a group that was not tried may leave too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np

from fedpact.coalition.cost_game import CostGame, Members, share_of
from fedpact.describe.arrays import Floats

MANY_AGENTS = 12
"""Up to this many agents every group is looked at."""
_PAIRS = 200
_STARTS = 4
_RELATIVE = 1e-8


class GroupSearch:
    """Groups that may leave: all of few agents; some of many, with plans for at most ``max_groups`` of them."""

    def __init__(self, game: CostGame, max_groups: int, rng: np.random.Generator) -> None:
        self.game, self.max_groups, self._rng = game, max_groups, rng
        places = game.everyone
        self.is_complete = len(places) <= MANY_AGENTS
        sizes = range(1, len(places)) if self.is_complete else (1, len(places) - 1)
        self._groups = dict.fromkeys(group for size in sizes for group in combinations(places, size))
        pairs = [] if self.is_complete else list(combinations(places, 2))
        for at in rng.permutation(len(pairs))[:_PAIRS]:
            self._groups[pairs[at]] = None
            self._groups[tuple(place for place in places if place not in pairs[at])] = None

    def find_better_off(self, x: Floats, level: float = 0.0, most: int | None = None) -> list[Members]:
        """Find groups that would save more than ``level`` by leaving ``x`` (k,), all or ``most``, best first."""
        above = level + self.game.tol + _RELATIVE * abs(level)
        better = (group for group in self._promising(x, above) if self.game.excess(x, group) > above)
        return sorted(islice(better, most), key=lambda group: -self.game.excess(x, group))

    def is_proved_stable(self, x: Floats) -> bool:
        """Whether the lower bounds of all groups show that none would do better by leaving ``x`` (k,)."""
        return self.is_complete and next(self._promising(x, self.game.tol), None) is None

    def find_usable(self, direction: Floats, most: int) -> list[Members]:
        """Find groups with a plan whose share does not fall by 1 along ``direction`` (k,)."""
        falls = {group: share_of(direction, group) for group in self._groups if self._may_plan(group)}
        found: list[Members] = []
        for group in sorted(falls, key=lambda group: -falls[group]):
            if falls[group] <= -1 + 1e-6 or len(found) >= most:
                break
            if self.game.lower_bound(group) < math.inf and self.game.value(group).cost < math.inf:
                found.append(group)
        return found

    def _promising(self, x: Floats, level: float) -> Iterator[Members]:
        """Give groups whose x(S) less the lower bound of v(S) is above ``level``, largest first."""
        if not self.is_complete:
            self._search(x)
        gaps = {group: self.game.gap(x, group) for group in self._groups}
        for group in sorted(gaps, key=lambda group: -gaps[group]):
            if gaps[group] > level and self._may_plan(group):
                yield group

    def _may_plan(self, group: Members) -> bool:
        return self.is_complete or self.game.has_planned(group) or self.game.planned < self.max_groups

    def _search(self, x: Floats) -> None:
        """Add what is found by climbing from the best groups so far and from random ones."""
        best = sorted(self._groups, key=lambda group: -self.game.gap(x, group))[:_STARTS]
        drawn = [np.flatnonzero(self._rng.random(self.game.fed.k) < 0.5) for _ in range(_STARTS)]
        for start in [*best, *(tuple(places.tolist()) for places in drawn if 0 < len(places) < self.game.fed.k)]:
            self._groups[self._climb(x, start)] = None

    def _climb(self, x: Floats, group: Members) -> Members:
        """Add or drop one agent while that raises the gap."""
        while True:
            flipped = (tuple(sorted(set(group) ^ {place})) for place in self.game.everyone)
            others = [other for other in flipped if 0 < len(other) < self.game.fed.k]
            better = max(others, key=lambda other: self.game.gap(x, other))
            if self.game.gap(x, better) <= self.game.gap(x, group):
                return group
            group = better
