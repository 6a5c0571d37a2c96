"""The arrays that signatures speak of; docstrings state their shapes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.intp]
"""Indices, such as the numbers of hypotheses or agents."""
