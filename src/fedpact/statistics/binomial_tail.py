"""The upper tail of a binomial distribution, exact to rounding, also where it is tiny."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc


def upper_tail(m: int, count: NDArray[np.int64], rate: Any) -> NDArray[np.float64]:
    """Pr[X >= count] for X ~ Binomial(m, rate), elementwise.

    Examples
    --------
    >>> upper_tail(3, np.array([0, 1, 3, 4]), np.array([0.5, 0.5, 0.5, 0.5]))
    array([1.   , 0.875, 0.125, 0.   ])
    """
    inside = np.clip(count, 1, max(m, 1))
    tail = betainc(inside, max(m, 1) - inside + 1, rate)
    return np.where(count <= 0, 1.0, np.where(count > m, 0.0, tail))
