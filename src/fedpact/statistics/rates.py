"""Pairwise disagreement rates of all hypotheses, kept once per federation and read in blocks of rows.

Counts are kept as integers of the smallest fitting type, and rates and logarithms of a miss are looked up in a
table with one entry per count; masses of points are kept as they are.
:mod:`fedpact.statistics.federation_rates` has where they come from.

A rate need not be known exactly: a single is rounded, a suppressed count stands for a range, and counts that were
estimated on a sample, or made noisy, are known within confidence limits (:mod:`fedpact.statistics.confidence`). So
rates have two sides, ``below`` and ``above``, which are the same where nothing is uncertain. A proof that
contributions are enough asks ``above`` which hypotheses are bad and ``below`` how likely they are missed; a proof
that they are not asks the other way round. :meth:`Rates.between` gives pairs without rounding.

Only masses that are few are as large as k H^2 doubles; work on all pairs goes block by block, on all cores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.ties import exceeds
from fedpact.statistics.domain import Domain
from fedpact.statistics.misses import NEVER, log_miss, replace_never

Rows: TypeAlias = slice | NDArray[np.intp]

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
    def rows(self, truths: Rows) -> NDArray[np.float64]:
        """(k, t, H) rates between some truths and every hypothesis."""

    @abstractmethod
    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:
        """(k, n) rates of the pairs (h[i], g[i]), without rounding."""

    @abstractmethod
    def log_miss(
        self, m: NDArray[np.float64], truths: Rows, at_one: float = NEVER, *, start: int = 0
    ) -> NDArray[np.float64]:
        """(t, H - start) sum_j m_j log(1 - p_j), with ``at_one`` for log 0: how likely each is missed."""

    @abstractmethod
    def logs(self, truths: NDArray[np.intp], at_one: float) -> NDArray[np.float64]:
        """(k, t, H) log(1 - p_j) between some truths and every hypothesis, with ``at_one`` for log 0."""

    @abstractmethod
    def is_bad(self, epsilon: NDArray[np.float64], truths: Rows) -> NDArray[np.bool_]:
        """(k, t, H) which hypotheses are bad for each agent, if rates are what this side says."""

    def is_raised(self, truth: int, hypotheses: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(s,) which hypotheses count as met more often than they are known to be, as is true of bad ones."""
        if self.unraised is self.below:
            return np.zeros(len(hypotheses), dtype=bool)
        truths = np.full(len(hypotheses), truth)
        known, assumed = (side.between(truths, hypotheses) for side in (self.unraised, self.below))
        return np.asarray((assumed > known).any(axis=0))

    def blocks(self, agents: int = 1) -> list[slice]:
        """Slices of truths whose rates, for that many agents, fit into bounded memory."""
        step = max(1, BLOCK // (max(1, agents) * self.H))
        return [slice(start, min(start + step, self.H)) for start in range(0, self.H, step)]


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

    def __init__(self, places: NDArray[Any], tables: Sequence[NDArray[np.float64]]) -> None:
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
        self._within: tuple[bytes, NDArray[np.int64]] = b"", np.zeros(0, dtype=np.int64)

    def _look_up(self, table: NDArray[np.float64], places: NDArray[Any]) -> NDArray[np.float64]:
        """Entries (k, ...) of all tables in a row, at places that count from the start of each agent's own."""
        if self._start.any():
            places = places + self._start.reshape(-1, *[1] * (places.ndim - 1))
        return np.asarray(table.take(places, mode="clip"))

    def rows(self, truths: Rows) -> NDArray[np.float64]:  # noqa: D102
        return self._look_up(self._rates, self.places[:, truths])

    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:  # noqa: D102
        return self._look_up(self._rates, self.places[:, h, g])

    def log_miss(  # noqa: D102
        self, m: NDArray[np.float64], truths: Rows, at_one: float = NEVER, *, start: int = 0
    ) -> NDArray[np.float64]:
        total = np.zeros(self.places[0, truths, start:].shape)
        for agent in np.flatnonzero(m).tolist():
            own = slice(self._start[agent], self._start[agent] + len(self.tables[agent]))
            table = m[agent] * replace_never(self._log_misses[own], at_one)
            total += table.take(self.places[agent, truths, start:], mode="clip")
        return total

    def logs(self, truths: NDArray[np.intp], at_one: float) -> NDArray[np.float64]:  # noqa: D102
        return self._look_up(replace_never(self._log_misses, at_one), self.places[:, truths])

    def is_bad(self, epsilon: NDArray[np.float64], truths: Rows) -> NDArray[np.bool_]:  # noqa: D102
        return np.asarray(self.places[:, truths] >= self._harmless(epsilon)[:, None, None])

    def _harmless(self, epsilon: NDArray[np.float64]) -> NDArray[np.int64]:
        """(k,) how many entries of each agent's table are within epsilon; kept, for it is asked block by block."""
        key, (known, within) = epsilon.tobytes(), self._within
        if known != key:
            pairs = zip(self.tables, epsilon.tolist(), strict=True)
            within = np.array([int((~exceeds(table, limit)).sum()) for table, limit in pairs])
            self._within = key, within
        return within


class MassRates(Rates):
    """Masses (k, H, H) of the points where two hypotheses differ; singles are rounded, down or up."""

    def __init__(self, domain: Domain, masses: NDArray[Any], *, is_upper: bool = False) -> None:
        super().__init__()
        self.domain, self.masses, self._is_upper = domain, masses, is_upper
        self.k, self.H = masses.shape[0], masses.shape[1]
        has_logs = masses.dtype == np.float64 and masses.size <= _KEEP_LOGS
        self._logs = log_miss(masses) if has_logs else None

    def rows(self, truths: Rows) -> NDArray[np.float64]:  # noqa: D102
        return self._widen(self.masses[:, truths])

    def _widen(self, masses: NDArray[Any]) -> NDArray[np.float64]:
        """As doubles; on the upper side the next single, unless the mass is zero."""
        if self._is_upper:
            masses = np.where(masses > 0, np.minimum(np.nextafter(masses, np.float32(2)), 1), masses)
        return np.asarray(masses, dtype=np.float64)

    def between(self, h: NDArray[np.intp], g: NDArray[np.intp]) -> NDArray[np.float64]:  # noqa: D102
        differ = self.domain.labels[h] != self.domain.labels[g]
        return np.asarray((differ @ self.domain.mass.T).T)

    def log_miss(  # noqa: D102
        self, m: NDArray[np.float64], truths: Rows, at_one: float = NEVER, *, start: int = 0
    ) -> NDArray[np.float64]:
        if self._logs is not None:
            logs = self._logs[:, truths, start:]
            return np.asarray(np.tensordot(m, logs if at_one == NEVER else replace_never(logs, at_one), axes=1))
        total = np.zeros(self.masses[0, truths, start:].shape)
        for agent in np.flatnonzero(m):
            rates = self._widen(self.masses[agent, truths, start:])
            total += m[agent] * replace_never(log_miss(rates), at_one)
        return total

    def logs(self, truths: NDArray[np.intp], at_one: float) -> NDArray[np.float64]:  # noqa: D102
        return replace_never(log_miss(self.rows(truths)), at_one)

    def is_bad(self, epsilon: NDArray[np.float64], truths: Rows) -> NDArray[np.bool_]:  # noqa: D102
        return np.asarray(exceeds(self.rows(truths), epsilon[:, None, None]))
