"""Whether mistake counts alone go with what a site reported.

In the protocol a site sends neither samples nor predictions but, for every hypothesis h, the number a_h of its m
samples that h labels wrongly. The number d(h, g) of samples on which two hypotheses differ then lies in a range.
On every such sample at least one of them is wrong, and where only one of them is wrong they differ:

    |a_h - a_g| <= d(h, g) <= min(m, a_h + a_g).

With two labels they differ exactly where one of them alone is wrong. With b samples that both get wrong,
d = a_h + a_g - 2b, where b is at least 0 and a_h + a_g - m; so d is also at most 2m - a_h - a_g, and odd or even
as a_h + a_g is. Where h makes no mistake, as the hypothesis that labels the samples, d = a_g leaves no range.

A pair is suspicious if every count in its range is. An honest site's own count is in the range, so a pair that is
suspicious here would be so in :mod:`fedpact.mechanism.sample_checks.check` too, and the level holds. The two-sided
p-value rises with the count up to a peak and falls from there on. So the likeliest count in a range is the one
nearest to the peak or, if the peak has the wrong parity, to the likelier neighbour of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.condensed import count_pairs
from fedpact.mechanism.sample_checks.critical_counts import Counts, CriticalCounts, TestedRates
from fedpact.statistics.confidence import upper_tail


def _tails(claim: TestedRates, m: int, counts: Counts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(u,) chances of at least, and of at most, these counts, each at the limit that makes it largest."""
    return upper_tail(m, counts, claim.high), upper_tail(m, m - counts, 1 - claim.low)


def find_peaks(claim: TestedRates, m: int) -> tuple[Counts, Counts]:
    """(u,) for every rate the likeliest count, and the likelier one of those beside it.

    The p-value peaks where the tails cross: at the last count for which the upper one is no smaller, or one beyond
    it. That is within 1 of a median for some rate between the limits, and so within 2 of m times that rate.

    Examples
    --------
    >>> from fedpact.mechanism.sample_checks.critical_counts import gather_rates
    >>> find_peaks(gather_rates(np.array([0.0, 0.28, 0.5]), 0.0), 10)
    (array([0, 3, 5]), array([1, 2, 6]))
    """
    low = np.maximum(np.floor(m * claim.low).astype(np.int64) - 2, 0)
    high = np.minimum(np.ceil(m * claim.high).astype(np.int64) + 2, m) + 1
    while (high - low > 1).any():
        middle = (low + high) // 2
        more, fewer = _tails(claim, m, middle)
        is_rising = (more >= fewer) & (middle <= m)
        low, high = np.where(is_rising, middle, low), np.where(is_rising, high, middle)

    def chance(counts: Counts) -> NDArray[np.float64]:
        return np.where((counts < 0) | (counts > m), -1.0, np.minimum(*_tails(claim, m, counts)))

    peak = np.where(chance(low + 1) > chance(low), low + 1, low)
    return peak, np.where(chance(peak + 1) >= chance(peak - 1), peak + 1, peak - 1)


def find_likeliest(found: CriticalCounts, mistakes: Counts, *, is_binary: bool) -> Counts:
    """(P,) the likeliest count in the range that the mistakes (H,) leave to every pair, row by row."""
    m, H, place = found.m, len(mistakes), found.claim.place
    peaks, beside = find_peaks(found.claim, m)
    counts, start = np.empty(count_pairs(H), dtype=np.int64), 0
    for row in range(H - 1):
        pairs = slice(start, start + H - 1 - row)
        own, others, at = mistakes[row], mistakes[row + 1 :], place[pairs]
        least, most, best = np.abs(own - others), np.minimum(own + others, m), peaks[at]
        if is_binary:
            most = np.minimum(own + others, 2 * m - own - others)
            best = np.where((best - least) % 2, beside[at], best)
        counts[pairs] = np.clip(best, least, most)
        start = pairs.stop
    return counts
