"""Texts in arrays that a file may hold: numpy takes any number for a character."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LAST, _FIRST_HALF, _LAST_HALF = 0x10FFFF, 0xD800, 0xDFFF


def is_text(array: NDArray[Any]) -> bool:
    """Whether an array of kind ``U`` holds whole characters only; Python breaks on others, or UTF-8 does.

    Examples
    --------
    >>> is_text(np.array(["ill", "healthy"]))
    True
    >>> is_text(np.array([0x110000], dtype=np.uint32).view("U1"))
    False
    """
    if not array.dtype.itemsize:
        return True
    points = np.ascontiguousarray(array).view(np.dtype("u4").newbyteorder(array.dtype.byteorder))
    is_half = (points >= _FIRST_HALF) & (points <= _LAST_HALF)
    return not bool(((points > _LAST) | is_half).any())
