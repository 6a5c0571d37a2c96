"""Paths that the home of a run keeps: relative to it for what is in it, so that a copy uses its own files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fedpact import formats
from fedpact.errors import ProtocolError
from fedpact.formats import check_format

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


def read_note(path: Path) -> dict[str, Any]:
    """Read the ``run.json`` of a home, in plain values.

    Raises
    ------
    OSError, ValueError
        If it cannot be read.
    ProtocolError
        If it is of another format.
    """
    kept = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(kept, dict):
        raise ValueError("not a table")
    check_format(kept.get("format"), formats.HOME, "home", str(path), ProtocolError)
    return kept
