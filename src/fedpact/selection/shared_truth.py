"""Which candidate is near the truth, from few labels of all sites, if one candidate is the truth.

*Realizable*, the paper's assumption: the truth t agrees with every label, so whoever errs is out. *Noisy*: every
label is t's with a probability of at least 1 - noise, whatever was asked and answered before. Against every
candidate t we bet that it errs more often than that. How likely it is to err on the next label the others say:

    chance = noise + (1 - 2 noise) (share of their weight that differs from t),

with weights pi_h (noise/(1 - noise))^(mistakes of h), where pi is fixed before all labels; 1/H if not given. The
capital is multiplied by chance/noise if t errs, else by (1 - chance)/(1 - noise). The truth errs with probability
``noise`` at most, and chance >= noise, so its capital does not grow on average, and with probability 1 - delta
never reaches 1/delta (Ville). A candidate whose capital does is out, for good. With two classes the capital is the
mean, over all others, of their likelihood ratios against t.

A candidate c is proved for site i if p_i(c, g) <= epsilon_i for every survivor g: t is among them. Such a *centre*
must be found for every site, or with the scope "one" the same for all.

Asked is the point that tells apart the most survivors, by weight and per unit of cost, of which neither could
stand in for the other: pairs that differ by more than epsilon at some site. It is asked once; a wrong label may
stay wrong.

*Refuted* is the assumption if all candidates are out. With noise also if a truth that is wrong with probability
q > noise would make every candidate's mistakes much more likely, by (q/noise)^mistakes ((1 - q)/(1 -
noise))^others: the mean of that over a few q is a supermartingale for the truth, so with probability 1 -
``FALSE_ALARM`` it never reaches 1/``FALSE_ALARM``.
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
from fedpact.selection.list_points import MOST_CANDIDATES, MOST_POINTS
from fedpact.statistics.rates import Rates

FALSE_ALARM = 0.01
"""Chance, at most, that the second test refutes an assumption that holds; all candidates are out with delta."""
_ALTERNATIVES = np.array([0.05, 0.1, 0.2, 0.4, 0.8])
_TOL = 1e-12


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


def weigh(mistakes: Ints, expected: Floats, noise: float) -> Floats:
    """(H,) how likely each candidate is to be the truth, up to a factor."""
    excess = np.maximum(mistakes - mistakes[expected > 0].min(), 0)
    return np.asarray(expected * (noise / (1 - noise)) ** excess.astype(np.float64))


def bet_against(said: NDArray[np.integer], label: int, weight: Floats, noise: float) -> Floats:
    """(H,) what one label multiplies the capital against each candidate by; ``said`` (H,) is what they say there.

    Examples
    --------
    >>> bet_against(np.array([0, 0, 1]), 1, np.ones(3), 0.1).round(4)
    array([5.    , 5.    , 0.1111])
    """
    is_same = (said[:, None] == said) & ~np.eye(len(said), dtype=bool)
    with_it, against = is_same @ weight, (said[:, None] != said) @ weight
    share = np.divide(against, with_it + against, out=np.zeros(len(said)), where=with_it + against > 0)
    rest = np.divide(with_it, with_it + against, out=np.ones(len(said)), where=with_it + against > 0)
    is_wrong, is_right = (noise + (1 - 2 * noise) * one for one in (share, rest))
    return np.asarray(np.where(said != label, is_wrong / noise, is_right / (1 - noise)))


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
    expected
        (H,) how much is expected of each candidate; they sum to 1.
    delta
        With which probability the truth may be out.
    noise
        How often a label is wrong at most.
    is_one
        Whether one candidate has to serve all sites.
    is_table
        Whether points of the same number are the same at all sites, and so is their label.
    """

    def __init__(
        self,
        said: Sequence[NDArray[np.integer]],
        mass: Sequence[Floats],
        rates: Rates,
        epsilon: Floats,
        expected: Floats,
        *,
        delta: float,
        noise: float,
        is_one: bool,
        is_table: bool = False,
    ) -> None:
        H = len(expected)
        self.said, self.rates, self.epsilon, self.noise, self.is_one = said, rates.above, epsilon, noise, is_one
        self.mistakes = np.zeros(H, dtype=np.int64)
        self.labels = 0
        self._is_table = is_table
        self._waiting: dict[tuple[int, int], int | None] = {}
        self.survivors: Places = np.arange(H)
        self._bad: Bools = self.rates.is_bad(epsilon, slice(0, H))
        self._is_bad_somewhere: Bools = np.asarray(self._bad.any(axis=0))
        self._expected, self._log_threshold = expected, -np.log(delta)
        self._log_capital = np.zeros(H)
        self._left: list[Bools] = [np.asarray(own > 0) for own in mass]
        self.trail: list[tuple[int, Places]] = [(0, self.survivors)]
        """After how many labels who was left, at every change."""
        self._choose()

    @property
    def is_refuted(self) -> bool:
        """Whether no candidate can be the truth."""
        return not len(self.survivors) or is_refuted(int(self.mistakes.min()), self.labels, self.noise)

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
        if self.is_certified or self.is_refuted:
            return []
        found: list[tuple[int, int]] = []
        if len(self.survivors) > MOST_CANDIDATES:
            found = self._draw_among(
                np.sort(rng.choice(self.survivors, MOST_CANDIDATES, replace=False)), wanted, rng
            )
        found = found or self._draw_among(self.survivors, wanted, rng)
        return gather(found)

    def _draw_among(self, some: Places, wanted: Wanted, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw one after the other: each tells apart candidates that those before it do not."""
        weight = weigh(self.mistakes[some], np.ones(len(some)), self.noise)
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
        if len(points) > MOST_POINTS:
            points = np.sort(rng.choice(points, MOST_POINTS, replace=False))
        return points

    def take(self, drawn: Drawn) -> list[int]:
        """Note which points were asked."""
        for left in self._left if self._is_table else [self._left[drawn.site]]:
            left[list(drawn.points)] = False
        self._waiting |= dict.fromkeys((drawn.site, point) for point in drawn.points)
        return list(drawn.points)

    def learn(self, site: int, labels: Mapping[int, int]) -> None:
        """Take labels of points that were asked, coded as the candidates'.

        With noise they count in the order in which they were asked: which comes first must not depend on what it
        says.
        """
        self._waiting |= {(site, point): label for point, label in labels.items()}
        for (at, point), label in list(self._waiting.items()):
            if label is not None:
                self._count(at, point, label)
                del self._waiting[at, point]
            elif self.noise:
                break
        self._choose()

    def _count(self, site: int, point: int, label: int) -> None:
        said, before = self.said[site][:, point], len(self.survivors)
        if self.noise:
            weight = weigh(self.mistakes, self._expected, self.noise)
            self._log_capital += np.log(bet_against(said, label, weight, self.noise))
            is_out = self._log_capital >= self._log_threshold - _TOL
        else:
            is_out = said != label
        self.mistakes += said != label
        self.labels += 1
        self.survivors = self.survivors[~is_out[self.survivors]]
        if len(self.survivors) < before:
            self.trail.append((self.labels, self.survivors))

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
