"""Labelling where nothing is assumed: the labels of a site speak for that site alone.

With the scope ``each`` every site has a candidate of its own. With the scope ``one`` a common candidate is wanted:
its proof has to stand at every site, or every candidate is refuted at some site. A common candidate is refuted by
mistake somewhere with probability delta / 2 at most (the threshold there is that of delta / 2k), and proved by
mistake at a site with probability delta / 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fedpact.describe.arrays import Floats
from fedpact.selection.learner import Drawn, Finding, Wanted
from fedpact.selection.site_regret import Pool, SiteRegret


class SiteBySite:
    """What the labels of all sites have proved so far, each for its own.

    Parameters
    ----------
    pools
        The points of every site.
    epsilon
        (k,) regret that each tolerates.
    delta
        With which probability a site's promise may be wrong.
    weigh
        Gives the (H,) weights of candidates at a site from what was chosen at the sites before it; None where all
        count alike.
    is_one
        Whether one candidate has to serve all sites.
    is_in_turn
        Whether a site begins when the one before it is done, so that its weights can follow from what was chosen.
    """

    def __init__(
        self,
        pools: Sequence[Pool],
        epsilon: Floats,
        delta: float,
        *,
        weigh: Callable[[int, Sequence[int]], Floats] | None = None,
        is_one: bool = False,
        is_in_turn: bool = False,
    ) -> None:
        self.pools, self.epsilon, self.is_one, self.is_in_turn = pools, epsilon, is_one, is_in_turn
        self._delta = delta / 2 if is_one else delta
        self._weigh = weigh
        H, k = len(pools[0].said), len(pools)
        self._against = max(H - 1, 1) * k / self._delta if is_one else None
        self.sites: list[SiteRegret | None] = [None] * k
        self._lead()

    def _threshold(self, site: int) -> Floats:
        H = len(self.pools[site].said)
        if self._weigh is None:
            return np.full(H, max(H - 1, 1) / self._delta)
        before = [own.leader for own in self.sites[:site] if own is not None and own.is_certified]
        with np.errstate(divide="ignore"):
            return np.asarray(1 / (self._weigh(site, before) * self._delta))

    def _lead(self) -> None:
        """Begin with sites whose turn it is; where one candidate is wanted, choose the one that lacks least."""
        for site in range(len(self.sites)):
            if not self._begin(site).is_certified and self.is_in_turn:
                break
        if self.is_one:
            begun = self._begun()
            lack = np.array([own.lack for own in begun]).round(9)
            is_proved = np.all([own.proved for own in begun], axis=0)
            is_settled = np.all([own.settled for own in begun], axis=0)
            is_best = (
                is_proved if is_proved.any() else is_settled
            )  # once one is proved everywhere, that is the end
            leader = int(np.lexsort((lack.sum(axis=0), lack.max(axis=0), ~is_best))[0])
            for own in begun:
                if own.leader != leader:
                    own.look(leader)

    def _begin(self, site: int) -> SiteRegret:
        own = self.sites[site]
        if own is None:
            own = SiteRegret(self.pools[site], float(self.epsilon[site]), self._threshold(site), self._against)
            self.sites[site] = own
        return own

    def _begun(self) -> list[SiteRegret]:
        return [own for own in self.sites if own is not None]

    def _refuted(self) -> dict[int, tuple[int, int]]:
        """Candidate -> where it is refuted, and by whom."""
        found: dict[int, tuple[int, int]] = {}
        for site, own in enumerate(self._begun()):
            for candidate in np.flatnonzero(own.rival >= 0).tolist():
                found.setdefault(candidate, (site, int(own.rival[candidate])))
        return found

    def draw(self, wanted: Wanted, rng: np.random.Generator) -> list[Drawn]:
        """Choose up to n points of every site that is not done, as far as the budget goes."""
        is_refuted = self.is_one and len(self._refuted()) == len(self.pools[0].said)
        if is_refuted or all(own is not None and own.is_certified for own in self.sites):
            return []
        drawn: list[Drawn] = []
        total = wanted.total
        for site in range(len(self.sites)):
            if self.sites[site] is None and drawn:
                break  # its turn has not come
            own = self._begin(site)
            if own.settled[own.leader] or (own.is_certified and not self.is_one):
                continue
            n = int(min(wanted.n, total, wanted.room[site]))
            points = own.draw(n, rng) if n > 0 else []
            if points:
                inside = own.inside
                said = own.pool.said[inside][:, points]
                total -= int((said != said[0]).any(axis=0).sum())
                drawn.append(Drawn(site=site, points=tuple(points), among=tuple(inside.tolist())))
        return drawn

    def take(self, drawn: Drawn) -> list[int]:
        """Note what was drawn; returns the points that need a label."""
        asked = self._begin(drawn.site).take(drawn.points, np.array(drawn.among, dtype=np.intp))
        if not asked:
            self.learn(drawn.site, {})
        return asked

    def learn(self, site: int, labels: Mapping[int, int]) -> None:
        """Take labels of points that were asked, coded as the candidates'."""
        own = self._begin(site)
        own.learn(dict(labels), own.leader if self.is_one else None)
        self._lead()

    def find(self) -> Finding:
        """Say what is proved; of sites whose turn has not come, nothing is."""
        chosen, epsilon, survivors, is_certified = [], [], [], True
        first = self._begun()[0]
        for site, pool in enumerate(self.pools):
            own = self.sites[site]
            is_certified &= own is not None and own.is_certified
            chosen.append(first.leader if own is None else own.leader)
            epsilon.append(float(pool.most[chosen[-1]].max()) if own is None else own.proved_epsilon())
            survivors.append(np.arange(len(pool.said)) if own is None else own.survivors())
        refuted = self._refuted() if self.is_one and not is_certified else {}
        witness = refuted if len(refuted) == len(self.pools[0].said) else {}
        return Finding(
            chosen=chosen,
            epsilon=np.array(epsilon),
            survivors=survivors,
            is_certified=is_certified,
            witness=witness,
        )

    def trace(self, site: int) -> list[tuple[int, float, int]]:
        """List labels of the site, the epsilon proved of its candidate and who is in question, at each change."""
        own = self.sites[site]
        return [] if own is None else own.trace()

    def count_left(self) -> int:
        """Count at every site the leader and whom it is not proved against; one at a site that is done."""
        H = len(self.pools[0].said)
        return sum(H if own is None else 1 if own.is_certified else 1 + len(own.rivals) for own in self.sites)
