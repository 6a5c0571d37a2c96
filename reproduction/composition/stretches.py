"""Whose windows of text are trained on, and which stretch of it is held out.

Windows start at every character, so that a window shares all but one of its characters with the next. A
hold-out of single windows would test on text that training has seen. So a whole stretch of each text is held
out, drawn anew for every seed, and no training window shares a character with a test window, labels included.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reproduction.composition.samples import Draw, Places
from reproduction.data.roles import WINDOW


def count_held_out(test_windows: int) -> int:
    """Count the windows that cannot be trained on: those of the test, and those that reach into it."""
    return test_windows + 2 * WINDOW


def _split(size: int, test_windows: int, rng: np.random.Generator) -> tuple[Places, Places]:
    first = int(rng.integers(size - test_windows + 1))
    places = np.arange(size)
    is_apart = (places < first - WINDOW) | (places >= first + test_windows + WINDOW)
    return rng.permutation(places[is_apart]), places[first : first + test_windows]


def draw_stretches(sizes: Sequence[int], test_windows: int, rng: np.random.Generator) -> Draw:
    """Draw the windows of both agents.

    Parameters
    ----------
    sizes
        How many windows each of the two has; agent 2's places follow agent 1's.
    test_windows
        How many of each, one after another, are held out.

    Examples
    --------
    >>> draw = draw_stretches([1000, 800], 100, np.random.default_rng(0))
    >>> len(draw.first), len(draw.second), [len(test) for test in draw.tests]
    (740, 540, [100, 100])
    """
    parts = [_split(size, test_windows, rng) for size in sizes]
    (first, first_test), (second, second_test) = parts
    return Draw(
        first=first, second=sizes[0] + second, tests=(first_test, sizes[0] + second_test), weights=np.ones(1)
    )
