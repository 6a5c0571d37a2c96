"""Entries of a ledger, wherever it is: open, in a file, in a database, or exported as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from fedpact.errors import LedgerError
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.ledger.export import OPENING, read_export
from fedpact.protocol.ledger.place import Where, file_of, find_ledger, read_place
from fedpact.protocol.ledger.store import Ledger

AnyLedger: TypeAlias = Ledger | Where
"""A ledger, its path or URL, the home of its run, or the path of a JSON export."""


def _is_export(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(OPENING)) == OPENING
    except FileNotFoundError:
        raise LedgerError(f"there is no ledger at {path}") from None
    except OSError as error:
        raise LedgerError(f"{path} cannot be read: {error.strerror}") from None


def read_entries(books: AnyLedger) -> Iterator[Entry]:
    """Read all entries, checking each and the links between.

    Raises
    ------
    LedgerError
        If there is no ledger; a :class:`~fedpact.errors.BrokenLedgerError` at the first entry that was changed.
    """
    if isinstance(books, Ledger):
        yield from books.entries()
        return
    place = find_ledger(books)
    path = file_of(read_place(place))
    if path is not None and _is_export(path):
        yield from read_export(path)
        return
    with Ledger.open(place) as ledger:
        yield from ledger.entries()
