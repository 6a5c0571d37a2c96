"""Machine code for the few loops that no array operation covers, made by numba and kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over arrays to code that runs outside Python's lock, so that threads share the cores."""
    from numba import njit

    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder to keep the code in
        return njit(nogil=True)(function)
