"""Ctrl-C: a search that is all that was asked for answers with what it has; one of several ends them all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ENDS_ALL = ContextVar("interrupts end everything", default=False)


@contextmanager
def interrupts_end_all() -> Iterator[None]:
    """Let an interrupt from the keyboard through every search within; else it ends one, and the next begins.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> with interrupts_end_all():
    ...     [plan(alice_bob().replace(delta=delta), "exact").cost for delta in (0.1, 0.2)]
    [4.0, 3.0]
    """
    token = _ENDS_ALL.set(True)
    try:
        yield
    finally:
        _ENDS_ALL.reset(token)


def ends_search() -> tuple[type[KeyboardInterrupt], ...]:
    """Return what ends a search that then answers with what it has: an interrupt, or nothing.

    Examples
    --------
    >>> try:
    ...     raise KeyboardInterrupt
    ... except ends_search():
    ...     print("stopped early")
    stopped early
    >>> with interrupts_end_all():
    ...     ends_search()
    ()
    """
    return () if _ENDS_ALL.get() else (KeyboardInterrupt,)
