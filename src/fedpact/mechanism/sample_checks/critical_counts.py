"""From which counts on a pair of hypotheses is suspicious, and what that catches: exact, for any dependence.

A site reported that hypotheses h and g differ with probability p. On its m contributed samples they differ X
times. If it was honest, each sample is an independent draw and X is Binomial(m, q) with q between
low = max(0, p - tolerance) and high = min(1, p + tolerance). The two-sided exact p-value of X = x is

    min(1, 2 min(Pr[X >= x | high], Pr[X <= x | low])),

and with Clopper and Pearson it is at most alpha just where x reaches one of two critical counts:

    above(alpha) = the least c with Pr[X >= c | high] <= alpha / 2,
    below(alpha) = the largest c with Pr[X <= c | low] <= alpha / 2.

The limits low and high may also be wider, and wrong with a chance ``risk`` that the level has to hold as well
(:mod:`fedpact.mechanism.sample_checks.honest_rates`). Within them an honest site makes this pair suspicious with
probability at most

    size(alpha) = Pr[X >= above | high] + Pr[X <= below | low]  <=  alpha,

because both tails are monotone in q. Counts are whole numbers, so size is often far below alpha, and zero for a
pair that no outcome of m samples can make suspicious.

All pairs share one cutoff: the largest alpha, to five digits, at which the sizes of all pairs sum to at most
the level less the risk. *Some* pair of an honest site is then suspicious with probability at most that sum, by
the union bound, however the pairs depend on each other (and they do: all are counted on the same samples). This
is Bonferroni's method with each pair entered at its attained size (Westfall and Wolfinger 1997). It flags whatever
Tarone's (1990) flags, which enters a pair at alpha, no less than its size, unless no outcome can make that pair
suspicious. Holm's step down begins with the same cutoff: it would name more pairs of a flagged site, but flag no
other site. The adjusted p-value of a pair is the sum of all sizes at its p-value, and the risk.

*Draws without replacement.* If the samples are ``distinct`` points out of n, of which K = pn make the pair differ,
then X is hypergeometric and may have heavier tails: with n = 1000, K = 1 and m = 2, Pr[X >= 1] = 0.002, and the
binomial has 0.001999. Let B be the binomial tail Pr[Binomial(m, p) >= c] and T the hypergeometric one.

- c = 1: T <= mp by the union bound, and mp <= -m log(1 - p) = -log(1 - B).
- c >= 2 and B <= 1/4: T <= B. For X is distributed as a sum of m independent indicators, not equally likely ones
  (Vatutin and Mikhailov 1982), and among such sums of mean mp the binomial has the heaviest tail from c on if
  c - 1 >= mp (Hoeffding 1956, theorem 4). Otherwise mp > c - 1, so that B is above the tail at mean c - 1. That
  one only grows with m, by the same theorem, so B > ((c - 1) / c)^c >= 1/4.

The lower tail is the upper tail of the samples that do not differ. So for distinct samples the tail at c = 1 is
taken for -log(1 - B), every tail above 1/4 for 1, and all else holds as it stands, at every level. The chance of
missing a lie is such a tail as well: it is b at most if the binomial one is 1 - exp(-min(b, 1/4)) at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from fedpact.statistics.confidence import upper_tail

_PRECISION = 1e-5
_SLACK = 1e-9
_BELOW_ONE = 1 - 1e-9
_LARGEST_TAIL = 0.25

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TestedRates:
    """What a site reported of every pair; equal rates are kept once."""

    rates: Floats
    """(u,) different reported rates, rising."""
    pairs: Counts
    """(u,) how many pairs have each rate."""
    place: NDArray[np.intp]
    """(P,) where each pair's rate stands."""
    low: Floats
    """(u,) least rate that an honest site may have."""
    high: Floats
    """(u,) largest rate that an honest site may have."""
    risk: float = 0.0
    """Chance, at most, that some rate of an honest site is outside these limits."""
    is_distinct: bool = False
    """Whether the samples are drawn without replacement."""

    @property
    def room(self) -> tuple[Floats, Floats]:
        """(u,) how far each rate can be above and below what was reported."""
        return 1 - self.rates, self.rates

    @property
    def largest_cutoff(self) -> float:
        """Cutoff up to which sizes are known, with room for rounding."""
        return 2 * _LARGEST_TAIL * (1 - 1e-6) if self.is_distinct else _BELOW_ONE

    def tail(self, m: int, counts: Counts, rates: Floats) -> Floats:
        """Chance, at most, that of m samples as many as ``counts`` or more differ at these rates, elementwise."""
        tail = upper_tail(m, counts, rates)
        if not self.is_distinct:
            return tail
        with np.errstate(divide="ignore"):
            tail = np.where(counts == 1, -np.log1p(-tail), tail)
        return np.where(tail > _LARGEST_TAIL, 1.0, tail)

    def within(self, low: Floats, high: Floats, *, tolerance: float, risk: float) -> TestedRates:
        """Return the same rates with other limits (u,), widened by the tolerance."""
        low, high = np.maximum(low - tolerance, 0.0), np.minimum(high + tolerance, 1.0)
        return replace(self, low=low, high=high, risk=risk)


def gather_rates(rates: Floats, tolerance: float) -> TestedRates:
    """Gather the rates (P,) of all pairs."""
    unique, place, pairs = np.unique(rates, return_inverse=True, return_counts=True)
    exact = TestedRates(rates=unique, pairs=pairs, place=place, low=unique, high=unique)
    return exact.within(unique, unique, tolerance=tolerance, risk=0.0)


