"""Names of people and places as names of files: short, plain, one for each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain, count


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
