"""The program itself as something that an answer depends on: another program is asked anew."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

_SHOW_ONLY = ("cli", "drawing", "web")


@cache
def digest_source() -> str:
    """SHA-256 of the names and the text of all modules of fedpact but those that show answers.

    Examples
    --------
    >>> len(digest_source())
    64
    """
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        if name.parts[0] not in _SHOW_ONLY:
            digest.update(f"{name.as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
