"""Which candidate is near the truth, from few labels of all sites, if one candidate is the truth.

*Realizable*, the paper's assumption: the truth t agrees with every label. *Noisy*: every label is t's with a
probability of at least 1 - noise, whatever was asked and answered before. Then the product over the labels, where
h and t differ, of ((1 - noise)/noise)^(1[h right] - 1[t right]) is a supermartingale (a factor's mean is at most
1), and so is the mean of these products over all h, by weights pi fixed before all labels. With probability 1 -
delta it never reaches 1/delta (Ville):

    sum over h of pi_h ((1 - noise)/noise)^(mistakes of t - mistakes of h) < 1/delta.

Whoever breaks that is dropped; without noise, whoever errs. Without weights, pi = 1/(H - 1).

A candidate c is proved for site i if p_i(c, g) <= epsilon_i for every survivor g: t is among them. Such a *centre*
must be found for every site, or with the scope "one" the same for all.

Asked is the point that tells apart the most survivors, by weight and per unit of cost, of which neither could
stand in for the other: pairs that differ by more than epsilon at some site. It is asked once; a wrong label may
stay wrong.

*Refuted* is the assumption if no candidate agrees with every label. With noise, a truth that is wrong with
probability q instead would make its mistakes more likely by (q/noise)^mistakes ((1 - q)/(1 - noise))^others; the
mean of that over a few q > noise is a supermartingale for the truth, so that with probability 1 - ``FALSE_ALARM``
it never reaches 1/``FALSE_ALARM``. Once it has for every candidate, none is the truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Ints, Places
from fedpact.describe.progress import compiled
from fedpact.describe.ties import exceeds
from fedpact.selection.learner import Drawn, Finding, Wanted, gather
from fedpact.statistics.rates import Rates

FALSE_ALARM = 0.01
"""Chance, at most, that an assumption is refuted that holds."""
_ALTERNATIVES = np.array([0.05, 0.1, 0.2, 0.4, 0.8])
_TOL = 1e-12
_MOST = 200
"""So many survivors are enough to choose a point by."""
_MOST_POINTS = 2000
"""And so many points to choose from, at each site."""


@compiled
def weigh_points(said: NDArray[Any], weight: Floats, group: Ints, is_bad: Bools) -> Floats:
    """(n,) weight of the bad pairs within a group that a label at each point tells apart; ``said`` is (v, n)."""
    v, n = said.shape
    gain = np.zeros(n)
    for h in range(v):
        for g in range(h):
            if is_bad[h, g] and group[h] == group[g]:
                both = weight[h] * weight[g]
                for x in range(n):
                    if said[h, x] != said[g, x]:
                        gain[x] += both
    return gain


def find_capital(mistakes: Ints, some: Places, threshold: Floats, noise: float) -> Floats:
    """(s,) how much the others have won, as a share of what proves it, in bets that some candidates are the truth.

    Examples
    --------
    >>> find_capital(np.array([2, 0, 0]), np.array([0, 1]), np.full(3, 40.0), 0.1).round(4)
    array([4.05  , 0.0253])
    """
    behind = (mistakes[some, None] - mistakes) * np.log((1 - noise) / noise)
    with np.errstate(over="ignore"):
        won = np.exp(behind) / threshold
    won[np.arange(len(some)), some] = 0.0
    return np.asarray(won.sum(axis=1))


def is_refuted(mistakes: int, labels: int, noise: float) -> bool:
    """Whether so many mistakes, at least, of every candidate refute that one is the truth.

    Examples
    --------
    >>> is_refuted(0, 100, 0.0), is_refuted(1, 100, 0.0), is_refuted(10, 40, 0.05), is_refuted(4, 40, 0.05)
    (False, True, True, False)
    """
    if noise == 0:
        return mistakes > 0
    q = noise + (1 - noise) * _ALTERNATIVES
    logs = mistakes * np.log(q / noise) + (labels - mistakes) * np.log((1 - q) / (1 - noise))
    return bool(np.logaddexp.reduce(logs) - np.log(len(q)) >= -np.log(FALSE_ALARM))


class SharedTruth:
    """What the labels of all sites have said of the candidates so far.

    Parameters
    ----------
    said, mass
        (H, n_i) what every candidate says of each site's points, and (n_i,) how likely the site sees each.
    rates
        How often any two differ at each site; its side ``above`` counts.
    epsilon
        (k,) tolerated error of each site.
    threshold
        (H,) capital at which the truth would be dropped for a candidate.
    noise
        How often a label is wrong at most.
    is_one
        Whether one candidate has to serve all sites.
    """

    def __init__(
        self,
        said: Sequence[NDArray[np.integer]],
        mass: Sequence[Floats],
        rates: Rates,
        epsilon: Floats,
        threshold: Floats,
        *,
        noise: float,
        is_one: bool,
    ) -> None:
        H = len(threshold)
        self.said, self.rates, self.epsilon, self.noise, self.is_one = said, rates.above, epsilon, noise, is_one
        self.mistakes = np.zeros(H, dtype=np.int64)
        self.labels = 0
        self.survivors: Places = np.arange(H)
        self._bad: Bools = self.rates.is_bad(epsilon, slice(0, H))
        self._is_bad_somewhere: Bools = np.asarray(self._bad.any(axis=0))
        self._threshold = threshold
        self._left: list[Bools] = [np.asarray(own > 0) for own in mass]
        self.trail: list[tuple[int, Places]] = [(0, self.survivors)]
        """After how many labels who was left, at every change."""
        self._choose()

    @property
    def is_refuted(self) -> bool:
        """Whether no candidate can be the truth."""
        return is_refuted(int(self.mistakes.min()), self.labels, self.noise)

    def _choose(self) -> None:
        """Choose for each site: who is near all survivors, errs least, and is closest to the one farthest away."""
        some = self.survivors if len(self.survivors) else np.flatnonzero(self.mistakes == self.mistakes.min())
        bad = self._is_bad_somewhere[None] if self.is_one else self._bad
        order, chosen = np.lexsort((some, self.mistakes[some])), []
        self.is_certified = len(self.survivors) > 0
        """Whether every site has a candidate that every survivor is near."""
        for own in bad:
            conflicts = own[np.ix_(some, some)].sum(axis=1)
            self.is_certified &= bool(conflicts.min() == 0)
            chosen.append(int(some[order[conflicts[order].argmin()]]))
        self.chosen: list[int] = chosen * len(self.said) if self.is_one else chosen
        """The candidate to choose at each site, if labelling ends now."""

    def proved_epsilon(self, chosen: Sequence[int], some: Places) -> Floats:
        """(k,) how often the chosen candidates differ from the truth at most, if it is among some."""
        if not len(some):
            return np.ones(len(self.said))
        pairs = [self.rates.between(np.full(len(some), one), some) for one in dict.fromkeys(chosen)]
        most = dict(zip(dict.fromkeys(chosen), (own.max(axis=1) for own in pairs), strict=True))
        found = np.array([most[one][site] for site, one in enumerate(chosen)])
        return np.where(exceeds(found, self.epsilon), found, np.minimum(found, self.epsilon))

    def draw(self, wanted: Wanted, rng: np.random.Generator) -> list[Drawn]:
        """Choose up to n points in all."""
        if self.is_certified or not len(self.survivors) or self.is_refuted:
            return []
        found: list[tuple[int, int]] = []
        if len(self.survivors) > _MOST:
            found = self._draw_among(np.sort(rng.choice(self.survivors, _MOST, replace=False)), wanted, rng)
        found = found or self._draw_among(self.survivors, wanted, rng)
        return gather(found)

    def _draw_among(self, some: Places, wanted: Wanted, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw one after the other: each tells apart candidates that those before it do not."""
        excess = self.mistakes[some] - self.mistakes[some].min()
        weight = (self.noise / (1 - self.noise)) ** excess.astype(np.float64)
        group, is_bad = np.zeros(len(some), dtype=np.int64), self._is_bad_somewhere[np.ix_(some, some)]
        drawn: list[tuple[int, int]] = []
        while len(drawn) < min(wanted.n, wanted.total):
            best, found = 0.0, None
            for site in range(len(self.said)):
                points = self._list_points(site, some, wanted.room, drawn, rng)
                if len(points):
                    said = np.ascontiguousarray(self.said[site][np.ix_(some, points)])
                    gain = weigh_points(said, weight, group, is_bad) / wanted.price[site]
                    at = int(gain.argmax())
                    if gain[at] > best * (1 + 1e-12):
                        best, found = float(gain[at]), (site, int(points[at]))
            if found is None:
                break
            drawn.append(found)
            said = self.said[found[0]][some, found[1]]
            group = np.unique(np.stack([group, said]), axis=1, return_inverse=True)[1].reshape(-1)
        return drawn

    def _list_points(
        self, site: int, some: Places, room: Ints, drawn: Sequence[tuple[int, int]], rng: np.random.Generator
    ) -> Places:
        """List points of a site, beside those ``drawn`` already, whose labels tell some candidates apart."""
        own = [point for other, point in drawn if other == site]
        if len(own) >= room[site]:
            return np.empty(0, dtype=np.intp)
        said = self.said[site]
        points = np.flatnonzero(self._left[site])
        points = points[(said[np.ix_(some, points)] != said[some[0], points]).any(axis=0) & ~np.isin(points, own)]
        if len(points) > _MOST_POINTS:
            points = np.sort(rng.choice(points, _MOST_POINTS, replace=False))
        return points

    def take(self, drawn: Drawn) -> list[int]:
        """Note which points were asked."""
        self._left[drawn.site][list(drawn.points)] = False
        return list(drawn.points)

    def learn(self, site: int, labels: Mapping[int, int]) -> None:
        """Take labels of points that were asked, coded as the candidates'."""
        for point, label in labels.items():
            self.mistakes += self.said[site][:, point] != label
            self.labels += 1
            some, before = self.survivors, len(self.survivors)
            if before:
                is_out = self.mistakes[some] > 0
                if self.noise:
                    is_out = find_capital(self.mistakes, some, self._threshold, self.noise) >= 1 - _TOL
                self.survivors = some[~is_out]
            if len(self.survivors) < before:
                self.trail.append((self.labels, self.survivors))
        self._choose()

    def find(self) -> Finding:
        """Say what is proved: nothing once the assumption is refuted."""
        nothing = self.survivors[:0]
        return Finding(
            chosen=self.chosen,
            epsilon=self.proved_epsilon(self.chosen, nothing if self.is_refuted else self.survivors),
            survivors=[nothing if self.is_refuted else self.survivors] * len(self.said),
            is_certified=self.is_certified and not self.is_refuted,
            is_refuted=self.is_refuted,
        )

    def trace(self, site: int) -> list[tuple[int, float, int]]:
        """List labels of all sites, the epsilon proved of the site's candidate and survivors, at each change."""
        rows = [
            (labels, float(self.proved_epsilon(self.chosen, some)[site]), len(some)) for labels, some in self.trail
        ]
        return [*rows, (self.labels, 1.0, 0)] if self.is_refuted and rows[-1][2] else rows

    def count_left(self) -> int:
        """Count the survivors of all sites; one of each once a candidate is found."""
        return len(self.said) * (1 if self.is_certified else len(self.survivors))
