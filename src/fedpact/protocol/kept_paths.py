"""Paths that the home of a run keeps: relative to it for what is in it, so that a copy uses its own files.

Homes that earlier versions wrote have absolute paths only, and no ``form``. What such a path names is taken from
the home itself where it is there too, unless the path leads to something that is in no home at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

FORM = 2
"""How ``operator/run.json`` is written: since 2, paths are relative to the home."""
OF_RUN = Path("operator", "run.json")


def keep_path(home: Path, path: Path) -> str:
    """Write a path as it is kept: relative to the home if it is in it, else absolute.

    Examples
    --------
    >>> keep_path(Path("/runs/x"), Path("/runs/x/ledger.db")), keep_path(Path("/runs/x"), Path("/books/x.db"))
    ('ledger.db', '/books/x.db')
    """
    own, placed = home.resolve(), path.parent.resolve() / path.name
    return str(placed.relative_to(own) if placed.is_relative_to(own) else placed)


def find_path(home: Path, named: str, kept: Mapping[str, Any], depth: int = 1) -> Path:
    """Find what is kept; ``depth`` is how many names lead to it from the home, for homes of earlier versions."""
    path = Path(named)
    if kept.get("form") == FORM or not path.is_absolute() or len(path.parents) < depth:
        return home / path
    own, former = home.joinpath(*path.parts[-depth:]), path.parents[depth - 1]
    is_moved = own.exists() and (not path.exists() or (former / OF_RUN).is_file())
    return own if is_moved else path
