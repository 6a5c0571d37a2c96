"""The rates of a federation, from whatever evidence it is given as.

A table of points gives masses, kept as doubles while they fit into ``KEEP`` numbers and beyond as singles,
rounded down and up. Predictions and reports give counts out of n. Counts that were suppressed, made noisy or taken
as estimates give limits (:mod:`fedpact.statistics.confidence`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.condensed import count_pairs, to_square
from fedpact.describe.evidence import Predictions, Reports, Table
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized_by_evidence
from fedpact.statistics.confidence import limits_of, risk_per_limit
from fedpact.statistics.count_disagreements import count_disagreements
from fedpact.statistics.domain import find_domain, rates_against
from fedpact.statistics.rates import BLOCK, MassRates, Rates, TabledRates, join_sides

KEEP = 64_000_000
# Reports of more points have a table of the counts that occur, not of all.
_TABLE = 1_000_000


def _weigh_masses(fed: Federation) -> Rates:
    domain = find_domain(fed)
    is_small = fed.k * fed.H * fed.H <= KEEP
    masses: NDArray[Any] = np.empty((fed.k, fed.H, fed.H), dtype=np.float64 if is_small else np.float32)
    step = max(1, BLOCK // (fed.k * fed.H))
    for start in range(0, fed.H, step):
        exact = rates_against(domain, np.arange(start, min(start + step, fed.H)))
        masses[:, start : start + step] = exact if is_small else _round_down(exact)
    if is_small:
        return MassRates(domain, masses)
    return join_sides(MassRates(domain, masses), MassRates(domain, masses, is_upper=True))


def _round_down(exact: NDArray[np.float64]) -> NDArray[np.float32]:
    """Nearest single that is not above."""
    near = exact.astype(np.float32)
    return np.where(near > exact, np.nextafter(near, np.float32(0)), near)


def tabulate(counts: NDArray[Any], n: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
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
    places, low, high = [], [], []
    for report in evidence.reports:
        values, found = np.unique(report.counts, return_inverse=True)
        own = to_square(found + 1, report.H)
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
        case Table():
            return _weigh_masses(fed)
        case Predictions(predictions=predictions):
            counts = (to_square(count_disagreements(labels[fed.distinct]), fed.H) for labels in predictions)
            return _look_up(fed.H, counts, [labels.shape[1] for labels in predictions])
        case Reports() as evidence if not evidence.is_exact:
            return _bound(evidence)
        case Reports(reports=reports):
            some = np.ix_(fed.distinct, fed.distinct)
            counts = (report.square()[some] for report in reports)
            return _look_up(fed.H, counts, [report.n for report in reports])
