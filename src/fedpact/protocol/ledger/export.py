"""A ledger as a file for others: CSV for tables, JSON from which the chain can be checked and the ledger rebuilt.

The JSON is a list with one entry to a line, each in canonical form. It is read back only if it is just what would
have been written, so every byte counts.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from fedpact.describe.spreadsheets import defuse
from fedpact.describe.whole_files import write_for_people
from fedpact.errors import BrokenLedgerError, LedgerError, MessageError
from fedpact.protocol.canonical import from_canonical, to_canonical
from fedpact.protocol.ledger.database import read_start
from fedpact.protocol.ledger.entry import MOST_BYTES, Entry, Row, check_chain
from fedpact.protocol.ledger.place import Where, file_of, find_ledger, read_place
from fedpact.protocol.ledger.store import Ledger

_COLUMNS = ("format", "seq", "at", "run", "kind", "body", "previous", "hash")
OPENING, _CLOSING = b"[\n", b"]\n"

AnyLedger: TypeAlias = Ledger | Where
"""A ledger, its path or URL, the home of its run, or the path of a JSON export."""


def _json_lines(entries: Iterable[Entry]) -> Iterator[bytes]:
    yield OPENING
    before = b""
    for entry in entries:
        yield before + to_canonical(entry.to_dict())
        before = b",\n"
    yield b"\n" + _CLOSING if before else _CLOSING


def _csv_row(values: Iterable[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(values)
    return text.getvalue().encode()


def _csv_lines(entries: Iterable[Entry]) -> Iterator[bytes]:
    yield _csv_row(_COLUMNS)
    for entry in entries:
        texts = {"run": defuse(entry.run), "kind": defuse(entry.kind), "body": to_canonical(entry.body).decode()}
        values = {**entry.to_dict(), **texts, "at": repr(entry.at)}
        yield _csv_row(values[name] for name in _COLUMNS)


_FORMATS = {".json": _json_lines, ".csv": _csv_lines}


def export_ledger(ledger: Ledger, file: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write a ledger's entries to a file that ends in ``.csv`` or ``.json``: the whole file or none.

    Raises
    ------
    LedgerError
        If the file exists and ``force`` is not given, cannot be written, or the ledger is broken.
    """
    target = Path(file)
    if target.suffix.lower() not in _FORMATS:
        raise LedgerError(f"file must end in .csv or .json; it is {str(target)!r}")
    there = f"there is already a file {target}; choose another name, or ask for it to be replaced"
    lines = _FORMATS[target.suffix.lower()](ledger.entries())
    write_for_people(target, lines, force=force, there=there, kind=LedgerError)
    return target


def _read_line(line: bytes, seq: int) -> Row:
    try:
        value = from_canonical(line, most=2 * MOST_BYTES)
    except MessageError as error:
        raise BrokenLedgerError("not-canonical", seq=seq, detail=str(error)) from None
    if not isinstance(value, dict) or not isinstance(value.get("hash"), str) or type(value.get("seq")) is not int:
        raise BrokenLedgerError("no-entry", seq=seq)
    hashed = {key: kept for key, kept in value.items() if key != "hash"}
    return Row(value["seq"], to_canonical(hashed).decode(), value["hash"])


def _read_rows(lines: Iterator[bytes]) -> Iterator[Row]:
    """Read the lines between the brackets: each ends in a comma but the last."""
    seq, line = 1, next(lines, b"")
    while line != _CLOSING:
        after = next(lines, b"")
        ending = b"\n" if after == _CLOSING else b",\n"
        if not line.endswith(ending) or not after:
            raise BrokenLedgerError("cut", seq=seq)
        yield _read_line(line.removesuffix(ending), seq)
        seq, line = seq + 1, after
    if next(lines, b""):
        raise BrokenLedgerError("after-the-end", seq=seq)


def read_export(file: str | os.PathLike[str]) -> Iterator[Entry]:
    """Read the entries of a JSON export, checking each and the links between.

    Raises
    ------
    BrokenLedgerError
        At the first that was changed or is missing.
    """
    try:
        with Path(file).open("rb") as lines:
            if next(lines, b"") != OPENING:
                raise BrokenLedgerError("no-export", seq=1)
            yield from check_chain(_read_rows(lines), where=os.fspath(file))
    except OSError as error:
        raise LedgerError(f"{os.fspath(file)} cannot be read: {error.strerror}") from None


def rebuild_ledger(file: str | os.PathLike[str], where: Where) -> Ledger:
    """Make a new ledger of a JSON export, with the same entries and the same hashes."""
    ledger = Ledger.create(where)
    try:
        ledger.restore(read_export(file))
    except BaseException:
        ledger.close()
        raise
    return ledger


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
    if path is not None and read_start(path).startswith(OPENING):
        yield from read_export(path)
        return
    with Ledger.open(place) as ledger:
        yield from ledger.entries()
