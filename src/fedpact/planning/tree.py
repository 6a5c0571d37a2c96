"""A proof by Hunter and Worsley, from pairwise rates alone.

Where the union program's sum is too large, a spanning tree of pairwise intersections is taken off it
(:mod:`fedpact.statistics.pairs`): with q_a = Pr[h_a is missed],

    Pr[some bad h is missed] <= sum_a q_a - sum over tree links (a, b) of Pr[both are missed].

Only the likeliest misses are linked when there are many; the others are added as they are. The bound can rise
with m although the failure cannot, so a vector above a proved one is proved as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.union import UnionProgram
from fedpact.statistics.misses import log_miss
from fedpact.statistics.pairs import best_threshold, tree_bound

_LINKED = 400
_KEEP = 32_000_000


class TreeProof:
    """Proves integer contribution vectors."""

    def __init__(self, fed: Federation) -> None:
        self.fed, self.union = fed, UnionProgram(fed)
        self._links: dict[tuple[int, bytes], NDArray[np.float64]] = {}
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
        for requirement in np.flatnonzero(exceeds(sums, self.union.limits)):
            limit = float(self.union.limits[requirement])
            if limit == 0 or exceeds(self._bound(m, target, p, self._weights(p, int(requirement))), limit):
                return False
        return True

    def _weights(self, p: NDArray[np.float64], requirement: int) -> NDArray[np.float64]:
        """(H,) what a miss costs the requirement."""
        if not self.union.is_pac:
            return np.asarray(p[requirement])
        bad = exceeds(p, self.union.epsilon[:, None])
        return np.asarray(bad.any(axis=0) if self.union.is_joint else bad[requirement], dtype=np.float64)

    def _bound(
        self, m: NDArray[np.float64], target: int, p: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> float:
        some = np.flatnonzero(weights)
        q = np.exp(m @ log_miss(p[:, some]))
        order = np.argsort(-weights[some] * q, kind="stable")
        linked, rest = np.sort(some[order[:_LINKED]]), order[_LINKED:]
        heaviest = np.argsort(-weights[linked], kind="stable")
        linked = linked[heaviest]
        q_linked = np.exp(m @ log_miss(p[:, linked]))
        both = np.exp(np.tensordot(m, self._log_both(target, p, linked), axes=1))
        tail = float((weights[some] * q)[rest].sum())
        return min(
            tree_bound(q_linked, both, weights[linked]) + tail,
            float(best_threshold(weights[None, some], q[None])[1][0]),
        )

    def _log_both(self, target: int, p: NDArray[np.float64], linked: NDArray[np.intp]) -> NDArray[np.float64]:
        """(k, s, s) at most the log-probability that one sample misses both of a pair."""
        key = (target, linked.tobytes())
        if key in self._links:
            return self._links[key]
        between = self.union.rates.rows(linked)[:, :, linked]
        most = (p[:, linked, None] + p[:, None, linked] + between) / 2 * (1 + self.union.rates.error)
        logs = log_miss(np.minimum(most, 1.0))
        if self._kept + logs.size <= _KEEP:
            self._kept += logs.size
            self._links[key] = logs
        return logs
