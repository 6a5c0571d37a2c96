"""Seeds in blocks, so that small draws share a cell and more seeds leave the cells that are known as they are."""

from __future__ import annotations

SIZE = 100


def cut_seeds(seeds: int, size: int = SIZE) -> list[list[int]]:
    """First and end of every block of seeds.

    Examples
    --------
    >>> cut_seeds(250)
    [[0, 100], [100, 200], [200, 250]]
    """
    return [[first, min(first + size, seeds)] for first in range(0, seeds, size)]
