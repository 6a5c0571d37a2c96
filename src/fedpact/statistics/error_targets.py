"""Whether a candidate's error is within epsilon at a site, and how many further labels would settle it.

The error is that on true labels, not what it is above that of the best candidate. Its limits low and high are those
of Clopper and Pearson, each wrong with probability r at most (:mod:`fedpact.statistics.realizability`). It is
*within* if high <= epsilon, *above* if low > epsilon, and else unsettled.

If a candidate with X mistakes on m labels goes on to err at the rate q = X / m, then n labels have qn mistakes, which
need not be a whole number: high is the point above which Beta(qn + 1, (1 - q)n) has mass r. For n' > n the density of
the one over that of the other is proportional to (t^q (1 - t)^(1 - q))^(n' - n), which falls from t = q on. So the
mass above a point beyond q falls with n, as that above q itself does, and high falls to q. By symmetry low rises to
q. The fewest n at which epsilon is no more between them is therefore found by halving.
"""

from __future__ import annotations

import numpy as np

from fedpact.describe.ties import exceeds
from fedpact.statistics.confidence import clopper_pearson
from fedpact.statistics.mistake_counts import MOST
from fedpact.statistics.realizability_result import ErrorRate, SiteTarget, TargetVerdict


def _judge(low: float, high: float, epsilon: float) -> TargetVerdict:
    if exceeds(low, epsilon):
        return TargetVerdict.ABOVE
    return TargetVerdict.UNSETTLED if exceeds(high, epsilon) else TargetVerdict.WITHIN


def _is_settled(rate: float, m: int, epsilon: float, risk: float) -> bool:
    low, high = clopper_pearson(np.array(rate * m), m, risk)
    return _judge(float(low), float(high), epsilon) is not TargetVerdict.UNSETTLED


def count_more(error: ErrorRate, epsilon: float, risk: float) -> int | None:
    """Further labels, at the fewest, at which limits of this risk settle an unsettled error at its present rate.

    Examples
    --------
    >>> count_more(ErrorRate(mistakes=2, m=50, low=0.0, high=0.2), 0.1, 0.025)
    49
    """
    rate = error.rate
    if rate is None or not _is_settled(rate, MOST, epsilon, risk):
        return None
    few, enough = error.m, MOST
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if _is_settled(rate, middle, epsilon, risk) else (middle, enough)
    return enough - error.m


def hold_against(error: ErrorRate, epsilon: float, risk: float) -> SiteTarget:
    """Say whether an error, whose limits are each wrong with probability ``risk`` at most, is within epsilon."""
    verdict = _judge(error.low, error.high, epsilon)
    more = count_more(error, epsilon, risk) if verdict is TargetVerdict.UNSETTLED else 0
    return SiteTarget(epsilon=epsilon, error=error, verdict=verdict, more=more)
