"""A proof by Hunter and Worsley.

Where the union program's sum is too large, a spanning tree of pairwise intersections is taken off it
(:mod:`fedpact.statistics.pairs`): with q_a = Pr[h_a is missed],

    Pr[some bad h is missed] <= sum_a q_a - sum over tree links (a, b) of Pr[both are missed],

which pairwise rates are enough for. Where the joint structure is known and that still is too large, every set is
linked to a dozen others (one level of :mod:`fedpact.statistics.bounds`). Only the likeliest misses are linked when
there are many; the others are added as they are. The bounds can rise with m although the failure cannot, so a
vector above a proved one is proved as well.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fedpact.describe.arrays import Floats, Ints, Places
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.union import UnionProgram
from fedpact.statistics.bounds import bound
from fedpact.statistics.domain import find_domain, has_small_domain
from fedpact.statistics.misses import MissFamily, log_miss
from fedpact.statistics.pairs import bound_by_links, log_both

_LINKED = 400
# What the links of one proof may take.
_WORK = 2e9
_KEEP = 32_000_000


class TreeProof:
    """Proves integer contribution vectors."""

    def __init__(self, fed: Federation) -> None:
        self.fed, self.union = fed, UnionProgram(fed)
        self.domain = find_domain(fed) if has_small_domain(fed) else None
        self._both: dict[tuple[int, bytes], Floats] = {}
        self._kept = 0
        self._hardest: list[int] = []

    def holds(self, m: Ints) -> bool:
        """Whether the tree bounds prove that ``m`` is enough; the truths that failed last are tried first."""
        look = m.astype(np.float64)
        if not all(self._is_proved(look, truth) for truth in self._hardest):
            return False
        for truth in self.union.find_unproved(m):
            if int(truth) not in self._hardest and not self._is_proved(look, int(truth)):
                self._hardest = [int(truth), *self._hardest[:7]]
                return False
        return True

    def _is_proved(self, m: Floats, truth: int) -> bool:
        sums = self.union.bounds(m, np.array([truth]))[0]
        over = np.flatnonzero(exceeds(sums, self.union.limits))
        return all(self._is_met(m, truth, int(requirement)) for requirement in over)

    def _is_met(self, m: Floats, truth: int, requirement: int) -> bool:
        """Whether one requirement is proved to be met."""
        limit = float(self.union.limits[requirement])
        return limit > 0 and any(not exceeds(value, limit) for value in self.bounds(m, truth, requirement))

    def bounds(self, m: Floats, truth: int, requirement: int) -> Iterator[float]:
        """Bound a value by one link per hypothesis, from rates, then by a dozen if points are known and few."""
        weights = self.union.weights(np.array([truth]))[0, requirement]
        bad = np.flatnonzero(weights)
        q = np.exp(m @ log_miss(self.union.rates.rows(np.array([truth]))[:, 0, bad]))
        order = np.argsort(-weights[bad] * q, kind="stable")
        linked, rest = np.sort(order[:_LINKED]), float((weights[bad] * q)[order[_LINKED:]].sum())
        linked = linked[np.argsort(-weights[bad][linked], kind="stable")]
        hypotheses, q, weights = bad[linked], q[linked], weights[bad][linked]
        both = np.exp(np.tensordot(m, self._log_both(truth, hypotheses), axes=1))
        yield bound_by_links(q, both, weights, self.union.rates.is_raised(truth, hypotheses)) + rest
        if self.domain is not None:
            sets = self.domain.labels[hypotheses] != self.domain.labels[truth]
            family = MissFamily(sets=sets, weights=weights, mass=self.domain.mass)
            yield bound(family, m, width=0.0, max_work=_WORK, max_levels=1).high + rest

    def _log_both(self, truth: int, hypotheses: Places) -> Floats:
        """(k, s, s) at most the log-probability that one sample misses both of a pair."""
        key = (truth, hypotheses.tobytes())
        if key in self._both:
            return self._both[key]
        rates = self.union.rates.above
        between = rates.rows(hypotheses)[:, :, hypotheses]
        logs = log_both(rates.rows(np.array([truth]))[:, 0, hypotheses], between)
        if self._kept + logs.size <= _KEEP:
            self._kept += logs.size
            self._both[key] = logs
        return logs
