"""How often every hypothesis disagrees with every truth, and what it costs a requirement if it is missed.

A *requirement* is agent i's target (k of them), or the joint one. None of this depends on m; it is kept, as far as
it fits, so that many contribution vectors can be asked about.
"""

from __future__ import annotations

import hashlib
from functools import cached_property

import numpy as np

from fedpact.describe.arrays import Floats, Places
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.statistics.domain import Domain, find_domain, rates_against
from fedpact.statistics.misses import log_miss
from fedpact.statistics.rates import rates_of
from fedpact.statistics.request import teacher_of, truths_of

JOINT = -1
"""Number of the joint requirement; agents have theirs from 0 on."""
# Rates of all truths are kept up to this many numbers, 768 MB with their logarithms and weights; beyond they are
# computed anew for every question.
KEEP = 32_000_000


class Weights:
    """Rates and weights of one federation, computed when first needed and kept.

    Where rates are not known exactly, weights and chances of a miss are the largest possible, or with ``is_least``
    the least. Up to ``KEEP`` rates are kept.
    """

    def __init__(self, fed: Federation, *, is_least: bool = False) -> None:
        self.fed, self._is_least = fed, is_least
        self._kept_weights: dict[int, Floats] = {}

    @cached_property
    def truths(self) -> Places:
        """(T,) hypotheses to try as the truth; of truths whose disagreements are the same sets, one."""
        if isinstance(self.fed.evidence, Reports) or teacher_of(self.fed) is not None:
            return truths_of(self.fed)
        return find_truths(find_domain(self.fed))

    def rates(self, hypotheses: Places, *, as_miss: bool = False) -> Floats:
        """(k, t, H) rates between some hypotheses and all: of the errors they stand for, or of seeing them."""
        if not self.fed.evidence.IS_COUNTED:
            return rates_against(find_domain(self.fed), hypotheses)
        rates = rates_of(self.fed)
        if as_miss:
            return (rates.above if self._is_least else rates.below).rows(hypotheses)
        return (rates.below if self._is_least else rates.harm).rows(hypotheses)

    def unions(self, hypotheses: Places) -> Floats:
        """(k, t, H) rates of reports that bound how often two are missed at once."""
        return (rates_of(self.fed).below if self._is_least else rates_of(self.fed).above).rows(hypotheses)

    @cached_property
    def kept(self) -> tuple[Floats, Floats] | None:
        """(k, T, H) all rates, and logarithms of a miss, unless they are too many to keep."""
        if self.fed.k * len(self.truths) * self.fed.H > KEEP:
            return None
        rates = self.rates(self.truths)
        return rates, log_miss(self.rates(self.truths, as_miss=True))

    def logs(self, some: slice) -> Floats:
        """(k, t, H) logarithm of the probability that one sample misses each hypothesis, for some truths."""
        if self.kept is None:
            return log_miss(self.rates(self.truths[some], as_miss=True))
        return self.kept[1][:, some]

    def weigh(self, rates: Floats, requirement: int) -> Floats:
        """(t, H) what it costs the requirement if a hypothesis is missed."""
        if self.fed.objective == "expected":
            return np.asarray(rates[requirement])
        if requirement == JOINT:
            bad = exceeds(rates, self.fed.epsilon[:, None, None]).any(axis=0)
        else:
            bad = exceeds(rates[requirement], self.fed.epsilon[requirement])
        return np.asarray(bad, dtype=np.float64)

    def against(self, some: slice, requirement: int) -> Floats:
        """(t, H) the weights against some of the truths."""
        if self.kept is None:
            return self.weigh(self.rates(self.truths[some]), requirement)
        if requirement not in self._kept_weights:
            self._kept_weights[requirement] = self.weigh(self.kept[0], requirement)
        return self._kept_weights[requirement][some]

    def against_one(self, truth: int, requirement: int) -> Floats:
        """(H,) the weights against the truth of that number."""
        return np.asarray(self.against(slice(truth, truth + 1), requirement)[0])


def find_truths(domain: Domain) -> Places:
    """Truths with different families of disagreement sets.

    For binary labels on at most 64 points a disagreement is the exclusive or of two codes, and a family is
    the sorted list of them. All labelings of n points have one family, not 2^n.
    """
    H, n = domain.labels.shape
    is_binary = H == 0 or all(len(np.unique(column)) <= 2 for column in domain.labels.T)
    if not is_binary or not 0 < n <= 64:
        return np.arange(H)
    codes = (domain.labels > 0).astype(np.uint64) @ (np.uint64(1) << np.arange(n, dtype=np.uint64))
    first: dict[bytes, int] = {}
    for truth, code in enumerate(codes):
        family = np.sort(codes ^ code)
        first.setdefault(hashlib.blake2b(family.tobytes(), digest_size=16).digest(), truth)
    return np.array(list(first.values()), dtype=np.intp)
