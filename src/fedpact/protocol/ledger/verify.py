"""Look through a whole ledger, trusting nothing: every hash, every link, and every byte of a SQLite file.

What nobody can see in a ledger alone is that its newest entries were removed together with every trace of them.
Who once noted the hash of the newest entry can ask for it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

from fedpact.coded import Coded, coded
from fedpact.describe.numbers import shorten
from fedpact.errors import BrokenLedgerError, LedgerError
from fedpact.protocol.ledger.check import LedgerCheck
from fedpact.protocol.ledger.database import Database, say_failure
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, Entry, Row, check_chain
from fedpact.protocol.ledger.export import OPENING, read_export
from fedpact.protocol.ledger.place import Where, file_of, find_ledger, make_engine, read_place, say_place
from fedpact.protocol.ledger.schema import has_schema, insist_on_table, write_rows
from fedpact.protocol.ledger.sqlite_bytes import (
    PAGE_BYTES,
    check_integrity,
    copy_settled,
    first_difference,
    made_again,
    opened,
    read_header,
)
from fedpact.protocol.ledger.sqlite_header import is_ledger, read_writers, running_version
from fedpact.protocol.ledger.store import chunks_up

_NOTED = re.compile(r"[0-9a-f]{12,64}")
"""A hash, or enough of its beginning: ``fedpact ledger show`` prints 12 digits."""


class _Look:
    """What was found so far."""

    def __init__(self, where: str, store: str, head: str | None) -> None:
        self.where, self.store = where, store
        self.entries, self.head = 0, NOTHING_BEFORE
        self._noted = head
        self._is_noted_found = head is None or NOTHING_BEFORE.startswith(head)
        self.why_not_compared: Coded | None = None

    def follow(self, entries: Iterable[Entry]) -> None:
        """Note entries as long as they are sound."""
        for entry in entries:
            self.entries, self.head = entry.seq, entry.hash
            self._is_noted_found = self._is_noted_found or entry.hash.startswith(str(self._noted))

    def insist_on_noted_head(self) -> None:
        """Raise if the hash that somebody noted is gone."""
        if not self._is_noted_found:
            raise BrokenLedgerError("head-missing", seq=self.entries + 1, head=self._noted)

    def result(self, error: BrokenLedgerError | None = None) -> LedgerCheck:
        """Sum up."""
        return LedgerCheck(
            entries=self.entries,
            head=self.head,
            broken_at=None if error is None else error.seq,
            why=None if error is None else Coded(code=error.code, values=error.values or {}),
            are_bytes_compared=error is None and self.why_not_compared is None,
            why_not_compared=self.why_not_compared,
            where=self.where,
            store=self.store,
        )


@contextmanager
def _reading_copy(look: _Look) -> Iterator[None]:
    """Take it for damage if a copy that nobody else is in cannot be read."""
    try:
        yield
    except BrokenLedgerError:
        raise
    except LedgerError as error:
        detail = say_failure(error.__cause__)
        raise BrokenLedgerError("unreadable-entry", seq=look.entries + 1, detail=detail) from error


def _rows_of_copy(look: _Look, database: Database, again: Connection) -> Iterator[Row]:
    """Read a copy, putting its rows into another file as well."""
    chunks = chunks_up(database)
    while True:
        with _reading_copy(look):
            chunk = next(chunks, None)
        if chunk is None:
            return
        yield from chunk
        write_rows(again, chunk)


def _check_copy(look: _Look, path: Path, again: Path) -> None:
    """Check a SQLite file that nobody else is in."""
    with opened(path) as database:
        with _reading_copy(look), database.reading() as connection:
            insist_on_table(connection)
        with made_again(again) as connection:
            running = running_version(connection)
            look.follow(check_chain(_rows_of_copy(look, database, connection), where=look.where))
        look.insist_on_noted_head()
        writers = read_writers(read_header(path))
        place = first_difference(path, again)
        if place is None:
            return
        if writers.is_one and writers.last == running:
            raise BrokenLedgerError("other-byte", byte=place, page=place // PAGE_BYTES + 1)
        with _reading_copy(look):
            check_integrity(database)
        look.why_not_compared = (
            coded("other-sqlite", version=writers.last) if writers.is_one else coded("several-sqlites")
        )


def _verify_file(path: Path, head: str | None) -> LedgerCheck:
    look = _Look(str(path), "sqlite", head)
    try:
        if not is_ledger(read_header(path)):
            raise BrokenLedgerError("no-ledger")
        with tempfile.TemporaryDirectory(prefix="fedpact-") as folder:
            copy, again = Path(folder, "copy"), Path(folder, "again")
            copy_settled(path, copy)
            if not copy.stat().st_size:
                raise LedgerError(
                    f"there is no ledger at {path} yet: whoever was creating it died before its first entry"
                )
            _check_copy(look, copy, again)
    except BrokenLedgerError as error:
        return look.result(error)
    return look.result()


def _verify_export(path: Path, head: str | None) -> LedgerCheck:
    look = _Look(str(path), "export", head)
    try:
        look.follow(read_export(path))
        look.insist_on_noted_head()
    except BrokenLedgerError as error:
        return look.result(error)
    return look.result()


def _verify_database(where: Where, head: str | None) -> LedgerCheck:
    url = read_place(where)
    look = _Look(say_place(url), url.get_backend_name(), head)
    look.why_not_compared = coded("no-files")
    engine = make_engine(url)
    try:
        database = Database(engine)
        with database.reading() as connection:
            if not has_schema(connection):
                raise LedgerError(f"there is no ledger at {database.where}")
        look.follow(check_chain((row for chunk in chunks_up(database) for row in chunk), where=look.where))
        look.insist_on_noted_head()
    except BrokenLedgerError as error:
        return look.result(error)
    finally:
        engine.dispose()
    return look.result()


def _read_noted(head: str | None) -> str | None:
    noted = None if head is None else head.strip().lower()
    if noted is not None and not _NOTED.fullmatch(noted):
        raise LedgerError(f"--head must be 12 to 64 hexadecimal digits; it is {shorten(head)}")
    return noted


def verify_ledger(where: Where, *, head: str | None = None) -> LedgerCheck:
    """Check a ledger by its path or URL, or a JSON export of one.

    Parameters
    ----------
    where
        A SQLite file, a URL, the home of a run, or what
        :func:`~fedpact.protocol.ledger.export.export_ledger` wrote as JSON.
    head
        A hash that was once the ledger's newest, or its first 12 digits or more; it must still be there.

    Raises
    ------
    LedgerError
        If there is nothing to check, or ``head`` cannot be a hash.
    """
    head, where = _read_noted(head), find_ledger(where)
    path = file_of(read_place(where))
    if path is None:
        return _verify_database(where, head)
    if not path.is_file():
        raise LedgerError(f"there is no ledger at {path}")
    try:
        start = read_header(path)
    except OSError as error:
        raise LedgerError(f"{path} cannot be read: {error.strerror}") from None
    return _verify_export(path, head) if start.startswith(OPENING) else _verify_file(path, head)
