"""A proof by Hunter and Worsley.

Where the union program's sum is too large, a spanning tree of pairwise intersections is taken off it
(:mod:`fedpact.statistics.pairs`): with q_a = Pr[h_a is missed],

    Pr[some bad h is missed] <= sum_a q_a - sum over tree links (a, b) of Pr[both are missed],

which pairwise rates are enough for. Where the joint structure is known and that still is too large, every set is
linked to several others (:mod:`fedpact.statistics.links`). Only the likeliest misses are linked when there are
many; the others are added as they are. The bounds can rise with m although the failure cannot, so a vector above
a proved one is proved as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.union import UnionProgram
from fedpact.statistics.domain import find_domain, has_small_domain
from fedpact.statistics.links import link_bound
from fedpact.statistics.misses import log_miss
from fedpact.statistics.pairs import best_threshold, tree_bound

_LINKED = 400
_LINKS = 4
# Multiplications that the links of one proof may take.
_WORK = 2e9
_KEEP = 32_000_000


class TreeProof:
    """Proves integer contribution vectors."""

    def __init__(self, fed: Federation) -> None:
        self.fed, self.union = fed, UnionProgram(fed)
        self.domain = find_domain(fed) if has_small_domain(fed) else None
        self._both: dict[tuple[int, bytes], NDArray[np.float64]] = {}
        self._kept = 0
        self._hardest: list[int] = []

    def holds(self, m: NDArray[np.int64]) -> bool:
        """Whether the tree bounds prove that ``m`` is enough; the truths that failed last are tried first."""
        look = m.astype(np.float64)
        for target in self._hardest:
            if not self._is_proved(look, target):
                return False
        for target in self.union.find_unproved(m):
            if int(target) not in self._hardest and not self._is_proved(look, int(target)):
                self._hardest = [int(target), *self._hardest[:7]]
                return False
        return True

    def _is_proved(self, m: NDArray[np.float64], target: int) -> bool:
        some = np.array([target])
        sums = self.union.bounds(m, some)[0]
        p = self.union.rates.rows(some)[:, 0]
        over = np.flatnonzero(exceeds(sums, self.union.limits))
        return all(self._meets(m, target, p, int(requirement)) for requirement in over)

    def _meets(self, m: NDArray[np.float64], target: int, p: NDArray[np.float64], requirement: int) -> bool:
        """Whether one requirement is proved to be met, by one link per hypothesis or else by several."""
        limit = float(self.union.limits[requirement])
        weights = self._weights(p, requirement)
        if limit == 0:
            return False
        some = np.flatnonzero(weights)
        q = np.exp(m @ log_miss(p[:, some]))
        order = np.argsort(-weights[some] * q, kind="stable")
        rest = float((weights[some] * q)[order[_LINKED:]].sum())
        linked = some[order[:_LINKED]]
        if not exceeds(self._tree(m, target, p, np.sort(linked), weights) + rest, limit):
            return True
        return not exceeds(self._links(m, target, p, linked, weights) + rest, limit)

    def _weights(self, p: NDArray[np.float64], requirement: int) -> NDArray[np.float64]:
        """(H,) what a miss costs the requirement."""
        if not self.union.is_pac:
            return np.asarray(p[requirement])
        bad = exceeds(p, self.union.epsilon[:, None])
        return np.asarray(bad.any(axis=0) if self.union.is_joint else bad[requirement], dtype=np.float64)

    def _tree(
        self,
        m: NDArray[np.float64],
        target: int,
        p: NDArray[np.float64],
        linked: NDArray[np.intp],
        weights: NDArray[np.float64],
    ) -> float:
        """Bound by one link per hypothesis, from pairwise rates."""
        linked = linked[np.argsort(-weights[linked], kind="stable")]
        q = np.exp(m @ log_miss(p[:, linked]))
        both = np.exp(np.tensordot(m, self._log_both(target, p, linked), axes=1))
        by_threshold = best_threshold(weights[None, linked], q[None])[1][0]
        return min(tree_bound(q, both, weights[linked]), float(by_threshold))

    def _links(
        self,
        m: NDArray[np.float64],
        target: int,
        p: NDArray[np.float64],
        linked: NDArray[np.intp],
        weights: NDArray[np.float64],
    ) -> float:
        """Bound by several links per hypothesis where the joint structure is known and small enough; else 1."""
        if self.domain is None:
            return 1.0
        size = len(linked) ** 2 * self.domain.n * max(1, int((m > 0).sum()))
        links = min(_LINKS, int(np.log2(_WORK / max(1, size) + 1)))
        if links < 2:
            return 1.0
        q = np.exp(m @ log_miss(p[:, linked]))
        linked = linked[np.lexsort((-q, -weights[linked]))]
        sets = self.domain.labels[linked] != self.domain.labels[target]
        return link_bound(sets, weights[linked], self.domain.mass, m, links=links)

    def _log_both(self, target: int, p: NDArray[np.float64], linked: NDArray[np.intp]) -> NDArray[np.float64]:
        """(k, s, s) at most the log-probability that one sample misses both of a pair."""
        key = (target, linked.tobytes())
        if key in self._both:
            return self._both[key]
        between = self.union.rates.rows(linked)[:, :, linked]
        most = (p[:, linked, None] + p[:, None, linked] + between) / 2 * (1 + self.union.rates.error)
        logs = log_miss(np.minimum(most, 1.0))
        if self._kept + logs.size <= _KEEP:
            self._kept += logs.size
            self._both[key] = logs
        return logs
