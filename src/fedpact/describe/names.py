"""Names that have to be known, of methods, rules, agents and keys; and slugs, names as names of files."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, count
from typing import Any

from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError


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


def read_choice(value: Any, field: str, known: Collection[str]) -> str:
    """Read one of a few names.

    Examples
    --------
    >>> read_choice("fast", "method", ("lp", "exact"))
    Traceback (most recent call last):
    fedpact.errors.FederationError: method must be one of lp, exact; it is 'fast'
    """
    if not isinstance(value, str) or value not in known:
        raise FederationError(f"{field} must be one of {', '.join(known)}; it is {shorten(value)}")
    return value


def make_slugs(names: Sequence[str], *, default: str = "agent", taken: Iterable[str] = ()) -> list[str]:
    """Give every name its own slug of ``a-z``, ``0-9`` and ``-``, none of those taken.

    Examples
    --------
    >>> make_slugs(["Alice", "alice!", "北京", "../etc"])
    ['alice', 'alice-2', 'agent', 'etc']
    """
    used, slugs = set(taken), []
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-") or default
        numbered = chain([slug], (f"{slug}-{number}" for number in count(2)))
        slugs.append(next(candidate for candidate in numbered if candidate not in used))
        used.add(slugs[-1])
    return slugs
