"""Pairwise disagreement rates of all hypotheses, kept once per federation and read in blocks of rows.

Predictions and reports give counts; those are kept as integers of the smallest fitting type, and the logarithm
of a miss is looked up in a table of n + 1 entries. A table of points gives masses, kept as doubles while they
fit into ``KEEP`` numbers and beyond as singles rounded down, which can only make a miss look likelier; a
single counts as bad if the next one above it does. :meth:`Rates.between` gives pairs exactly.

Nothing here is ever as large as k H^2 doubles; work on all pairs goes block by block, on all cores.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.evidence import Predictions, Reports, Table
from fedpact.describe.federation import Federation
from fedpact.describe.kept import kept_with_evidence
from fedpact.describe.ties import exceeds, tolerance
from fedpact.statistics.domain import find_domain, rates_against
from fedpact.statistics.misses import NEVER, log_miss, replace_never

Rows: TypeAlias = slice | NDArray[np.intp]
T = TypeVar("T")

KEEP = 64_000_000
# Logarithms of up to this many rates are kept, 16 MB.
_KEEP_LOGS = 2_000_000
# Rows of a block hold this many numbers: few enough for the cache, enough to hide the cost of a call.
_BLOCK = 400_000
_AT_ONCE = 50_000_000
# Singles count exactly up to here.
_EXACT = 2**24
# Larger reports have no table of logarithms.
_TABLE = 1_000_000


class Rates(ABC):
    """How often any two hypotheses disagree on each agent's data."""

    k: int
    H: int
    error: float = 0.0
    """How much larger, relatively, a rate may be than :meth:`rows` says."""

    @abstractmethod
    def rows(self, targets: Rows) -> NDArray[np.float64]:
        """(k, t, H) rates between some targets and every hypothesis."""

    @abstractmethod
    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:
        """(k, n) exact rates of the pairs (h[i], g[i])."""

    @abstractmethod
    def log_miss(
        self, m: NDArray[np.float64], targets: Rows, at_one: float = NEVER, *, start: int = 0
    ) -> NDArray[np.float64]:
        """(t, H - start) sum_j m_j log(1 - p_j), with ``at_one`` for log 0: how likely each is missed."""

    @abstractmethod
    def logs(self, targets: NDArray[np.intp], at_one: float) -> NDArray[np.float64]:
        """(k, t, H) log(1 - p_j) between some targets and every hypothesis, with ``at_one`` for log 0."""

    @abstractmethod
    def is_bad(self, epsilon: NDArray[np.float64], targets: Rows, *, surely: bool = False) -> NDArray[np.bool_]:
        """(k, t, H) which hypotheses are, or if rates are rounded may or surely are, bad for each agent."""

    def blocks(self, agents: int = 1) -> list[slice]:
        """Slices of targets whose rates, for that many agents, fit into bounded memory."""
        step = max(1, _BLOCK // (max(1, agents) * self.H))
        return [slice(start, min(start + step, self.H)) for start in range(0, self.H, step)]


class CountRates(Rates):
    """Counts of disagreeing points, out of n."""

    def __init__(self, counts: NDArray[Any], n: NDArray[np.int64]) -> None:
        self.counts, self.n = counts, n
        self.k, self.H = counts.shape[0], counts.shape[1]
        self._logs: dict[int, NDArray[np.float64]] = {}

    def rows(self, targets: Rows) -> NDArray[np.float64]:  # noqa: D102
        return np.asarray(self.counts[:, targets] / self.n[:, None, None])

    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:  # noqa: D102
        return np.asarray(self.counts[:, h, g] / self.n[:, None])

    def log_miss(  # noqa: D102
        self, m: NDArray[np.float64], targets: Rows, at_one: float = NEVER, *, start: int = 0
    ) -> NDArray[np.float64]:
        total = np.zeros(self.counts[0, targets, start:].shape)
        for agent in np.flatnonzero(m):
            counts, n = self.counts[agent, targets, start:], int(self.n[agent])
            if n > _TABLE:
                total += m[agent] * replace_never(log_miss(counts / n), at_one)
            else:
                total += (m[agent] * replace_never(self._table(n), at_one)).take(counts, mode="clip")
        return total

    def logs(self, targets: NDArray[np.intp], at_one: float) -> NDArray[np.float64]:  # noqa: D102
        if self.n.max() > _TABLE:
            return replace_never(log_miss(self.rows(targets)), at_one)
        sizes, which = np.unique(self.n, return_inverse=True)
        tables = [replace_never(self._table(int(n)), at_one) for n in sizes]
        first = np.cumsum([0, *map(len, tables[:-1])])[which]
        places = self.counts[:, targets] + first[:, None, None]
        return np.asarray(np.concatenate(tables).take(places, mode="clip"))

    def _table(self, n: int) -> NDArray[np.float64]:
        """(n + 1,) log of a miss for every count out of ``n``."""
        if n not in self._logs:
            self._logs[n] = log_miss(np.arange(n + 1) / n)
        return self._logs[n]

    def is_bad(  # noqa: D102
        self, epsilon: NDArray[np.float64], targets: Rows, *, surely: bool = False
    ) -> NDArray[np.bool_]:
        most = largest_harmless(self.n, epsilon).astype(self.counts.dtype)
        return np.asarray(self.counts[:, targets] > most[:, None, None])


def largest_harmless(n: NDArray[np.int64], epsilon: NDArray[np.float64]) -> NDArray[np.int64]:
    """(k,) the largest count out of n that does not exceed epsilon.

    Examples
    --------
    >>> largest_harmless(np.array([10, 3]), np.array([0.3, 1 / 3]))
    array([3, 1])
    """
    count = np.minimum(np.floor(n * (epsilon + tolerance(epsilon))).astype(np.int64) + 1, n)
    while (over := exceeds(count / n, epsilon)).any():
        count = count - over
    return count


class MassRates(Rates):
    """Masses of the points where two hypotheses differ."""

    def __init__(self, fed: Federation) -> None:
        self.domain = find_domain(fed)
        self.k, self.H = fed.k, fed.H
        is_small = fed.k * fed.H * fed.H <= KEEP
        self.error = 0.0 if is_small else 2.0**-22
        self.masses: NDArray[Any] = np.empty((fed.k, fed.H, fed.H), dtype=np.float64 if is_small else np.float32)
        for some in self.blocks(fed.k):
            exact = rates_against(self.domain, np.arange(some.start, some.stop))
            self.masses[:, some] = exact if is_small else _round_down(exact)
        has_logs = is_small and self.masses.size <= _KEEP_LOGS
        self._logs = log_miss(self.masses) if has_logs else None

    def rows(self, targets: Rows) -> NDArray[np.float64]:  # noqa: D102
        return self.masses[:, targets].astype(np.float64)

    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:  # noqa: D102
        differ = self.domain.labels[h] != self.domain.labels[g]
        return np.asarray((differ @ self.domain.mass.T).T)

    def log_miss(  # noqa: D102
        self, m: NDArray[np.float64], targets: Rows, at_one: float = NEVER, *, start: int = 0
    ) -> NDArray[np.float64]:
        if self._logs is not None:
            logs = self._logs[:, targets, start:]
            return np.asarray(np.tensordot(m, logs if at_one == NEVER else replace_never(logs, at_one), axes=1))
        total = np.zeros(self.masses[0, targets, start:].shape)
        for agent in np.flatnonzero(m):
            total += m[agent] * replace_never(log_miss(self._of(int(agent), targets, start)), at_one)
        return total

    def logs(self, targets: NDArray[np.intp], at_one: float) -> NDArray[np.float64]:  # noqa: D102
        return replace_never(log_miss(self.rows(targets)), at_one)

    def _of(self, agent: int, targets: Rows, start: int) -> NDArray[np.float64]:
        return self.masses[agent, targets, start:].astype(np.float64)

    def is_bad(  # noqa: D102
        self, epsilon: NDArray[np.float64], targets: Rows, *, surely: bool = False
    ) -> NDArray[np.bool_]:
        masses = self.masses[:, targets]
        is_exact = surely or masses.dtype == np.float64
        upper = masses if is_exact else np.nextafter(masses, np.float32(2))
        return np.asarray(exceeds(upper, epsilon[:, None, None]))


def _round_down(exact: NDArray[np.float64]) -> NDArray[np.float32]:
    """Nearest single that is not above."""
    near = exact.astype(np.float32)
    return np.where(near > exact, np.nextafter(near, np.float32(0)), near)


def on_all_cores(work: Callable[[slice], T], blocks: list[slice]) -> Iterator[T]:
    """Yield ``work(block)`` of every block in order; the blocks are worked on in threads."""
    if len(blocks) < 4:
        yield from map(work, blocks)
        return
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        yield from pool.map(work, blocks)
    finally:
        pool.shutdown(cancel_futures=True)


@kept_with_evidence
def rates_of(fed: Federation) -> Rates:
    """Return the rates of a federation, computed once and kept with its evidence."""
    match fed.evidence:
        case Table():
            return MassRates(fed)
        case Predictions(predictions=predictions):
            sizes = np.array([array.shape[1] for array in predictions])
            counts = np.empty((fed.k, fed.H, fed.H), dtype=np.min_scalar_type(sizes.max()))
            for agent, labels in enumerate(predictions):
                counts[agent] = count_differences(labels[fed.distinct])
            return CountRates(counts, sizes)
        case Reports(reports=reports):
            sizes = np.array([report.n for report in reports])
            counts = np.empty((fed.k, fed.H, fed.H), dtype=np.min_scalar_type(sizes.max()))
            for agent, report in enumerate(reports):
                counts[agent] = report.square()[np.ix_(fed.distinct, fed.distinct)]
            return CountRates(counts, sizes)


def count_differences(labels: NDArray[Any]) -> NDArray[np.floating]:
    """(H, H) on how many points each pair differs: all points less those where both say the same class."""
    H, n = labels.shape
    classes = np.unique(labels)
    same = np.zeros((H, H), dtype=np.float32 if n < _EXACT else np.float64)
    step = min(_EXACT, max(1, _AT_ONCE // (H * len(classes))))
    for start in range(0, n, step):
        says = (labels[:, start : start + step, None] == classes).reshape(H, -1).astype(np.float32)
        same += says @ says.T
    return np.asarray(np.rint(n - same))
