"""Which candidate is within epsilon of the best at one site, from few of its labels; nothing is assumed of them.

Let b be the candidate with the fewest errors at the site, and r(c) = err(c) - err(b). For every other c the
capital of the bets against "err(c) - err(b) >= r(c)" (:mod:`fedpact.selection.bets`) is a supermartingale. With
weights pi, fixed before the site's labels, it reaches 1/(pi_c delta) for any c with probability delta at most; so
with probability 1 - delta none ever does. Then, for every c, whenever one looks,

- if for every g the capital against "err(c) - err(g) >= epsilon" has reached it, then r(c) < epsilon: the most
  that it ever was grows with the limit, so that at the limit r(c) it would have reached it too if r(c) were more;
- the same is true of every other epsilon, so of the least for which it is so;
- b is among the g for which that against "err(c) - err(g) >= 0" has not.

One threshold thus serves the promise, the epsilon proved so far and the survivors. Without weights, pi = 1/(H -
1).

Asked is where the *leader*, the candidate closest to its proof, and a *rival* differ: one that it is not proved
against yet. The other points say nothing that is wanted. Bets are on pairs of candidates that say on all of these
what the leader says, so that no point is left out where such a pair differs. Rivals are among them; and while some
rival differs from the leader nearly everywhere, so are most others, whose bets are not lost if they come to lead.
This is what makes few labels enough.

*Refuted* is a candidate c once the capital against "err(g) - err(c) >= -epsilon" has reached a threshold for some
g: then c errs more often than g by more than epsilon. It serves where one candidate is wanted for all sites.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Ints, Places
from fedpact.describe.progress import compiled
from fedpact.describe.ties import TIE, exceeds, tolerance
from fedpact.selection.bets import THETAS, count_point, find_reached, place_bets

_HALVINGS = 30
_STEPS = 40
_ROUNDING = 1e-12
_DIGITS = 9
"""Of what leaders are compared by, so that ties end alike on every machine."""


@compiled
def find_alike(said: NDArray[Any], points: Ints, leader: int) -> Bools:
    """(H,) who says at some points what the leader says; ``said`` is (H, n)."""
    alike = np.ones(len(said), dtype=np.bool_)
    for h in range(len(said)):
        for x in points:
            if said[h, x] != said[leader, x]:
                alike[h] = False
                break
    return alike


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """The points of one site that can be asked."""

    said: NDArray[np.integer]
    """(H, n) what every candidate says of every point."""
    mass: Floats
    """(n,) how likely the site sees each; they sum to 1."""
    differ: Floats
    """(H, H) mass of the points where two candidates differ."""
    most: Floats
    """(H, H) that mass, or its upper confidence limit where the points are a sample."""
    order: Ints | None = None
    """(n,) the points in random order, where the promise is about the distribution that they were drawn from."""

    @property
    def is_stream(self) -> bool:
        """Whether the promise is about the distribution that the points were drawn from."""
        return self.order is not None


class _Capital:
    """Bets on all pairs against one limit."""

    def __init__(self, H: int, limit: float) -> None:
        self.limit = limit
        self.now = np.ones((H, H, len(THETAS)))
        self.most = np.ones((H, H))
        """(H, H) the most that the mean over thetas ever was."""


@dataclass(slots=True)
class _Draw:
    """A point that was drawn, and what was bet on there."""

    point: int
    inside: Places
    label: int | None
    """None: not told yet, or not asked."""
    is_asked: bool


@dataclass(slots=True)
class _History:
    """What was drawn and told, in the order of the draws."""

    points: list[int] = field(default_factory=list)
    inside: list[Places] = field(default_factory=list)
    wrong: list[NDArray[np.int8]] = field(default_factory=list)


class SiteRegret:
    """What the labels of one site have proved so far.

    Parameters
    ----------
    pool
        The site's points.
    epsilon
        The regret that the site tolerates.
    threshold
        (H,) capital that proves something of a candidate.
    against
        Capital that refutes a candidate; None if none has to be.

    Examples
    --------
    >>> said = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]])
    >>> differ = (said[:, None] != said[None]).mean(axis=2)
    >>> pool = Pool(said=said, mass=np.full(4, 0.25), differ=differ, most=differ)
    >>> site = SiteRegret(pool, 0.25, np.full(3, 40.0))
    >>> rng = np.random.default_rng(0)
    >>> while not site.is_certified:
    ...     points = site.draw(1, rng)
    ...     asked = site.take(points, site.inside)
    ...     site.learn(dict.fromkeys(points, 0))
    >>> site.leader, len(site.asked), round(site.proved_epsilon(), 6)
    (1, 1, 0.25)
    """

    def __init__(self, pool: Pool, epsilon: float, threshold: Floats, against: float | None = None) -> None:
        self.pool, self.epsilon, self.threshold, self.against = pool, epsilon, threshold, against
        H = len(pool.said)
        self._near: Bools = np.logical_or(~exceeds(pool.most, epsilon), np.eye(H, dtype=bool))
        self._for = _Capital(H, epsilon)
        self._against = None if against is None else _Capital(H, -epsilon)
        self._seen, self._gap = np.zeros((H, H)), np.zeros((H, H))
        self._left: Bools = np.asarray(pool.mass > 0)
        self._waiting: deque[_Draw] = deque()
        self._history = _History()
        self.asked: list[int] = []
        self.look()

    def look(self, leader: int | None = None) -> None:
        """Find the leader, unless it is given: whose proof against the rival that is farthest lacks least."""
        rest = self.pool.differ - self._seen
        won: Bools = np.logical_or(self._for.most >= self.threshold[:, None], np.eye(len(rest), dtype=bool))
        lost: Bools = np.zeros(len(rest), dtype=bool)
        if not self.pool.is_stream:
            np.logical_or(won, ~np.asarray(exceeds(self._gap + rest - _ROUNDING, self.epsilon)), out=won)
            lost = np.asarray(np.asarray(exceeds(self._gap - rest - _ROUNDING, self.epsilon)).any(axis=1))
        self.proved: Bools = np.asarray((won | self._near).all(axis=1))
        """(H,) which candidates are proved to be within epsilon of the best."""
        self.settled: Bools = np.asarray(won.all(axis=1))
        """(H,) which of them by labels alone: how often candidates differ in a stream tells of points to come."""
        self.rival: Places = np.full(len(rest), -1)
        """(H,) who refutes each candidate, -1 where nobody does."""
        if self._against is not None and self.against is not None:
            won_against = self.against <= self._against.most.T
            if not self.pool.is_stream:
                won_against |= exceeds(self._gap - rest - _ROUNDING, self.epsilon)
            self.rival = np.where(won_against.any(axis=1), won_against.argmax(axis=1), -1)
        with np.errstate(divide="ignore"):
            lack = np.log(self.threshold)[:, None] - np.log(self._for.now.mean(axis=2))
        lack = np.where(won, 0.0, np.maximum(lack, 0.0))
        self.lack: Floats = np.where(lost | (self.rival >= 0), np.inf, lack.max(axis=1))
        """(H,) logarithm of the capital that each candidate lacks; infinite for those that cannot be proved."""
        far = np.where(won, 0.0, self._seen if self.pool.is_stream else self.pool.differ).sum(axis=1)
        if leader is None:
            order = (far, lack.sum(axis=1), self.lack)
            leader = int(np.lexsort((*(key.round(_DIGITS) for key in order), ~self.proved))[0])
        self.leader = leader
        """The candidate to choose, if labelling ends now."""
        self.rivals: Places = np.flatnonzero(~won[leader])
        """Candidates that the leader is not proved against."""
        self._wanted: Bools | None = None

    @property
    def region(self) -> Bools:
        """(n,) the points, not drawn yet, where the leader and some rival differ."""
        if self._wanted is None:
            said, left = self.pool.said, np.flatnonzero(self._left)
            self._wanted = np.zeros(len(self.pool.mass), dtype=bool)
            self._wanted[left] = (said[np.ix_(self.rivals, left)] != said[self.leader, left]).any(axis=0)
        return self._wanted & self._left

    @property
    def inside(self) -> Places:
        """Candidates that are bet on; in a stream leader and rivals, since others depend on points to come."""
        if self.pool.is_stream:
            return np.sort(np.append(self.rivals, self.leader))
        return np.flatnonzero(find_alike(self.pool.said, np.flatnonzero(self._left & ~self.region), self.leader))

    @property
    def is_certified(self) -> bool:
        """Whether the leader is proved to be within epsilon of the best."""
        return bool(self.proved[self.leader])

    def draw(self, n: int, rng: np.random.Generator) -> list[int]:
        """Choose the next points; none if no label would help. In a stream, those that need none come along."""
        region = self.region
        if self.pool.order is not None:
            return self._draw_next(n, region)
        places = np.flatnonzero(region)
        if not len(places):
            return []
        mass = self.pool.mass[places]
        drawn: list[int] = rng.choice(places, min(n, len(places)), replace=False, p=mass / mass.sum()).tolist()
        return drawn

    def _draw_next(self, n: int, region: Bools) -> list[int]:
        """Go through the points in their order until n of them need a label."""
        assert self.pool.order is not None
        order = self.pool.order[self._left[self.pool.order]]
        needed = np.flatnonzero(region[order])
        found: list[int] = order.tolist()
        return found[: int(needed[n - 1]) + 1] if len(needed) >= n else found

    def take(self, points: Sequence[int], inside: Places) -> list[int]:
        """Note that points were drawn for bets on some candidates; returns those that need a label."""
        said = self.pool.said
        asked = [point for point in points if (said[inside, point] != said[inside[0], point]).any()]
        needed = set(asked)
        self._waiting.extend(_Draw(point, inside, None, point in needed) for point in points)
        self._left[list(points)] = False
        self.asked += asked
        return asked

    def learn(self, labels: dict[int, int], leader: int | None = None) -> None:
        """Take labels of points that were asked, coded as the candidates'; bets follow the order of the draws."""
        for draw in self._waiting:
            if draw.label is None and draw.point in labels:
                draw.label = labels[draw.point]
        while self._waiting and (self._waiting[0].label is not None or not self._waiting[0].is_asked):
            self._bet(self._waiting.popleft())
        self.look(leader)

    def _bet(self, draw: _Draw) -> None:
        said = np.ascontiguousarray(self.pool.said[:, draw.point])
        wrong = np.zeros(len(said), dtype=np.int8) if draw.label is None else (said != draw.label).astype(np.int8)
        is_stream, differ = self.pool.is_stream, self.pool.differ
        for one in (self._for, self._against):
            if one is not None:
                known = (differ, self._seen, self._gap)
                place_bets(said, wrong, draw.inside, one.limit, is_stream, *known, one.now, one.most, THETAS)
        count_point(said, wrong, self.pool.mass[draw.point], self._seen, self._gap)
        self._history.points.append(draw.point)
        self._history.inside.append(draw.inside)
        self._history.wrong.append(wrong)

    def _find_reached(self, chosen: int, others: Places, limits: Floats) -> Ints:
        """(P,) after how many draws a candidate would have been proved against others at limits of their own."""
        pool, points = self.pool, np.array(self._history.points, dtype=np.intp)
        H, T = len(pool.said), len(points)
        inside = np.zeros((T, H), dtype=bool)
        for own, some in zip(inside, self._history.inside, strict=True):
            own[some] = True
        reached: Ints = find_reached(
            np.ascontiguousarray(pool.said[:, points].T),
            np.array(self._history.wrong, dtype=np.int8).reshape(T, H),
            inside,
            pool.mass[points],
            np.full(len(others), chosen),
            others,
            limits,
            limits + np.maximum(tolerance(np.maximum(limits, 0.0)), _ROUNDING),
            pool.most[chosen, others],
            pool.is_stream,
            np.full(len(others), self.threshold[chosen]),
            THETAS,
        )
        return reached

    def _others(self, chosen: int) -> Places:
        return np.delete(np.arange(len(self.pool.said)), chosen)

    def proved_epsilon(self, candidate: int | None = None) -> float:
        """Find the least epsilon for which a candidate, the leader if none is named, is proved."""
        chosen = self.leader if candidate is None else candidate
        others, T = self._others(chosen), len(self._history.points)
        pool_most = np.minimum(self.pool.most[chosen, others], 1.0)
        low, high = np.zeros(len(others)), pool_most.copy()
        high[self._find_reached(chosen, others, np.zeros(len(others))) <= T] = 0.0
        for _ in range(_HALVINGS):
            limits = (low + high) / 2
            is_proved = self._find_reached(chosen, others, limits) <= T
            low, high = np.where(is_proved, low, limits), np.where(is_proved, limits, high)
        found = np.ceil(float(high.max(initial=0.0)) / TIE + 1 - _ROUNDING / TIE) * TIE  # ties count as proved
        found = min(float(found), float(pool_most.max(initial=0.0)))
        return min(found, self.epsilon) if self.proved[chosen] else found

    def survivors(self) -> Places:
        """List the candidates that may be the best."""
        others, T = self._others(self.leader), len(self._history.points)
        out = others[self._find_reached(self.leader, others, np.full(len(others), -TIE)) <= T]
        return np.setdiff1d(np.arange(len(self.pool.said)), out)

    def trace(self) -> list[tuple[int, float, int]]:
        """List labels, the least epsilon proved of the leader, and how many are in question, at each change.

        Epsilon is one of a few, from the greatest that any rival differs by down to 0, or is what is proved now.
        """
        others = self._others(self.leader)
        top = float(np.minimum(self.pool.most[self.leader, others], 1.0).max(initial=0.0))
        grid = np.union1d(np.linspace(0.0, top, _STEPS + 1), self.proved_epsilon())
        at_limits = (*grid, self.epsilon)
        *reached, done = (self._find_reached(self.leader, others, np.full(len(others), at)) for at in at_limits)
        times = np.array([own.max(initial=0) for own in reached])
        asked = np.isin(self._history.points, self.asked) if self._history.points else np.zeros(0, dtype=bool)
        labels = np.append(0, np.cumsum(asked))
        found: list[tuple[int, float, int]] = []
        for t in range(len(labels)):
            proved = float(grid[times <= t].min(initial=top))
            row = (int(labels[t]), proved, 1 + int((done > t).sum()))
            if not found or row[1:] != found[-1][1:]:
                found.append(row)
        return found
