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

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Misses:
    """What can go wrong for one requirement against one truth."""

    truth: int
    hypotheses: Places
    """(s,) the likeliest bad ones, which are linked, by falling weight."""
    weights: Floats
    """(s,) what missing each of them costs."""
    q: Floats
    """(s,) how likely each is missed."""
    rest: float
    """What the others add at most."""
    limit: float


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
        for truth in self._hardest:
            if not self._is_proved(look, truth):
                return False
        for truth in self.union.find_unproved(m):
            if int(truth) not in self._hardest and not self._is_proved(look, int(truth)):
                self._hardest = [int(truth), *self._hardest[:7]]
                return False
        return True

    def _is_proved(self, m: Floats, truth: int) -> bool:
        sums = self.union.bounds(m, np.array([truth]))[0]
        over = np.flatnonzero(exceeds(sums, self.union.limits))
        return all(self._meets(m, self._gather(m, truth, int(requirement))) for requirement in over)

    def _gather(self, m: Floats, truth: int, requirement: int) -> _Misses:
        some = np.array([truth])
        weights = self.union.weights(some)[0, requirement]
        bad = np.flatnonzero(weights)
        p = self.union.rates.rows(some)[:, 0, bad]
        q = np.exp(m @ log_miss(p))
        order = np.argsort(-weights[bad] * q, kind="stable")
        linked, rest = np.sort(order[:_LINKED]), order[_LINKED:]
        linked = linked[np.argsort(-weights[bad][linked], kind="stable")]
        return _Misses(
            truth=truth,
            hypotheses=bad[linked],
            weights=weights[bad][linked],
            q=q[linked],
            rest=float((weights[bad] * q)[rest].sum()),
            limit=float(self.union.limits[requirement]),
        )

    def _meets(self, m: Floats, misses: _Misses) -> bool:
        """Whether one requirement is proved to be met, by one link per hypothesis or else by several."""
        if misses.limit == 0:
            return False
        return not exceeds(self._tree(m, misses) + misses.rest, misses.limit) or not exceeds(
            self._links(m, misses) + misses.rest, misses.limit
        )

    def _tree(self, m: Floats, misses: _Misses) -> float:
        """Bound by one link per hypothesis, from pairwise rates."""
        both = np.exp(np.tensordot(m, self._log_both(misses), axes=1))
        is_raised = self.union.rates.is_raised(misses.truth, misses.hypotheses)
        return bound_by_links(misses.q, both, misses.weights, is_raised)

    def _links(self, m: Floats, misses: _Misses) -> float:
        """Bound by a dozen links per hypothesis where the joint structure is known and small enough; else 1."""
        if self.domain is None:
            return 1.0
        sets = self.domain.labels[misses.hypotheses] != self.domain.labels[misses.truth]
        family = MissFamily(sets=sets, weights=misses.weights, mass=self.domain.mass)
        return bound(family, m, width=0.0, max_work=_WORK, max_levels=1).high

    def _log_both(self, misses: _Misses) -> Floats:
        """(k, s, s) at most the log-probability that one sample misses both of a pair."""
        key = (misses.truth, misses.hypotheses.tobytes())
        if key in self._both:
            return self._both[key]
        rates = self.union.rates.above
        between = rates.rows(misses.hypotheses)[:, :, misses.hypotheses]
        p = rates.rows(np.array([misses.truth]))[:, 0, misses.hypotheses]
        logs = log_both(p, between)
        if self._kept + logs.size <= _KEEP:
            self._kept += logs.size
            self._both[key] = logs
        return logs
