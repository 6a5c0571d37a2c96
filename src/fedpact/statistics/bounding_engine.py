"""The engine where labels may be wrong: certified intervals, from how often hypotheses differ.

========== ======================================================= ==============================================
assumption from above                                              from below
========== ======================================================= ==============================================
noisy      the sum over bad h of the chances of not being behind  the likeliest miss of one h if no label is wrong
           (:mod:`fedpact.statistics.label_noise`)
agnostic   the sum of an agent's own tails                         the same, by an agent's own labels
           (:mod:`fedpact.statistics.regret_tails`)
========== ======================================================= ==============================================

No label being wrong is a special case of both, so what happens then bounds the worst that may from below. In
games, where agents decide, they go by what is proved: a target that is not proved to be met counts as missed.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias, final

import numpy as np

from fedpact.describe.arrays import Bools, Floats, Ints, Places, slices
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError
from fedpact.statistics.engine import engine_of
from fedpact.statistics.interval_query import Values
from fedpact.statistics.label_noise import chances_of, miss_terms_of
from fedpact.statistics.per_agent_split import is_split, part_of
from fedpact.statistics.rates import BLOCK, Rates, rates_of
from fedpact.statistics.regret_tails import regret_tails
from fedpact.statistics.request import truths_of
from fedpact.statistics.weights import JOINT

Bound: TypeAlias = tuple[float, float, int]
"""Lower end, upper end, and the truth, or the best hypothesis, for which the upper end is largest."""


class BoundingEngine(ABC):
    """What :class:`~fedpact.statistics.engine.Engine` answers, by bounds alone."""

    has_joint_structure = False

    def __init__(self, fed: Federation) -> None:
        self.fed, self.truths = fed, truths_of(fed)
        self._known: dict[tuple[bytes, int], Bound] = {}

    @abstractmethod
    def bound(self, m: Floats, requirement: int) -> Bound:
        """Bound how likely a requirement is missed at one contribution vector (k,)."""

    def find_bad(self, rates: Rates, requirement: int, truths: Places) -> Bools:
        """(t, H) hypotheses that must not be chosen where each of the ``truths`` is the true one, or the best."""
        bad = rates.is_bad(self.fed.epsilon, truths)
        return np.asarray(bad.any(axis=0) if requirement == JOINT else bad[requirement])

    @abstractmethod
    def log_seen(self, m: Floats, truth: int) -> Floats:
        """(H,) how likely each hypothesis survives, as a logarithm, or in that order."""

    def threshold(self, requirement: int) -> float:
        """Largest value with which the requirement is met."""
        return self.fed.delta

    def find_likeliest_miss(self, requirement: int, truth: int, m: Ints) -> int:
        """Hypothesis that most likely is chosen although it must not be, if ``truth`` is true, or best."""
        bad = np.flatnonzero(self.find_bad(rates_of(self.fed).harm, requirement, np.array([truth]))[0])
        return int(bad[self.log_seen(m.astype(np.float64), truth)[bad].argmax()])

    def evaluate(
        self,
        m: Ints,
        requirements: Sequence[int],
        *,
        method: str = "auto",
        rng: np.random.Generator | None = None,
        draws: int = 0,
    ) -> Values:
        """Values of ``requirements`` at the contribution vectors ``m`` (B, k)."""
        if method == "exact":
            raise FederationError(
                f"method 'exact' is for assume 'realizable', and it is {self.fed.assume!r}; use 'auto' or 'bounds'"
            )
        found = np.array([[self._bound(row, one) for one in requirements] for row in m])
        low, high, truth = np.moveaxis(found, 2, 0)
        return Values(low=low, high=high, truth=truth.astype(np.intp), how=np.full(low.shape, "bounds"))

    def is_met(self, m: Ints, requirements: Sequence[int]) -> Bools:
        """(B, R) whether each requirement is provably met."""
        return ~exceeds(self.decide(m, requirements)[1], self.fed.delta)

    def decide(
        self, m: Ints, requirements: Sequence[int], *, max_work: float = 0.0, is_proof: bool = False
    ) -> tuple[Floats, Floats]:
        """(B, R) the upper end of each value, twice: what is not proved counts as missed."""
        shape = len(m), len(requirements)
        proved = np.array([self._bound(row, one)[1] for row in m for one in requirements]).reshape(shape)
        return proved, proved.copy()

    def _bound(self, m: Ints, requirement: int) -> Bound:
        key = m.tobytes(), requirement
        if key not in self._known:
            self._known[key] = self.bound(m.astype(np.float64), requirement)
        return self._known[key]


@final
class NoisyEngine(BoundingEngine):
    """Labels of some truth, each wrong with probability ``fed.noise`` at most."""

    def __init__(self, fed: Federation) -> None:
        super().__init__(fed)
        self._rates, self._terms = rates_of(fed), miss_terms_of(fed)

    def bound(self, m: Floats, requirement: int) -> Bound:  # noqa: D102
        low = high = 0.0
        worst = int(self.truths[0])
        for block in slices(len(self.truths), BLOCK // (self._rates.k * self._rates.H)):
            truths = self.truths[block]
            bad = self.find_bad(self._rates.harm, requirement, truths)
            sums = (bad * chances_of(self._terms, m, truths)).sum(axis=1)
            surely = self.find_bad(self._rates.below, requirement, truths)
            low = max(low, float((surely * np.exp(self._rates.above.log_miss(m, truths))).max()))
            if sums.max() > high:
                high, worst = float(sums.max()), int(truths[sums.argmax()])
        high = max(low, min(high, 1.0, self._sum_parts(m, requirement)))
        return low, high, worst

    def _sum_parts(self, m: Floats, requirement: int) -> float:
        """Bound from above by the parts of the federation, where its rates are estimated."""
        if not is_split(self.fed):
            return 1.0
        agents = range(self.fed.k) if requirement == JOINT else [requirement]
        whole = m.astype(np.int64)[None]
        return sum(float(engine_of(part_of(self.fed, agent)).decide(whole, [agent])[1][0, 0]) for agent in agents)

    def log_seen(self, m: Floats, truth: int) -> Floats:  # noqa: D102
        return np.asarray(self._terms[0][1].log_miss(m, np.array([truth]))[0])


@final
class AgnosticEngine(BoundingEngine):
    """Nothing is assumed of labels: every agent goes by its own, and others' say nothing."""

    def __init__(self, fed: Federation) -> None:
        super().__init__(fed)
        self._tails = [regret_tails(fed, agent) for agent in range(fed.k)]

    def bound(self, m: Floats, requirement: int) -> Bound:  # noqa: D102
        if requirement != JOINT:
            own, count = self._tails[requirement], float(m[requirement])
            high, best = own.fail(int(count))
            return min(own.left**count, high), high, best
        each = [self.bound(m, agent) for agent in range(self.fed.k)]
        worst = max(each, key=lambda one: one[1])
        together = 1 - math.prod(1 - high for _, high, _ in each)
        return max(low for low, _, _ in each), max(together, worst[1]), worst[2]

    def log_seen(self, m: Floats, truth: int) -> Floats:  # noqa: D102
        return np.asarray(rates_of(self.fed).above.rows(np.array([truth])).max(axis=(0, 1)))
