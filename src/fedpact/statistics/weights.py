"""How often every hypothesis disagrees with every truth, and what it costs a requirement if it is missed.

A *requirement* is agent i's target (k of them), or the joint one. None of this depends on m; it is kept, as far as
it fits, so that many contribution vectors can be asked about.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.evidence import Reports, Table
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.statistics.domain import Domain, find_domain, rates_against
from fedpact.statistics.federation_rates import rates_of
from fedpact.statistics.misses import log_miss
from fedpact.statistics.truths import find_truths

JOINT = -1
"""Number of the joint requirement; agents have theirs from 0 on."""
# Rates of all truths are kept up to this many numbers, 768 MB with their logarithms and weights; beyond they are
# computed anew for every question.
KEEP = 32_000_000


class Weights:
    """Rates and weights of one federation, computed when first needed and kept.

    Where rates are not known exactly, weights and chances of a miss are the largest possible, or with ``is_least``
    the least. Up to ``keep`` rates are kept.
    """

    def __init__(self, fed: Federation, *, is_least: bool = False, keep: int = KEEP) -> None:
        self.fed, self._is_least, self._keep = fed, is_least, keep
        self._kept_weights: dict[int, NDArray[np.float64]] = {}

    @cached_property
    def domain(self) -> Domain:
        """The merged points."""
        return find_domain(self.fed)

    @cached_property
    def truths(self) -> NDArray[np.intp]:
        """(T,) hypotheses to try as the truth; of truths whose disagreements are the same sets, one."""
        if isinstance(self.fed.evidence, Reports) or self.fed.teacher is not None:
            return self.fed.truths
        return find_truths(self.domain)

    def rates(self, hypotheses: NDArray[np.intp], *, as_miss: bool = False) -> NDArray[np.float64]:
        """(k, t, H) rates between some hypotheses and all: of the errors they stand for, or of seeing them."""
        if isinstance(self.fed.evidence, Table):
            return rates_against(self.domain, hypotheses)
        rates = rates_of(self.fed)
        if as_miss:
            return (rates.above if self._is_least else rates.below).rows(hypotheses)
        return (rates.below if self._is_least else rates.harm).rows(hypotheses)

    def unions(self, hypotheses: NDArray[np.intp]) -> NDArray[np.float64]:
        """(k, t, H) rates between some hypotheses and all that bound how often two are missed at once."""
        if isinstance(self.fed.evidence, Table):
            return rates_against(self.domain, hypotheses)
        return (rates_of(self.fed).below if self._is_least else rates_of(self.fed).above).rows(hypotheses)

    @cached_property
    def kept(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """(k, T, H) all rates, and logarithms of a miss, unless they are too many to keep."""
        if self.fed.k * len(self.truths) * self.fed.H > self._keep:
            return None
        rates = self.rates(self.truths)
        return rates, log_miss(self.rates(self.truths, as_miss=True))

    def logs(self, some: slice) -> NDArray[np.float64]:
        """(k, t, H) logarithm of the probability that one sample misses each hypothesis, for some truths."""
        if self.kept is None:
            return log_miss(self.rates(self.truths[some], as_miss=True))
        return self.kept[1][:, some]

    def weigh(self, rates: NDArray[np.float64], requirement: int) -> NDArray[np.float64]:
        """(t, H) what it costs the requirement if a hypothesis is missed."""
        if self.fed.objective == "expected":
            return np.asarray(rates[requirement])
        if requirement == JOINT:
            bad = exceeds(rates, self.fed.epsilon[:, None, None]).any(axis=0)
        else:
            bad = exceeds(rates[requirement], self.fed.epsilon[requirement])
        return np.asarray(bad, dtype=np.float64)

    def against(self, some: slice, requirement: int) -> NDArray[np.float64]:
        """(t, H) the weights against some of the truths."""
        if self.kept is None:
            return self.weigh(self.rates(self.truths[some]), requirement)
        if requirement not in self._kept_weights:
            self._kept_weights[requirement] = self.weigh(self.kept[0], requirement)
        return self._kept_weights[requirement][some]

    def against_one(self, truth: int, requirement: int) -> NDArray[np.float64]:
        """(H,) the weights against the truth of that number."""
        return np.asarray(self.against(slice(truth, truth + 1), requirement)[0])
