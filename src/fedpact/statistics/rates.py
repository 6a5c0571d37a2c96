"""Pairwise disagreement rates of all hypotheses, kept once per federation and read in blocks of rows.

Counts are kept as integers of the smallest fitting type, and rates and logarithms of a miss are looked up in a
table with one entry per count; masses of points are kept as they are.

A rate need not be known exactly: a single is rounded, a suppressed count stands for a range, and counts that were
estimated on a sample, or made noisy, are known within confidence limits (:mod:`fedpact.statistics.confidence`). So
rates have two sides, ``below`` and ``above``, which are the same where nothing is uncertain. A proof that
contributions are enough asks ``above`` which hypotheses are bad and ``below`` how likely they are missed; a proof
that they are not asks the other way round. :meth:`Rates.between` gives pairs without rounding.

Only masses that are few are as large as k H^2 doubles; work on all pairs goes block by block, on all cores.

A table of points gives masses, kept as doubles while they fit into ``KEEP`` numbers and beyond as singles,
rounded down and up. Predictions and reports give counts out of n. Counts that were suppressed, made noisy or taken
as estimates give limits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Ints, Places, slices
from fedpact.describe.condensed import count_pairs, to_square
from fedpact.describe.evidence import Predictions, Reports
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized_by_evidence
from fedpact.describe.progress import parallel_map
from fedpact.describe.ties import exceeds
from fedpact.statistics.domain import Domain, find_domain, rates_against
from fedpact.statistics.misses import NEVER, log_miss, replace_never

T = TypeVar("T")
Rows: TypeAlias = slice | Places

# Logarithms of up to this many rates are kept, 16 MB.
_KEEP_LOGS = 2_000_000
# Rows of a block hold this many numbers: few enough for the cache, enough to hide the cost of a call.
BLOCK = 400_000


class Rates(ABC):
    """How often any two hypotheses disagree on each agent's data, from one side."""

    k: int
    H: int

    def __init__(self) -> None:
        self.below: Rates = self
        """Rates that are no larger than the true ones."""
        self.above: Rates = self
        """Rates that are no smaller than the true ones."""
        self.harm: Rates = self
        """How much a hypothesis hurts each agent at most; other than ``above`` only in a part of a federation
        (:mod:`fedpact.statistics.per_agent_split`)."""
        self.unraised: Rates = self
        """``below`` as it is without any target; other than it only in a part of a federation."""

    @property
    def is_certain(self) -> bool:
        """Whether both sides are the same."""
        return self.below is self.above

    @abstractmethod
    def rows(self, truths: Rows) -> Floats:
        """(k, t, H) rates between some truths and every hypothesis."""

    @abstractmethod
    def between(self, h: Places, g: Places) -> Floats:
        """(k, n) rates of the pairs (h[i], g[i]), without rounding."""

    @abstractmethod
    def log_miss(self, m: Floats, truths: Rows, at_one: float = NEVER, *, start: int = 0) -> Floats:
        """(t, H - start) sum_j m_j log(1 - p_j), with ``at_one`` for log 0: how likely each is missed."""

    @abstractmethod
    def logs(self, truths: Places, at_one: float) -> Floats:
        """(k, t, H) log(1 - p_j) between some truths and every hypothesis, with ``at_one`` for log 0."""

    @abstractmethod
    def scaled(self, share: float, cap: float) -> Rates:
        """Return a share of these rates, ``cap`` at most, with no other side."""

    @abstractmethod
    def is_bad(self, epsilon: Floats, truths: Rows) -> Bools:
        """(k, t, H) which hypotheses are bad for each agent, if rates are what this side says."""

    def is_raised(self, truth: int, hypotheses: Places) -> Bools:
        """(s,) which hypotheses count as met more often than they are known to be, as is true of bad ones."""
        if self.unraised is self.below:
            return np.zeros(len(hypotheses), dtype=bool)
        truths = np.full(len(hypotheses), truth)
        known, assumed = (side.between(truths, hypotheses) for side in (self.unraised, self.below))
        return np.asarray((assumed > known).any(axis=0))

    def blocks(self, agents: int = 1) -> list[slice]:
        """Slices of truths whose rates, for that many agents, fit into bounded memory."""
        return slices(self.H, BLOCK // (max(1, agents) * self.H))

    def map_blocks(self, work: Callable[[slice], T], agents: int = 1) -> Iterator[T]:
        """Yield what ``work`` makes of every block, in order; on all cores where there are several."""
        blocks = self.blocks(agents)
        return map(work, blocks) if len(blocks) == 1 else parallel_map(work, blocks)


def join_sides(below: Rates, above: Rates, harm: Rates | None = None) -> Rates:
    """Make the sides know each other; returns the lower."""
    for side in (below, above):
        side.below, side.above, side.harm, side.unraised = below, above, harm or above, below
    return below


class TabledRates(Rates):
    """Rates that are looked up: whole numbers (k, H, H), and for each agent what they stand for.

    Parameters
    ----------
    places
        Where in its agent's table each rate stands.
    tables
        One rising row of rates per agent; agents may share one.
    """

    def __init__(self, places: NDArray[Any], tables: Sequence[Floats]) -> None:
        super().__init__()
        self.places, self.tables = places, tables
        self.k, self.H = places.shape[0], places.shape[1]
        different = {id(table): table for table in tables}
        assert all((np.diff(table) >= 0).all() for table in different.values()), "is_bad needs rising tables"
        assert (places.max(axis=(1, 2)) < [*map(len, tables)]).all(), "a place must be in the agent's own table"
        starts = dict(zip(different, np.cumsum([0, *map(len, different.values())]), strict=False))
        self._start = np.array([starts[id(table)] for table in tables])
        self._rates = np.concatenate(list(different.values()))
        self._log_misses = log_miss(self._rates)
        self._within: tuple[bytes, Ints] = b"", np.zeros(0, dtype=np.int64)

    def scaled(self, share: float, cap: float) -> TabledRates:  # noqa: D102
        different = {id(table): np.minimum(share * table, cap) for table in self.tables}
        return TabledRates(self.places, [different[id(table)] for table in self.tables])

    def _look_up(self, table: Floats, places: NDArray[Any]) -> Floats:
        """Entries (k, ...) of all tables in a row, at places that count from the start of each agent's own."""
        if self._start.any():
            places = places + self._start.reshape(-1, *[1] * (places.ndim - 1))
        return np.asarray(table.take(places, mode="clip"))

    def rows(self, truths: Rows) -> Floats:  # noqa: D102
        return self._look_up(self._rates, self.places[:, truths])

    def between(self, h: Places, g: Places) -> Floats:  # noqa: D102
        return self._look_up(self._rates, self.places[:, h, g])

    def log_miss(  # noqa: D102
        self, m: Floats, truths: Rows, at_one: float = NEVER, *, start: int = 0
    ) -> Floats:
        total = np.zeros(self.places[0, truths, start:].shape)
        for agent in np.flatnonzero(m).tolist():
            own = slice(self._start[agent], self._start[agent] + len(self.tables[agent]))
            table = m[agent] * replace_never(self._log_misses[own], at_one)
            total += table.take(self.places[agent, truths, start:], mode="clip")
        return total

    def logs(self, truths: Places, at_one: float) -> Floats:  # noqa: D102
        return self._look_up(replace_never(self._log_misses, at_one), self.places[:, truths])

    def is_bad(self, epsilon: Floats, truths: Rows) -> Bools:  # noqa: D102
        return np.asarray(self.places[:, truths] >= self._harmless(epsilon)[:, None, None])

    def _harmless(self, epsilon: Floats) -> Ints:
        """(k,) how many entries of each agent's table are within epsilon; kept, for it is asked block by block."""
        key, (known, within) = epsilon.tobytes(), self._within
        if known != key:
            pairs = zip(self.tables, epsilon.tolist(), strict=True)
            within = np.array([int((~exceeds(table, limit)).sum()) for table, limit in pairs])
            self._within = key, within
        return within


class MassRates(Rates):
    """Masses (k, H, H) of the points where two hypotheses differ; singles are rounded, down or up."""

    def __init__(
        self, domain: Domain, masses: NDArray[Any], *, is_upper: bool = False, share: float = 1.0, cap: float = 1.0
    ) -> None:
        super().__init__()
        self.domain, self.masses, self._is_upper = domain, masses, is_upper
        self._share, self._cap = share, cap
        self.k, self.H = masses.shape[0], masses.shape[1]
        most = _KEEP_LOGS if share == 1 else _KEEP_LOGS // 16
        has_logs = masses.dtype == np.float64 and masses.size <= most
        self._logs = log_miss(self._scale(masses)) if has_logs else None

    def scaled(self, share: float, cap: float) -> MassRates:  # noqa: D102
        return MassRates(self.domain, self.masses, is_upper=self._is_upper, share=share, cap=cap)

    def _scale(self, masses: Floats) -> Floats:
        return masses if self._share == 1 else np.minimum(self._share * masses, self._cap)

    def rows(self, truths: Rows) -> Floats:  # noqa: D102
        return self._widen(self.masses[:, truths])

    def _widen(self, masses: NDArray[Any]) -> Floats:
        """As doubles; on the upper side the next single, unless the mass is zero."""
        if self._is_upper:
            masses = np.where(masses > 0, np.minimum(np.nextafter(masses, np.float32(2)), 1), masses)
        return self._scale(np.asarray(masses, dtype=np.float64))

    def between(self, h: Places, g: Places) -> Floats:  # noqa: D102
        differ = self.domain.labels[h] != self.domain.labels[g]
        return self._scale(np.asarray((differ @ self.domain.mass.T).T))

    def log_miss(  # noqa: D102
        self, m: Floats, truths: Rows, at_one: float = NEVER, *, start: int = 0
    ) -> Floats:
        if self._logs is not None:
            logs = replace_never(self._logs[:, truths, start:], at_one)
            return np.asarray(np.tensordot(m, logs, axes=1))
        total = np.zeros(self.masses[0, truths, start:].shape)
        for agent in np.flatnonzero(m):
            rates = self._widen(self.masses[agent, truths, start:])
            total += m[agent] * replace_never(log_miss(rates), at_one)
        return total

    def logs(self, truths: Places, at_one: float) -> Floats:  # noqa: D102
        logs = log_miss(self.rows(truths)) if self._logs is None else self._logs[:, truths]
        return replace_never(logs, at_one)

    def is_bad(self, epsilon: Floats, truths: Rows) -> Bools:  # noqa: D102
        return np.asarray(exceeds(self.rows(truths), epsilon[:, None, None]))


KEEP = 64_000_000
# Reports of more points have a table of the counts that occur, not of all.
_TABLE = 1_000_000


def _weigh_masses(fed: Federation) -> Rates:
    domain = find_domain(fed)
    is_small = fed.k * fed.H * fed.H <= KEEP
    masses: NDArray[Any] = np.empty((fed.k, fed.H, fed.H), dtype=np.float64 if is_small else np.float32)
    for block in slices(fed.H, BLOCK // (fed.k * fed.H)):
        exact = rates_against(domain, np.arange(block.start, block.stop))
        near = exact if is_small else exact.astype(np.float32)
        # The nearest single that is not above.
        masses[:, block] = exact if is_small else np.where(near > exact, np.nextafter(near, np.float32(0)), near)
    if is_small:
        return MassRates(domain, masses)
    return join_sides(MassRates(domain, masses), MassRates(domain, masses, is_upper=True))


def tabulate(counts: NDArray[Any], n: int) -> tuple[NDArray[Any], Ints]:
    """Where each count stands in a short table, and the counts that the table is of; 0 always comes first.

    Examples
    --------
    >>> tabulate(np.array([[0, 2], [2, 0]]), 3)
    (array([[0, 2],
           [2, 0]]), array([0, 1, 2, 3]))
    """
    if n <= _TABLE:
        return counts, np.arange(n + 1)
    different, places = np.unique(counts, return_inverse=True)
    return places.reshape(counts.shape), different.astype(np.int64)


def _look_up(H: int, counts: Iterable[NDArray[Any]], sizes: Sequence[int]) -> Rates:
    """Rates of counts (H, H) out of n, for every agent; those of the same n share one table.

    Only the counts of one agent at a time are as wide as they came.
    """
    last_place = max(n if n <= _TABLE else min(n, count_pairs(H)) for n in sizes)
    places = np.empty((len(sizes), H, H), dtype=np.min_scalar_type(last_place))
    shared = {n: np.arange(n + 1) / n for n in set(sizes) if n <= _TABLE}
    tables = []
    for own, n, place in zip(counts, sizes, places, strict=True):
        place[:], values = tabulate(own, n)
        tables.append(shared[n] if n in shared else values / n)
    return TabledRates(places, tables)


def _bound(evidence: Reports) -> Rates:
    """Limits of the rates; a hypothesis does not differ from itself, for certain, which takes place 0."""
    from fedpact.statistics.confidence import limits_of, risk_per_limit

    places, low, high = [], [], []
    for report in evidence.reports:
        values, found = np.unique(report.counts, return_inverse=True)
        own = to_square(found + 1)
        np.fill_diagonal(own, 0)
        limits = limits_of(report, values, risk_per_limit(evidence))
        places.append(own)
        low.append(np.append(0.0, limits[0]))
        high.append(np.append(0.0, limits[1]))
    stacked = np.stack(places, dtype=np.min_scalar_type(max(map(len, low))), casting="unsafe")
    return join_sides(TabledRates(stacked, low), TabledRates(stacked, high))


@memoized_by_evidence
def rates_of(fed: Federation) -> Rates:
    """Return the rates of a federation, computed once and kept with its evidence."""
    match fed.evidence:
        case Predictions(predictions=predictions, sizes=sizes):
            from fedpact.statistics.count_disagreements import count_disagreements

            counts = (to_square(count_disagreements(labels[fed.distinct])) for labels in predictions)
            return _look_up(fed.H, counts, sizes)
        case Reports() as evidence if not evidence.is_exact:
            return _bound(evidence)
        case Reports(reports=reports):
            some = np.ix_(fed.distinct, fed.distinct)
            counts = (report.square()[some] for report in reports)
            return _look_up(fed.H, counts, fed.evidence.sizes)
        case _:
            return _weigh_masses(fed)
