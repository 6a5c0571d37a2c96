"""Honest and lying sites, simulated, against what the check of contributions promises.

An honest site reported its own D_i and draws its m samples from it. A lying one reported D_i but draws from
(1 - s) D_i + s D_j, where j is the agent whose rates differ most from its own: s is the share of samples that are
not what it said. Every site is judged by the counts that :func:`fedpact.check_contribution` finds suspicious: for
a pair reported to differ at rate p those with Pr[X >= x | p] or Pr[X <= x | p] at most half a cutoff, where X ~
Binomial(m, p) and the cutoff is the largest, to five digits, at which these chances sum to the level at most over
all pairs.

Honest sites must be flagged with at most the chance ``level``. Lying sites are flagged at least as often as their
most telling pair is suspicious, which is computed exactly beside the simulated share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

import fedpact as fp
from reproduction.simulated_sites import Floats, SimulatedSites, simulate_sites

Counts = NDArray[np.int64]
_PRECISION = 1e-5
_SLACK = 1e-9


def _upper_tail(m: int, count: Counts, rate: Floats) -> Floats:
    """Pr[X >= count] for X ~ Binomial(m, rate), elementwise."""
    inside = np.clip(count, 1, m)
    return np.where(count <= 0, 1.0, np.where(count > m, 0.0, betainc(inside, m - inside + 1, rate)))


class CriticalCounts(NamedTuple):
    """Counts (P,) from which on each pair is suspicious, and how often an honest site has such a pair at most."""

    m: int
    above: Counts
    below: Counts
    false_alarm: float

    def catch(self, rates: Floats) -> Floats:
        """(P,) chance that each pair is suspicious if it truly differs at the rates (P,)."""
        return _upper_tail(self.m, self.above, rates) + _upper_tail(self.m, self.m - self.below, 1 - rates)

    def are_suspicious(self, counts: NDArray[np.number[Any]]) -> NDArray[np.bool_]:
        """(..., P) which pairs' counts (..., P) are suspicious."""
        return np.asarray((counts >= self.above) | (counts <= self.below))


def _at_cutoff(rates: Floats, m: int, cutoff: float) -> CriticalCounts:
    counts = np.arange(1, m + 1)
    turning = np.nan_to_num(betaincinv(counts, m - counts + 1, np.full(m, cutoff * (1 + _SLACK) / 2)), nan=0.0)
    turning = np.maximum.accumulate(turning)
    unique, place, pairs = np.unique(rates, return_inverse=True, return_counts=True)
    above, below = 1 + np.searchsorted(turning, unique), m - 1 - np.searchsorted(turning, 1 - unique)
    sizes = _upper_tail(m, above, unique) + _upper_tail(m, m - below, 1 - unique)
    is_blind = not ((above <= m) | (below >= 0)).any()
    return CriticalCounts(m, above[place], below[place], 0.0 if is_blind else float(pairs @ sizes))


def find_critical_counts(rates: Floats, m: int, level: float) -> CriticalCounts:
    """Find the critical counts of m samples, at the largest cutoff that keeps the level.

    Examples
    --------
    One pair, reported to differ half the time: of six samples none or all must differ to be suspicious.

    >>> found = find_critical_counts(np.array([0.5]), 6, 0.05)
    >>> found.above.tolist(), found.below.tolist(), found.false_alarm
    ([6], [0], 0.03125)
    """
    most, least = min(2 * level, 1 - _SLACK), level / len(rates) / (1 + _SLACK)
    found = _at_cutoff(rates, m, most)
    if found.false_alarm <= level:
        return found
    found = _at_cutoff(rates, m, least)
    while most > least * (1 + _PRECISION):
        middle = least * math.sqrt(most / least)
        tried = _at_cutoff(rates, m, middle)
        least, most, found = (middle, most, tried) if tried.false_alarm <= level else (least, middle, found)
    return found


def _count_lying(
    drawn: SimulatedSites, agent: int, found: CriticalCounts, lie: float, sites: int
) -> dict[str, Any]:
    other = drawn.find_farthest(agent)
    mass, rates = ((1 - lie) * values[agent] + lie * values[other] for values in (drawn.mass, drawn.rates))
    return {
        "agent": drawn.names[agent],
        "other": drawn.names[other],
        "m": found.m,
        "lie": lie,
        "sites": sites,
        "flagged": drawn.count_flagged(found.are_suspicious, mass, found.m, sites),
        "caught": float(found.catch(np.clip(rates, 0.0, 1.0)).max()),
    }


def simulate_contributions(
    fed: fp.Federation,
    *,
    m: int,
    lies: Sequence[float],
    level: float,
    sites: int,
    lying_sites: int,
    rng: np.random.Generator,
) -> dict[str, list[dict[str, Any]]]:
    """Simulate honest and lying sites of every agent with m samples each, and count who is flagged.

    Examples
    --------
    >>> asked = {"lies": [1.0], "level": 0.01, "sites": 2000, "lying_sites": 1000}
    >>> seen = simulate_contributions(fp.examples.alice_bob(), m=30, rng=np.random.default_rng(0), **asked)
    >>> [row["flagged"] / row["sites"] <= 0.01 for row in seen["honest"]]
    [True, True]
    >>> [row["flagged"] / row["sites"] > 0.95 for row in seen["lying"]]
    [True, True]
    """
    drawn = simulate_sites(fed, rng)
    honest, lying = [], []
    for agent, rates in enumerate(drawn.rates):
        found = find_critical_counts(rates, m, level)
        flagged = drawn.count_flagged(found.are_suspicious, drawn.mass[agent], m, sites)
        honest.append(
            {
                "agent": drawn.names[agent],
                "m": m,
                "sites": sites,
                "flagged": flagged,
                "low": 0.0,
                "high": 1.0,
                "false_alarm": found.false_alarm,
            }
        )
        lying += [_count_lying(drawn, agent, found, lie, lying_sites) for lie in lies]
    return {"honest": honest, "lying": lying}