def p_values(claim: TestedRates, m: int, counts: Counts) -> Floats:
    """(P,) two-sided exact p-value of every pair's count (P,)."""
    above = claim.tail(m, counts, claim.high[claim.place])
    below = claim.tail(m, m - counts, 1 - claim.low[claim.place])
    return np.asarray(np.minimum(2 * np.minimum(above, below), 1.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CriticalCounts:
    """Counts from which on each rate of a claim is suspicious, at one cutoff."""

    claim: TestedRates
    m: int
    cutoff: float
    false_alarm: float
    """Chance, at most, that some pair of an honest site is suspicious."""
    above: Counts
    """(u,) counts of at least this are suspicious; m + 1 if none is."""
    below: Counts
    """(u,) counts of at most this are suspicious; -1 if none is."""

    @property
    def counted(self) -> int:
        """Number of pairs that some outcome of m samples makes suspicious."""
        return int(self.claim.pairs[(self.above <= self.m) | (self.below >= 0)].sum())

    def are_suspicious(self, counts: NDArray[np.number]) -> NDArray[np.bool_]:
        """(..., P) which pairs' counts (..., P) are suspicious."""
        place = self.claim.place
        return np.asarray((counts >= self.above[place]) | (counts <= self.below[place]))


def _least_rate(m: int, count: Counts, power: float) -> Floats:
    """(u,) the rate at which ``count`` or more of m samples are seen with the chance ``power``."""
    inside = np.clip(count, 1, max(m, 1))
    return np.where(count > m, np.inf, betaincinv(inside, max(m, 1) - inside + 1, power))


def at_cutoff(claim: TestedRates, m: int, cutoff: float) -> CriticalCounts:
    """Critical counts at a given cutoff; p-values that only rounding takes above it count as equal to it.

    The rates at which c of m samples turn suspicious rise with c, so m of them place all rates at once.
    """
    counts = np.arange(1, m + 1)
    chances = np.full(m, cutoff * (1 + _SLACK) / 2)
    if claim.is_distinct:
        chances[:1] = -np.expm1(-chances[:1])
    turning = np.nan_to_num(betaincinv(counts, m - counts + 1, chances), nan=0.0)  # unknown at chances of 1e-107
    turning = np.maximum.accumulate(turning)
    above = 1 + np.searchsorted(turning, claim.high)
    below = m - 1 - np.searchsorted(turning, 1 - claim.low)
    sizes = claim.tail(m, above, claim.high) + claim.tail(m, m - below, 1 - claim.low)
    is_blind = not ((above <= m) | (below >= 0)).any()
    false_alarm = 0.0 if is_blind else float(claim.pairs @ sizes) + claim.risk
    return CriticalCounts(claim=claim, m=m, cutoff=cutoff, false_alarm=false_alarm, above=above, below=below)


def find_critical_counts(claim: TestedRates, m: int, false_alarm_rate: float) -> CriticalCounts:
    """Critical counts at the largest cutoff at which an honest site is flagged no more often than it may be.

    With the rate of false alarms less the risk that the limits are wrong: a p-value above twice that has a size
    above it, and one of that over P has at most that size, so the cutoff lies between.

    Examples
    --------
    One pair, reported to differ half the time: of six samples none or all must differ to be suspicious.

    >>> found = find_critical_counts(gather_rates(np.array([0.5]), 0.0), m=6, false_alarm_rate=0.05)
    >>> found.above, found.below, found.false_alarm
    (array([6]), array([0]), 0.03125)
    """
    left = false_alarm_rate - claim.risk
    most = min(2 * left, claim.largest_cutoff)
    found = at_cutoff(claim, m, most)
    if found.false_alarm <= false_alarm_rate:
        return found
    least = left / len(claim.place) / (1 + _SLACK)
    found = at_cutoff(claim, m, least)
    while most > least * (1 + _PRECISION):
        middle = least * math.sqrt(most / least)
        tried = at_cutoff(claim, m, middle)
        if tried.false_alarm <= false_alarm_rate:
            least, found = middle, tried
        else:
            most = middle
    return found


def adjusted_p_value(found: CriticalCounts, p_value: float) -> float:
    """Sum of all sizes at a p-value and the risk, at most 1: the least level at which it is suspicious."""
    return min(1.0, at_cutoff(found.claim, found.m, p_value).false_alarm) if p_value < 1 else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Detectable:
    """How large a lie about one pair is caught with the wanted chance, by that pair's own test."""

    surely: float | None
    """A rate that is off by more than this is caught, whichever pair it is of; None if no lie is caught."""
    at_best: float | None
    """The same of the pair that is easiest to check."""
    pair: int | None
    """Where a pair that is easiest to check stands among all."""


def find_detectable(found: CriticalCounts, power: float) -> Detectable:
    """How far off a rate must be to be caught with the chance ``power``.

    A rate cannot leave [0, 1], so a lie that is too large to be told need not be caught. If any lie is caught, so
    is the largest: it is told of the rate nearest to 0 or 1, where the farthest count is the least likely of all.
    """
    m, rates, rooms = found.m, found.claim.rates, np.array(found.claim.room)
    if found.claim.is_distinct:
        power = math.exp(-min(1 - power, _LARGEST_TAIL))
    up, down = _least_rate(m, found.above, power) - rates, _least_rate(m, m - found.below, power) - (1 - rates)
    shifts = np.maximum([up, down], 0.0)
    unnoticed, largest = np.minimum(shifts, rooms).max(initial=0.0), rooms.max(initial=0.0)
    at_best = shifts.min(initial=np.inf)
    is_caught = bool(at_best < np.inf)
    return Detectable(
        surely=float(unnoticed) if unnoticed < largest else None,
        at_best=float(at_best) if is_caught else None,
        pair=int(shifts.min(axis=0)[found.claim.place].argmin()) if is_caught else None,
    )
