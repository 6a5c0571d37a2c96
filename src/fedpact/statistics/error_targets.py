"""Whether a candidate's error is within epsilon at a site, and how many further labels would settle it.

The error is that on true labels, not what it is above that of the best candidate. Its limits low and high are
those of Clopper and Pearson, each wrong with probability r at most (:mod:`fedpact.statistics.realizability`). It
is *within* if high <= epsilon, *above* if low > epsilon, and else unsettled.

If a candidate with X mistakes on m labels goes on to err at the rate q = X / m, then n labels have qn mistakes,
which need not be a whole number: high is the point above which Beta(qn + 1, (1 - q)n) has mass r. For n' > n the
density of the one over that of the other is proportional to (t^q (1 - t)^(1 - q))^(n' - n), which falls from t = q
on. So the mass above a point beyond q falls with n, as that above q itself does, and high falls to q. By symmetry
low rises to q. The fewest n at which epsilon is no more between them is therefore found by halving.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

import numpy as np

from fedpact.describe.names import nearest
from fedpact.describe.numbers import Number
from fedpact.describe.settings import PerAgent, read_epsilon, read_per_agent
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError
from fedpact.statistics.confidence import clopper_pearson
from fedpact.statistics.mistake_counts import MOST
from fedpact.statistics.realizability_result import ErrorRate, Realizability, SiteTarget, TargetVerdict

NOTHING = ErrorRate(mistakes=0, m=0, low=0.0, high=1.0)


def risk_of_limit(confidence: float, H: int, k: int) -> float:
    """Chance with which a limit may be wrong, so that with ``confidence`` none of H candidates, k sites is."""
    return (1 - confidence) / (2 * H * (1 if k < 2 else k + 1))


def limit_error(mistakes: int, m: int, risk: float) -> ErrorRate:
    """Limit an error by mistakes on m samples, each limit wrong with probability ``risk`` at most.

    Examples
    --------
    >>> seen = limit_error(2, 50, 0.025)
    >>> round(seen.low, 3), round(seen.high, 3)
    (0.005, 0.137)
    """
    if not m:
        return NOTHING
    low, high = clopper_pearson(np.array(mistakes), m, risk)
    return ErrorRate(mistakes=mistakes, m=m, low=float(low), high=float(high))


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
    >>> count_more(limit_error(2, 50, 0.025), 0.1, 0.025)
    49
    """
    rate = error.rate
    if rate is None or not _is_settled(rate, MOST, epsilon, risk):
        return None
    enough = bisect_left(range(MOST), True, lo=error.m + 1, key=lambda m: _is_settled(rate, m, epsilon, risk))
    return enough - error.m


def judge_target(error: ErrorRate, epsilon: float, risk: float) -> SiteTarget:
    """Say whether an error, whose limits are each wrong with probability ``risk`` at most, is within epsilon."""
    verdict = _judge(error.low, error.high, epsilon)
    more = count_more(error, epsilon, risk) if verdict is TargetVerdict.UNSETTLED else 0
    return SiteTarget(epsilon=epsilon, error=error, verdict=verdict, more=more)


def hold_against(seen: Realizability, epsilon: PerAgent[Number], chosen: str | None) -> Realizability:
    """Hold the error of a candidate, or else of the best, against each site's epsilon."""
    if chosen is not None and chosen not in seen.mistakes:
        known = nearest(str(chosen), seen.mistakes)
        raise FederationError(f"chosen must be a candidate; {chosen!r} is none: {known}")
    limits = read_per_agent(tuple(seen.samples), epsilon, "epsilon", read_epsilon)
    name = seen.best if chosen is None else chosen
    risk = risk_of_limit(seen.confidence, len(seen.mistakes), len(seen.samples) - len(seen.unseen))
    targets = {
        site: judge_target(limit_error(0 if name is None else seen.mistakes[name][site], m, risk), own, risk)
        for (site, m), own in zip(seen.samples.items(), limits, strict=True)
    }
    return replace(seen, chosen=name, targets=targets)
