"""The nearest known name, for messages about an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from fedpact.describe.numbers import shorten


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest the known word that ``word`` was probably meant to be.

    Examples
    --------
    >>> nearest("epsilom", ("delta", "epsilon"))
    "did you mean 'epsilon'?"
    >>> nearest("?", ("alice", "bob"))
    "known: 'alice', 'bob'"
    """
    known = list(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.4)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(map(shorten, known[:10]))}"
