"""Pairwise disagreement rates of all hypotheses, kept once per federation and read in blocks of rows.

Predictions and reports give counts; those are kept as integers of the smallest fitting type, and the logarithm
of a miss is looked up in a table of n + 1 entries per agent. A table of points gives masses, kept as doubles
while they fit into ``KEEP`` numbers and beyond as singles rounded down, which can only make a miss look likelier;
a single counts as bad if the next one above it does. :meth:`Rates.between` gives pairs exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.evidence import Predictions, Reports, Table
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.statistics.disagreement import rates_against
from fedpact.statistics.domain import find_domain
from fedpact.statistics.misses import NEVER, log_miss, replace_never

Rows: TypeAlias = slice | NDArray[np.intp]

KEEP = 64_000_000
_BLOCK = 4_000_000


class Rates(ABC):
    """How often any two hypotheses disagree on each agent's data."""

    k: int
    H: int

    @abstractmethod
    def rows(self, targets: Rows) -> NDArray[np.float64]:
        """(k, t, H) rates between some targets and every hypothesis."""

    @abstractmethod
    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:
        """(k, n) exact rates of the pairs (h[i], g[i])."""

    @abstractmethod
    def log_miss(self, m: NDArray[np.float64], targets: Rows, at_one: float = NEVER) -> NDArray[np.float64]:
        """(t, H) sum_j m_j log(1 - p_j), with ``at_one`` for log 0: how likely each hypothesis is missed."""

    @abstractmethod
    def is_bad(self, agent: int, epsilon: float, targets: Rows) -> NDArray[np.bool_]:
        """(t, H) which hypotheses are bad for ``agent`` against some targets."""

    def blocks(self, agents: int = 1) -> Iterator[slice]:
        """Slices of targets whose rates, for that many agents, fit into bounded memory."""
        step = max(1, _BLOCK // (max(1, agents) * self.H))
        for start in range(0, self.H, step):
            yield slice(start, min(start + step, self.H))


class CountRates(Rates):
    """Counts of disagreeing points, out of n."""

    def __init__(self, counts: NDArray[Any], n: NDArray[np.int64]) -> None:
        self.counts, self.n = counts, n
        self.k, self.H = counts.shape[0], counts.shape[1]
        self._logs = [log_miss(np.arange(size + 1) / size) for size in n]

    def rows(self, targets: Rows) -> NDArray[np.float64]:  # noqa: D102
        return np.asarray(self.counts[:, targets] / self.n[:, None, None])

    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:  # noqa: D102
        return np.asarray(self.counts[:, h, g] / self.n[:, None])

    def log_miss(  # noqa: D102
        self, m: NDArray[np.float64], targets: Rows, at_one: float = NEVER
    ) -> NDArray[np.float64]:
        total = np.zeros(self.counts[0, targets].shape)
        for agent in np.flatnonzero(m):
            logs = replace_never(self._logs[agent], at_one)
            total += (m[agent] * logs).take(self.counts[agent, targets])
        return total

    def is_bad(self, agent: int, epsilon: float, targets: Rows) -> NDArray[np.bool_]:  # noqa: D102
        size = int(self.n[agent])
        return np.asarray(exceeds(np.arange(size + 1) / size, epsilon).take(self.counts[agent, targets]))


class MassRates(Rates):
    """Masses of the points where two hypotheses differ."""

    def __init__(self, fed: Federation) -> None:
        self.domain = find_domain(fed)
        self.k, self.H = fed.k, fed.H
        is_small = fed.k * fed.H * fed.H <= KEEP
        self.masses: NDArray[Any] = np.empty((fed.k, fed.H, fed.H), dtype=np.float64 if is_small else np.float32)
        for some in self.blocks(fed.k):
            exact = rates_against(self.domain, np.arange(some.start, some.stop))
            self.masses[:, some] = exact if is_small else _round_down(exact)

    def rows(self, targets: Rows) -> NDArray[np.float64]:  # noqa: D102
        return self.masses[:, targets].astype(np.float64)

    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:  # noqa: D102
        differ = self.domain.labels[h] != self.domain.labels[g]
        return np.asarray((differ @ self.domain.mass.T).T)

    def log_miss(  # noqa: D102
        self, m: NDArray[np.float64], targets: Rows, at_one: float = NEVER
    ) -> NDArray[np.float64]:
        total = np.zeros(self.masses[0, targets].shape)
        for agent in np.flatnonzero(m):
            total += m[agent] * replace_never(log_miss(self.masses[agent, targets]), at_one)
        return total

    def is_bad(self, agent: int, epsilon: float, targets: Rows) -> NDArray[np.bool_]:  # noqa: D102
        masses = self.masses[agent, targets]
        is_single = masses.dtype == np.float32
        return np.asarray(exceeds(np.nextafter(masses, np.float32(2)) if is_single else masses, epsilon))


def _round_down(exact: NDArray[np.float64]) -> NDArray[np.float32]:
    """Nearest single that is not above."""
    near = exact.astype(np.float32)
    return np.where(near > exact, np.nextafter(near, np.float32(0)), near)


def rates_of(fed: Federation) -> Rates:
    """Return the rates of a federation, computed once and kept with it."""
    if Rates not in fed.memo:
        fed.memo[Rates] = _make(fed)
    rates = fed.memo[Rates]
    assert isinstance(rates, Rates)
    return rates


def _make(fed: Federation) -> Rates:
    match fed.evidence:
        case Table():
            return MassRates(fed)
        case Predictions(predictions=predictions):
            sizes = np.array([array.shape[1] for array in predictions])
            counts = np.empty((fed.k, fed.H, fed.H), dtype=np.min_scalar_type(sizes.max()))
            for agent, labels in enumerate(predictions):
                counts[agent] = _count(labels[fed.distinct])
            return CountRates(counts, sizes)
        case Reports(reports=reports):
            sizes = np.array([report.n for report in reports])
            kind = np.min_scalar_type(sizes.max())
            squares = [report.square()[np.ix_(fed.distinct, fed.distinct)].astype(kind) for report in reports]
            return CountRates(np.stack(squares), sizes)


def _count(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """(H, H) on how many points each pair differs: all points less those where both say the same class."""
    same = np.zeros((len(labels), len(labels)), dtype=np.float32)
    for label in np.unique(labels):
        says = (labels == label).astype(np.float32)
        same += says @ says.T
    return np.asarray(np.rint(labels.shape[1] - same), dtype=np.int64)
