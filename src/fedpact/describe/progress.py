"""Long work: how far it has come, what an interrupt from the keyboard ends, and all cores for its parts.

A search that is all that was asked for answers an interrupt with what it has; one of several ends them all. Parts
are worked on in threads, for loops that numba compiles to run outside Python's lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar

Progress: TypeAlias = Callable[[float, float], None]
"""Called now and then with how much is done and how much there is in all."""


OnInterrupt: TypeAlias = Literal["answer", "raise"]
_ON_INTERRUPT: ContextVar[OnInterrupt] = ContextVar("on_interrupt", default="answer")


@contextmanager
def on_interrupt(what: OnInterrupt) -> Iterator[None]:
    """Let an interrupt from the keyboard end one search, which then answers, or raise it through all of them.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> with on_interrupt("raise"):
    ...     [plan(alice_bob().replace(delta=delta), "exact").cost for delta in (0.1, 0.2)]
    [4.0, 3.0]
    """
    token = _ON_INTERRUPT.set(what)
    try:
        yield
    finally:
        _ON_INTERRUPT.reset(token)


def ends_search() -> tuple[type[KeyboardInterrupt], ...]:
    """Return what ends a search that then answers with what it has: an interrupt, or nothing.

    Examples
    --------
    >>> try:
    ...     raise KeyboardInterrupt
    ... except ends_search():
    ...     print("stopped early")
    stopped early
    >>> with on_interrupt("raise"):
    ...     ends_search()
    ()
    """
    return () if _ON_INTERRUPT.get() == "raise" else (KeyboardInterrupt,)


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


def count_done(parts: Sequence[P], progress: Progress | None) -> Iterator[P]:
    """Yield every part, and call ``progress`` once it is done, that is when the next one is asked for.

    Examples
    --------
    >>> [abs(part) for part in count_done([-2, 3], lambda done, total: print(done, "of", total))]
    1 of 2
    2 of 2
    [2, 3]
    """
    for done, part in enumerate(parts, 1):
        yield part
        if progress is not None:
            progress(done, len(parts))


def parallel_map(work: Callable[[P], T], parts: Sequence[P]) -> Iterator[T]:
    """Yield ``work(part)`` of every part, in order."""
    with all_cores(len(parts)) as spread:
        yield from spread(work, parts)


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop over arrays to code that runs outside Python's lock, so that threads share the cores."""
    from numba import njit

    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder to keep the code in
        return njit(nogil=True)(function)
