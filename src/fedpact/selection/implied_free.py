"""A fixed plan's own draws, asked only where candidates that can still be chosen disagree.

The plan draws its samples and chooses who makes the fewest mistakes on them. A candidate that some other is sure
to beat on the draws that are left, whatever their labels, is out; where all others agree a label changes nothing
between them. So such draws are left out, and who is chosen in the end is *exactly* who would have been with every
label: the plan's guarantee is kept, word for word. If some candidate is right, whoever errs is out at once, and
every label that is asked removes a candidate: at most H - 1 are ever paid for.

Points of a site's own are drawn without replacement; all of them if the plan asks for more. If some candidate is
right that is at least as good as with replacement: more points are seen. With wrong labels the plan must rest on
Chernoff's bound, as those by ``lp`` do: the mean of a product of positive numbers, which is no larger then
(Maclaurin's inequality for their symmetric functions). Where nothing is assumed the plan may rest on exact tails,
so there points are drawn with replacement, and asked once, unless it asks for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Ints, Places
from fedpact.describe.ties import exceeds
from fedpact.selection.learner import Drawn, Finding, Wanted, gather
from fedpact.selection.shared_truth import is_refuted, weigh_points
from fedpact.statistics.rates import Rates


def draw_points(m: Ints, mass: Sequence[Floats], seed: int, *, with_replacement: Bools) -> list[tuple[int, int]]:
    """Draw the samples of a plan (k,), each as (site, point), in the order in which they may be asked.

    ``with_replacement`` (k,): whether a site's points may be drawn again.

    Examples
    --------
    >>> uniform = np.full(3, 1 / 3)
    >>> draws = draw_points(np.array([2, 5]), [uniform, uniform], 0, with_replacement=np.zeros(2, dtype=bool))
    >>> len(draws), len(set(draws)), [site for site, _ in draws].count(1)
    (5, 5, 3)
    """
    drawn = []
    for site, (count, own) in enumerate(zip(m.tolist(), mass, strict=True)):
        rng, places = np.random.default_rng([seed, site]), np.flatnonzero(own > 0)
        is_anew = bool(with_replacement[site])
        size = count if is_anew else min(count, len(places))
        points = rng.choice(places, size, replace=is_anew, p=own[places] / own[places].sum())
        drawn += [(site, int(point)) for point in points]
    order = np.random.default_rng([seed, len(mass)]).permutation(len(drawn))
    return [drawn[place] for place in order]


class PlannedDraws:
    """What some draws have said of the candidates so far.

    Parameters
    ----------
    said
        (H, n_i) what every candidate says of each site's points.
    draws
        The plan's samples, each as (site, point).
    is_realizable
        Whether a candidate that errs is out.
    is_table
        Whether a point is the same at every site, and so is its label if some candidate is right.

    Examples
    --------
    >>> said = [np.array([[0, 0, 1], [0, 1, 1], [1, 1, 0]])]
    >>> plan = PlannedDraws(said, [(0, 0), (0, 2), (0, 1)], is_realizable=True)
    >>> plan.draw(1, np.array([9]), np.ones(1))
    [(0, 0)]
    >>> plan.learn(0, 0, 0)  # the third candidate errs; the others agree on the second draw
    >>> plan.draw(1, np.array([9]), np.ones(1)), plan.survivors
    ([(0, 1)], array([0, 1]))
    """

    def __init__(
        self,
        said: Sequence[NDArray[np.integer]],
        draws: Sequence[tuple[int, int]],
        *,
        is_realizable: bool,
        is_table: bool = False,
    ) -> None:
        H = len(said[0])
        self.said, self.is_realizable, self._is_shared = said, is_realizable, is_table and is_realizable
        self.mistakes = np.zeros(H, dtype=np.int64)
        self.survivors: Places = np.arange(H)
        self.labels = 0
        self.trail: list[tuple[int, Places]] = [(0, self.survivors)]
        """After how many labels who was left, at every change."""
        self.left = list(draws)
        """Draws whose labels are not known, in order."""
        self.asked: set[tuple[int, int]] = set()
        self._open = np.zeros((H, H), dtype=np.int64)
        """(H, H) on how many draws that are left two candidates differ."""
        for site, point in draws:
            self._open += self._differ(site, point)
        self._drop()

    def _differ(self, site: int, point: int) -> Bools:
        own = self.said[site][:, point]
        return np.asarray(own[:, None] != own)

    def _key(self, site: int, point: int) -> tuple[int, int]:
        """Return the same for all draws that have the same label."""
        return (0 if self._is_shared else site, point)

    def draw(self, n: int, room: Ints, price: Floats) -> list[tuple[int, int]]:
        """List up to n draws to be labelled: those that tell most candidates apart per unit of cost come first."""
        some, left = self.survivors, {self._key(*one): one for one in self._by_price(price)}
        open_ = [one for key, one in left.items() if key not in self.asked]
        if not open_ or len(some) < 2:
            return []
        said = np.array([self.said[site][some, point] for site, point in open_]).T
        alike, all_bad = np.zeros(len(some), dtype=np.int64), np.ones((len(some), len(some)), dtype=bool)
        gain = weigh_points(np.ascontiguousarray(said), np.ones(len(some)), alike, all_bad)
        worth = gain / price[[site for site, _ in open_]]
        found: list[tuple[int, int]] = []
        room = room.copy()
        for at in np.argsort(-worth, kind="stable").tolist():
            site, point = open_[at]
            if len(found) < n and worth[at] > 0 and room[site] > 0:
                found.append((site, point))
                room[site] -= 1
        return found

    def _by_price(self, price: Floats) -> list[tuple[int, int]]:
        """List the draws that are left, the dearest first: of several with the same label the cheapest counts."""
        return sorted(self.left, key=lambda one: -price[one[0]])

    def take(self, site: int, point: int) -> None:
        """Note that a draw was asked."""
        self.asked.add(self._key(site, point))

    def learn(self, site: int, point: int, label: int) -> None:
        """Take the label of a draw, and of every other of the same point."""
        self.labels += 1
        same = [one for one in self.left if self._key(*one) == self._key(site, point)]
        self.left = [one for one in self.left if self._key(*one) != self._key(site, point)]
        for other, at in same:
            self.mistakes += self.said[other][:, at] != label
            self._open -= self._differ(other, at)
        before = len(self.survivors)
        self._drop()
        if len(self.survivors) < before:
            self.trail.append((self.labels, self.survivors))

    def _drop(self) -> None:
        """Drop whoever somebody is sure to beat; if some candidate is right, whoever erred."""
        some = self.survivors
        if self.is_realizable:
            self.survivors = some[self.mistakes[some] == 0]
        else:
            behind = self.mistakes[some][:, None] - self.mistakes[some]
            self.survivors = some[(behind <= self._open[np.ix_(some, some)]).all(axis=1)]

    @property
    def is_done(self) -> bool:
        """Whether who is left are those whom the plan would choose among."""
        own = [self.said[site][self.survivors, point] for site, point in self.left]
        return not any((one != one[:1]).any() for one in own)


class ImpliedFree:
    """Labelling by a fixed plan: all draws for one truth, or if nothing is assumed each site's for itself.

    Parameters
    ----------
    groups
        One for all sites, or one for each.
    rates
        How often any two candidates differ at each site.
    epsilon
        (k,) what the plan proves of whoever errs least.
    noise
        How often a label is wrong at most; None where nothing is assumed.
    is_one
        Whether one candidate serves all sites.
    """

    def __init__(
        self, groups: Sequence[PlannedDraws], rates: Rates, epsilon: Floats, *, noise: float | None, is_one: bool
    ) -> None:
        self.groups, self.rates, self.epsilon, self.noise, self.is_one = (
            groups,
            rates.above,
            epsilon,
            noise,
            is_one,
        )

    def _group(self, site: int) -> PlannedDraws:
        return self.groups[site] if len(self.groups) > 1 else self.groups[0]

    @property
    def _is_refuted(self) -> bool:
        own = self.groups[0]
        return self.noise is not None and is_refuted(int(own.mistakes.min()), own.labels, self.noise)

    def draw(self, wanted: Wanted, rng: np.random.Generator) -> list[Drawn]:
        """List the next draws to be labelled: n in all, or of each site that decides alone."""
        if self._is_refuted:
            return []
        found: list[tuple[int, int]] = []
        for own in self.groups:
            found += own.draw(min(wanted.n, wanted.total - len(found)), wanted.room, wanted.price)
        return gather(found)

    def take(self, drawn: Drawn) -> list[int]:
        """Note which draws were asked."""
        for point in drawn.points:
            self._group(drawn.site).take(drawn.site, point)
        return list(drawn.points)

    def learn(self, site: int, labels: Mapping[int, int]) -> None:
        """Take labels of draws that were asked, coded as the candidates'."""
        for point, label in labels.items():
            self._group(site).learn(site, point, label)

    def _radius(self, site: int, some: Places) -> Floats:
        """(s,) how often each of some candidates differs from another of them at most."""
        pairs = [self.rates.between(np.full(len(some), one), some)[site].max() for one in some.tolist()]
        return np.array(pairs)

    def find(self) -> Finding:
        """Say what is proved: by the plan once all its draws are known or do not matter, by survivors before."""
        chosen, epsilon, survivors, is_known = [], [], [], self.noise == 0
        for site in range(self.rates.k):
            own = self._group(site)
            some = own.survivors if len(own.survivors) else np.flatnonzero(own.mistakes == own.mistakes.min())
            radius = self._radius(0 if self.is_one else site, some)
            best = int(radius.argmin())
            by_survivors = float(self._radius(site, some)[best]) if is_known else 1.0
            proved = min(by_survivors, self.epsilon[site]) if own.is_done else by_survivors
            chosen.append(int(some[best]))
            epsilon.append(1.0 if self._is_refuted else proved)
            survivors.append(own.survivors)
        is_certified = not self._is_refuted and all(own.is_done for own in self.groups)
        return Finding(
            chosen=chosen,
            epsilon=np.where(exceeds(epsilon, self.epsilon), epsilon, np.minimum(epsilon, self.epsilon)),
            survivors=survivors,
            is_certified=is_certified,
            is_refuted=self._is_refuted,
        )

    def trace(self, site: int) -> list[tuple[int, float, int]]:
        """List labels, the epsilon proved and survivors, at each change."""
        own, last = self._group(site), self.find()
        rows = [(labels, 1.0, len(some)) for labels, some in own.trail]
        if self.noise == 0:
            pairs = [
                self.rates.between(np.full(len(some), last.chosen[site]), some)[site] for _, some in own.trail
            ]
            rows = [
                (labels, float(near.max(initial=0)), n) for (labels, _, n), near in zip(rows, pairs, strict=True)
            ]
        return [*rows, (own.labels, float(last.epsilon[site]), len(own.survivors))]

    def count_left(self) -> int:
        """Count the survivors of all sites; one of each that is done."""
        groups = [self._group(site) for site in range(self.rates.k)]
        return sum(1 if own.is_done else len(own.survivors) for own in groups)
