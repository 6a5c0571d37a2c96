"""Ctrl-C: a search that is all that was asked for answers with what it has; one of several ends them all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeAlias

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
