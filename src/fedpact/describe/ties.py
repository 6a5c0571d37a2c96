"""The one comparison with epsilon and delta.

The paper's own examples sit exactly on both thresholds (ERRATA C1: its no-pure-equilibrium example ties at
epsilon = 1/3 and delta = 2/3, where doubles say 1 - 1/3 > 2/3). A hypothesis is bad only if its error is
*strictly* above epsilon (Section 4.2, bad hypotheses, has >= in one place), and a target is met if the failure
is *at most* delta; a value within ``TIE`` of the threshold counts as equal to it.

A threshold below 1e-6 is itself of the size of ``TIE``. There the tolerance shrinks to a thousandth of the
threshold, so that delta = 1e-10 means what it says and epsilon = 0 tolerates nothing.
"""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

TIE = 1e-9


@overload
def tolerance(threshold: float) -> float: ...
@overload
def tolerance(threshold: ArrayLike) -> NDArray[np.float64]: ...
def tolerance(threshold: ArrayLike) -> float | NDArray[np.float64]:
    """How far above ``threshold`` a value may lie and still count as equal to it."""
    if isinstance(threshold, float):  # much faster than an array of one
        return min(TIE, threshold * 1e-3)
    return np.minimum(TIE, np.asarray(threshold, dtype=np.float64) * 1e-3)


@overload
def exceeds(value: float, threshold: float) -> bool: ...
@overload
def exceeds(value: ArrayLike, threshold: ArrayLike) -> NDArray[np.bool_]: ...
def exceeds(value: ArrayLike, threshold: ArrayLike) -> bool | NDArray[np.bool_]:
    """Whether ``value`` lies strictly above ``threshold``, ties counting as equal.

    Examples
    --------
    >>> 1 - 1 / 3 > 2 / 3
    True
    >>> exceeds(1 - 1 / 3, 2 / 3)
    False
    >>> exceeds([0.1, 0.2], 0.1)
    array([False,  True])
    """
    if not isinstance(threshold, float):
        threshold = np.asarray(threshold, dtype=np.float64)
    above = np.asarray(value, dtype=np.float64) > threshold + tolerance(threshold)
    return bool(above) if above.ndim == 0 else above
