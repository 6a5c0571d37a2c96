"""The program itself as something that an answer depends on: for experiments that try it, not a claim about it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def digest_source() -> str:
    """SHA-256 of the names and the text of all modules of fedpact.

    Examples
    --------
    >>> len(digest_source())
    64
    """
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
