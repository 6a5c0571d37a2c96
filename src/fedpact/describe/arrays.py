"""The arrays that signatures speak of, docstrings state their shapes; and how long ones are cut."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.intp]
"""Indices, such as the numbers of hypotheses or agents."""


def slices(count: int, step: int) -> list[slice]:
    """Cut so many rows into blocks of ``step`` rows each, one at least.

    Examples
    --------
    >>> slices(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, step)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]
