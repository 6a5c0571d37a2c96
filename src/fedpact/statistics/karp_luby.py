"""Karp-Luby estimate of a miss family's value, with a confidence interval.

Draw a set A_h in proportion to w_h Pr[A_h is missed], then a pooled sample conditioned on missing A_h, and
let K be all sets that this sample misses (h is one of them). With S = sum_h w_h Pr[A_h is missed],

    value = S * E[ max_{g in K} w_g / sum_{g in K} w_g ],

an average of numbers in (0, 1]. Its relative error stays small where the value is small; plain simulation,
which waits for a failure to happen, needs about 1 / value as many draws. The interval is Maurer and Pontil's
empirical Bernstein bound: it holds for every number of draws, not only in the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fedpact.describe.arrays import Bools, Floats, slices
from fedpact.statistics.misses import MissFamily, log_miss

_BATCH = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An unbiased estimate, its standard error, and an interval that holds with the stated confidence."""

    value: float
    standard_error: float
    low: float
    high: float


def estimate(
    family: MissFamily, m: Floats, *, draws: int, rng: np.random.Generator, confidence: float = 0.999
) -> Estimate:
    """Estimate the value of a reduced family at ``m`` (k,).

    Examples
    --------
    >>> family = MissFamily(sets=np.eye(3, dtype=bool), weights=np.ones(3), mass=np.full((1, 3), 1 / 3))
    >>> found = estimate(family, np.array([5.0]), draws=4000, rng=np.random.default_rng(0))
    >>> found.low < 93 / 243 < found.high
    True
    """
    likely = family.weights * np.exp(log_miss(family.sets @ family.mass.T) @ m)
    scale = float(likely.sum())
    if scale == 0.0:
        return Estimate(value=0.0, standard_error=0.0, low=0.0, high=0.0)
    chosen = rng.multinomial(draws, likely / scale)
    counts = [(which, count) for which, count in enumerate(chosen.tolist()) if count]
    ratios = np.concatenate([_ratios(family, which, count, m, rng) for which, count in counts])
    mean, variance = float(ratios.mean()), float(ratios.var(ddof=1))
    spread = math.log(4 / (1 - confidence))
    reach = math.sqrt(2 * variance * spread / draws) + 7 * spread / (3 * (draws - 1))
    return Estimate(
        value=scale * mean,
        standard_error=scale * math.sqrt(variance / draws),
        low=scale * max(mean - reach, 0.0),
        high=scale * min(mean + reach, 1.0),
    )


def _ratios(family: MissFamily, which: int, count: int, m: Floats, rng: np.random.Generator) -> Floats:
    """Largest weight over summed weights of the missed sets, in ``count`` samples that miss set ``which``."""
    allowed = np.where(family.sets[which], 0.0, family.mass)
    elsewhere = np.maximum(0.0, 1.0 - family.mass.sum(axis=1))
    chances = np.column_stack([allowed, elsewhere])
    sets = family.sets.T.astype(np.float32)
    out = []
    for block in slices(count, _BATCH // chances.shape[1]):
        seen = np.zeros((block.stop - block.start, chances.shape[1]), dtype=bool)
        for agent in np.flatnonzero(m):
            _draw(seen, chances[agent] / chances[agent].sum(), int(m[agent]), rng)
        missed = seen[:, :-1].astype(np.float32) @ sets == 0
        out.append((missed * family.weights).max(axis=1) / (missed @ family.weights))
    return np.concatenate(out)


def _draw(seen: Bools, chances: Floats, count: int, rng: np.random.Generator) -> None:
    """Mark what ``count`` independent draws see, for every row: one by one if few, by point if many."""
    rows, points = seen.shape
    if count >= points:
        seen |= rng.multinomial(count, chances, size=rows) > 0
        return
    for _ in range(count):
        seen[np.arange(rows), rng.choice(points, size=rows, p=chances)] = True
