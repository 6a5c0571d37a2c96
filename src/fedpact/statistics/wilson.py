"""Wilson's interval for a share of which some trials are known."""

from __future__ import annotations

import math

from scipy.special import ndtri


def wilson(count: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Limits of a share that was seen in ``count`` of ``trials``; about ``level`` of all such limits are right.

    They are the shares p with |count / trials - p| <= z sqrt(p (1 - p) / trials), z the quantile of the normal
    distribution (Wilson, 1927), and make sense at 0 and at all of the trials too.

    Examples
    --------
    >>> [round(limit, 4) for limit in wilson(0, 100)], [round(limit, 4) for limit in wilson(50, 100)]
    ([0.0, 0.037], [0.4038, 0.5962])
    """
    z2, share = float(ndtri((1 + level) / 2)) ** 2, count / trials
    middle = share + z2 / (2 * trials)
    reach = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2)))
    low, high = (middle - reach) / (1 + z2 / trials), (middle + reach) / (1 + z2 / trials)
    return (0.0 if count == 0 else low), (1.0 if count == trials else high)
