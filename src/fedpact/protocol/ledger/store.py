"""A ledger: an append-only chain of entries in a SQLite file or a PostgreSQL database.

Every append is one durable transaction that first looks whether the newest entry is still the one that this ledger
knows. What a :class:`Ledger` knows changes only after its own commit. If anybody else appended, or if a connection
broke before it could say that a commit went through, the next append is refused, and opening the ledger again
shows what there is. An append costs the same however long the ledger is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from sqlalchemy import Connection, Engine

from fedpact.errors import BrokenLedgerError, LedgerError
from fedpact.protocol.ledger.database import (
    Database,
    create_schema,
    has_schema,
    insist_on_table,
    is_foreign,
    is_ledger,
    read_rows,
    read_start,
    write_rows,
)
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, Entry, Row, check_chain, check_row, make_entry
from fedpact.protocol.ledger.place import Where, file_of, find_ledger, make_engine, read_place

_CHUNK = 64
"""Rows that are read, or written, at once."""
Want: TypeAlias = Literal["old", "new", "any"]
"""Whether there must be a ledger, must be none, or may be one, which is created if there is none."""


def refuse_other_files(path: Path, want: Want = "old") -> None:
    """Say what stands in the way of a ledger in a file."""
    if want == "new":
        if path.exists():
            raise LedgerError(f"there is already a file at {path}; open it, or choose another place")
        return
    if want == "any" and path.is_dir():
        raise LedgerError(f"{path} is a folder; a ledger is a file in one, or a URL")
    is_begun = want == "old" or (path.exists() and path.stat().st_size)
    if is_begun and not is_ledger(read_start(path)):
        raise LedgerError(f"{path} is not a ledger, or its first bytes were changed")


def rows_of(
    database: Database, *, first: int | None = None, last: int | None = None, is_down: bool = False
) -> Iterator[Row]:
    """Read rows upwards or downwards, in chunks, each in its own transaction."""
    while True:
        with database.reading() as connection:
            rows = read_rows(connection, first=first, last=last, most=_CHUNK, is_down=is_down)
        yield from rows
        if len(rows) < _CHUNK:
            return
        first, last = (first, rows[-1].seq - 1) if is_down else (rows[-1].seq + 1, last)


def _prepare(database: Database, want: Want) -> None:
    """Create the table, unless there is one; looking comes first, so that a ledger can be read without rights."""
    with database.reading() as connection:
        if is_foreign(connection):
            raise LedgerError(f"{database.where} is a SQLite database, but not a ledger")
        insist_on_table(connection)
        is_there = has_schema(connection)
    if is_there and want != "new":
        return
    if want == "old":
        raise LedgerError(f"there is no ledger at {database.where}")
    with database.writing() as connection:
        if not has_schema(connection, alone=True):
            create_schema(connection)
        elif want == "new":
            raise LedgerError(f"there is already a ledger at {database.where}; open it, or choose another place")


class Ledger:
    """An append-only chain of entries.

    Parameters
    ----------
    engine
        A database in SQLite or PostgreSQL; a ledger is created there if there is none. Who made the engine closes
        it. Paths and URLs go to :meth:`open`, :meth:`create` and :meth:`open_or_create`.
    want
        "old" or "new" if there must be a ledger already, or must be none.

    Examples
    --------
    >>> from sqlalchemy import create_engine
    >>> from sqlalchemy.pool import StaticPool
    >>> engine = create_engine("sqlite://", poolclass=StaticPool)
    >>> ledger = Ledger(engine)
    >>> entry = ledger.append("pact", {"delta": 0.05}, run="first", at=0.0)
    >>> entry.seq, len(ledger), ledger.head == entry.hash
    (1, 1, True)
    >>> [entry.kind for entry in ledger.entries()]
    ['pact']
    >>> engine.dispose()
    """

    def __init__(self, engine: Engine, *, want: Want = "any") -> None:
        self._database = Database(engine)
        self._closes = False
        self.on_append: Callable[[], None] | None = None
        """Called whenever entries were written."""
        _prepare(self._database, want)
        self._length, self._head = self._read_newest()

    @classmethod
    def open(cls, where: Where) -> Self:
        """Open a ledger that exists, by its path or URL, or by the home of its run."""
        return cls._at(find_ledger(where), "old")

    @classmethod
    def create(cls, where: Where) -> Self:
        """Create a ledger where there is none."""
        return cls._at(where, "new")

    @classmethod
    def open_or_create(cls, where: Where) -> Self:
        """Open a ledger, or create it if there is none."""
        return cls._at(where, "any")

    @classmethod
    def _at(cls, where: Where, want: Want) -> Self:
        url = read_place(where)
        path = file_of(url)
        if path is not None:
            refuse_other_files(path, want)
        engine = make_engine(url)
        try:
            ledger = cls(engine, want=want)
        except BaseException:
            engine.dispose()
            raise
        ledger._closes = True
        return ledger

    @property
    def where(self) -> str:
        """Its path, or its URL without the password."""
        return self._database.where

    @property
    def head(self) -> str:
        """Hash of the newest entry that this ledger knows; who notes it can later tell whether any was removed."""
        return self._head

    def __len__(self) -> int:
        return self._length

    def __bool__(self) -> bool:
        return True

    def append(self, kind: str, body: Any, *, run: str, at: float) -> Entry:
        """Append one entry; when this returns, it is on the disk.

        Raises
        ------
        LedgerError
            If somebody else appended meanwhile, or the ledger cannot be written to. Nothing was appended then,
            unless the connection to a server broke; then the next append is refused if it was.
        """
        return self.append_all([(kind, body)], run=run, at=at)[0]

    def append_all(self, items: Iterable[tuple[str, Any]], *, run: str, at: float) -> list[Entry]:
        """Append several entries, given as kind and body: all of them, or none."""
        entries = self._chain(items, run=run, at=at)
        self._write(Row.of(entry) for entry in entries)
        return entries

    def _chain(self, items: Iterable[tuple[str, Any]], *, run: str, at: float) -> list[Entry]:
        entries: list[Entry] = []
        previous = self._head
        for seq, (kind, body) in enumerate(items, start=self._length + 1):
            entries.append(make_entry(seq=seq, at=at, run=run, kind=kind, body=body, previous=previous))
            previous = entries[-1].hash
        return entries

    def restore(self, entries: Iterable[Entry]) -> None:
        """Append entries of an export just as they were written: all of them, or none."""
        rows = (Row.of(entry) for entry in entries)
        self._write(Row.of(entry) for entry in check_chain(rows, seq=self._length + 1, previous=self._head))

    def _write(self, rows: Iterator[Row]) -> None:
        length, head = self._length, self._head
        with self._database.writing() as connection:
            self._insist_on_head(connection)
            while some := list(islice(rows, _CHUNK)):
                write_rows(connection, some)
                length, head = some[-1].seq, some[-1].hash
        self._length, self._head = length, head
        if self.on_append is not None:
            self.on_append()

    def _insist_on_head(self, connection: Connection) -> None:
        newest = read_rows(connection, most=1, is_down=True)
        found = (newest[0].seq, newest[0].hash) if newest else (0, NOTHING_BEFORE)
        if found != (self._length, self._head):
            raise LedgerError(
                f"{self.where} was appended to by somebody else: this ledger knows {self._length} entries, "
                f"and there are {found[0]}; open it again"
            )

    def _read_newest(self) -> tuple[int, str]:
        with self._database.reading() as connection:
            rows = read_rows(connection, most=2, is_down=True)
        if not rows:
            return 0, NOTHING_BEFORE
        newest, *before = rows
        before_it = before[0].hash if before else NOTHING_BEFORE
        check_row(newest, seq=newest.seq, previous=before_it, where=self.where)
        return newest.seq, newest.hash

    def entries(self, start: int = 1) -> Iterator[Entry]:
        """Read the entries that this ledger knows, from number ``start`` on, checking each and the links between.

        Raises
        ------
        BrokenLedgerError
            At the first that was changed or is missing.
        """
        if start < 1:
            raise LedgerError(f"start must be at least 1; it is {start}")
        if start > self._length:
            return
        rows = rows_of(self._database, first=max(start - 1, 1), last=self._length)
        seq, previous = start, NOTHING_BEFORE
        if start > 1:
            previous = next((row.hash for row in rows), previous)
        for entry in check_chain(rows, seq=start, previous=previous, where=self.where):
            seq, previous = entry.seq + 1, entry.hash
            yield entry
        if seq <= self._length:
            raise BrokenLedgerError("missing", seq=seq)
        if previous != self._head:
            raise BrokenLedgerError("replaced-since", seq=self._length)

    def last(self, kind: str) -> Entry | None:
        """Find the newest entry of a kind, looking from the end; nothing if there is none."""
        seq, above = self._length, self._head
        for row in rows_of(self._database, first=1, last=self._length, is_down=True):
            if row.seq != seq:
                raise BrokenLedgerError("missing", seq=seq)
            entry = check_row(row, seq=seq, previous=None, where=self.where)
            if entry.hash != above:
                raise BrokenLedgerError("not-named", seq=seq)
            if entry.kind == kind:
                return entry
            seq, above = seq - 1, entry.previous
        if seq:
            raise BrokenLedgerError("missing", seq=seq)
        return None

    def close(self) -> None:
        """Close the connections, unless the engine is somebody else's."""
        if self._closes:
            self._database.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
