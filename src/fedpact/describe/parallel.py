"""Work in parts, on all cores: threads, for work that runs outside Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

P = TypeVar("P")
T = TypeVar("T")
Spread: TypeAlias = Callable[[Callable[[P], T], Iterable[P]], Iterator[T]]
"""Like ``map``; what it gives must be read, for work may be done only then."""

# Fewer parts than this are worked on one after the other: starting threads takes longer.
_FEW = 4


@contextmanager
def all_cores(parts: int) -> Iterator[Spread[Any, Any]]:
    """Give a ``map`` for so many parts of work in all, in one call or several; results come in order.

    Examples
    --------
    >>> with all_cores(8) as spread:
    ...     list(spread(abs, range(-4, 4)))
    [4, 3, 2, 1, 0, 1, 2, 3]
    """
    if parts < _FEW:
        yield map
        return
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)


def parallel_map(work: Callable[[P], T], parts: Sequence[P]) -> Iterator[T]:
    """Yield ``work(part)`` of every part, in order."""
    with all_cores(len(parts)) as spread:
        yield from spread(work, parts)
