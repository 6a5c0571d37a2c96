"""Look through a whole ledger, trusting nothing: every hash and every link, and what SQLite says of its file.

Of a SQLite file it is checked that the hashes and links of all entries are right, that nothing but the table and
the triggers that fedpact makes is in it, and that SQLite's own check of its structures finds nothing. Bytes that
hold nothing, free space for example, may be anything: no reader of the ledger sees them.

What nobody can see in a ledger alone is that its newest entries were removed together with every trace of them.
Who once noted the hash of the newest entry can ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from sqlalchemy.engine import URL

from fedpact.coded import Coded, coded
from fedpact.describe.numbers import shorten
from fedpact.errors import BrokenLedgerError, LedgerError
from fedpact.protocol.ledger.database import (
    Database,
    check_file,
    has_schema,
    insist_on_table,
    is_damage,
    is_ledger,
    read_start,
    say_failure,
)
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, Entry, check_chain
from fedpact.protocol.ledger.export import OPENING, read_export
from fedpact.protocol.ledger.place import Where, file_of, find_ledger, make_engine, read_place, say_place
from fedpact.protocol.ledger.store import rows_of
from fedpact.result import Result

_NOTED = re.compile(r"[0-9a-f]{12,64}")
"""A hash, or enough of its beginning: ``fedpact ledger show`` prints 12 digits."""
_NOT_COMPARED = {"sqlite": coded("free-space"), "postgresql": coded("no-files")}
"""Why bytes are not compared, by store; those of an export are."""


class LedgerStatus(StrEnum):
    """Whether a ledger is as it was written."""

    INTACT = "intact"
    """Every entry is as it was written, and nothing is wrong with the file."""
    ENTRIES_INTACT = "entries-intact"
    """Every entry is as it was written; the database does not show its files."""
    BROKEN = "broken"
    """Nothing from the first broken entry on can be relied on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCheck(Result):
    """Whether a ledger is as it was written."""

    DERIVED: ClassVar = ("is_intact", "status")

    entries: int
    """How many entries, from the first, are as they were written and follow each other."""
    head: str
    """Hash of the last of them; 64 zeros if there is none."""
    broken_at: int | None
    """The first entry that is not; nothing if all are, even if something else in the file was changed."""
    why: Coded | None
    """What is wrong."""
    are_bytes_compared: bool
    """Whether every byte is accounted for, those too that hold nothing: so it is in an export."""
    why_not_compared: Coded | None
    where: str
    store: str
    """"sqlite", "postgresql" or "export"."""

    @property
    def is_intact(self) -> bool:
        """Whether nothing is wrong."""
        return self.why is None

    @property
    def status(self) -> LedgerStatus:
        """The finding."""
        if not self.is_intact:
            return LedgerStatus.BROKEN
        return LedgerStatus.ENTRIES_INTACT if self.store == "postgresql" else LedgerStatus.INTACT


def _check_entries(entries: Iterable[Entry], noted: str | None, *, where: str, store: str) -> LedgerCheck:
    """Go through entries as long as they are sound; at the end the noted hash must have been among them."""
    count, head = 0, NOTHING_BEFORE
    error: BrokenLedgerError | None = None
    is_found = noted is None or head.startswith(noted)
    try:
        for entry in entries:
            count, head = entry.seq, entry.hash
            is_found = is_found or head.startswith(str(noted))
    except BrokenLedgerError as found:
        error = found
    if not is_found and (error is None or (count and error.seq is None)):  # entries first
        error = BrokenLedgerError("head-missing", seq=count + 1, head=noted)
    return LedgerCheck(
        entries=count,
        head=head,
        broken_at=None if error is None else error.seq,
        why=None if error is None else Coded(code=error.code, values=error.values or {}),
        are_bytes_compared=error is None and store not in _NOT_COMPARED,
        why_not_compared=_NOT_COMPARED.get(store),
        where=where,
        store=store,
    )


def _insist_on_ledger(database: Database, path: Path | None) -> None:
    with database.reading() as connection:
        insist_on_table(connection)
        if has_schema(connection):
            return
    if path is None:
        raise LedgerError(f"there is no ledger at {database.where}")
    if path.stat().st_size:
        raise BrokenLedgerError("other-table")
    raise LedgerError(f"there is no ledger at {path} yet: whoever was creating it died before its first entry")


def _read_database(url: URL, start: bytes | None = None) -> Iterator[Entry]:
    """Read the entries of a database, then let SQLite look through its file, which begins with ``start``."""
    if start is not None and not is_ledger(start):
        raise BrokenLedgerError("no-ledger")
    engine, seq = make_engine(url), 0
    try:
        database = Database(engine)
        _insist_on_ledger(database, file_of(url))
        for entry in check_chain(rows_of(database), where=database.where):
            seq = entry.seq
            yield entry
        if database.is_sqlite:
            with database.reading() as connection:
                check_file(connection)
    except LedgerError as error:
        if isinstance(error, BrokenLedgerError) or not is_damage(error.__cause__):
            raise
        detail = say_failure(error.__cause__)
        raise BrokenLedgerError("unreadable-entry", seq=seq + 1, detail=detail) from error
    finally:
        engine.dispose()


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
    noted, url = _read_noted(head), read_place(find_ledger(where))
    path = file_of(url)
    if path is None:
        return _check_entries(_read_database(url), noted, where=say_place(url), store=url.get_backend_name())
    if not path.is_file():
        raise LedgerError(f"there is no ledger at {path}")
    start = read_start(path)
    is_export = start.startswith(OPENING)
    entries = read_export(path) if is_export else _read_database(url, start)
    return _check_entries(entries, noted, where=str(path), store="export" if is_export else "sqlite")
