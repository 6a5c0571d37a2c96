"""The database behind a ledger: one table that refuses changes, who may be in it when, what its errors mean.

In a SQLite file a ledger's entries are guarded by their hashes, and what is around them by SQLite itself: the file
has just the table and the triggers that are made here, and ``PRAGMA integrity_check`` finds nothing. What else may
differ, free space for example, no reader of entries sees.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, Table, Text, insert, inspect, select
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from fedpact.errors import BrokenLedgerError, LedgerError
from fedpact.protocol.ledger.entry import Row
from fedpact.protocol.ledger.place import say_place

FILE_LOCK = threading.RLock()
"""Held while this process is in a SQLite file. By the rules of POSIX, a process that closes a file, as it must
after reading the first bytes, gives up the locks that SQLite holds on it for another thread."""
_FAILURES = (SQLAlchemyError, UnicodeDecodeError)
"""What a database raises; SQLite's driver, the second if SQLite quotes from a damaged file."""
_TROUBLES = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)
"""Errors of SQLite that say nothing against the file."""
_APPLICATION_ID = 0x66706C64
"""``fpld``, for ``file`` and the like."""
_START_BYTES = 100
_MAGIC = b"SQLite format 3\0"
_ROLLBACK_JOURNAL = b"\1\1"
ENTRIES = Table(
    "entries",
    MetaData(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
    Column("hash", Text, nullable=False),
)
_REFUSED = "a ledger is only ever appended to"
_SQLITE = (
    f"PRAGMA application_id = {_APPLICATION_ID}",
    "CREATE TABLE entries (seq INTEGER PRIMARY KEY, content TEXT NOT NULL, hash TEXT NOT NULL)",
    f"CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
    f"CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
    # INSERT OR REPLACE deletes without asking the trigger above
    "CREATE TRIGGER entries_in_order BEFORE INSERT ON entries "
    "WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries) "
    f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
)
"""Written out, not made by SQLAlchemy: SQLite keeps the text, and a check compares it."""
_POSTGRESQL = (
    "CREATE TABLE entries (seq integer PRIMARY KEY, content text NOT NULL, hash text NOT NULL)",
    "CREATE FUNCTION entries_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{_REFUSED}'; END $$",
    "CREATE TRIGGER entries_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON entries "
    "FOR EACH STATEMENT EXECUTE FUNCTION entries_refuse()",
)
_CREATING = 0x66656470
_SETTINGS = (
    "PRAGMA encoding = 'UTF-8'",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA busy_timeout = 30000",
    # EXTRA also waits for the folder to forget the journal; with FULL, a power cut could bring it back and take
    # the last entry away again, though it had been acknowledged
    "PRAGMA synchronous = EXTRA",
)


def read_start(path: Path) -> bytes:
    """Read the first bytes of a file.

    Raises
    ------
    LedgerError
        If there is none, or it cannot be read.
    """
    try:
        with FILE_LOCK, path.open("rb") as file:
            return file.read(_START_BYTES)
    except FileNotFoundError:
        raise LedgerError(f"there is no ledger at {path}") from None
    except OSError as error:
        raise LedgerError(f"{path} cannot be read: {error.strerror}") from None


def is_ledger(start: bytes) -> bool:
    """Whether a file's first bytes are those of a ledger, so that SQLite may be let near it.

    A file that claims to have a write-ahead log would be given one by reading it; a ledger never has.
    """
    return (
        len(start) == _START_BYTES
        and start[:16] == _MAGIC
        and start[18:20] == _ROLLBACK_JOURNAL
        and start[68:72] == _APPLICATION_ID.to_bytes(4, "big")
    )


def say_failure(error: BaseException | None) -> str:
    """Give the database's own words, in one line."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, UnicodeDecodeError):
        return "the file is damaged where SQLite keeps names"
    return (str(cause).strip().splitlines() or [type(cause).__name__])[0]


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite could get at a file, and could not read it."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # none where its driver cannot decode a text
    return isinstance(cause, UnicodeDecodeError) or (isinstance(cause, sqlite3.Error) and code not in _TROUBLES)


class Database:
    """An engine, used in short transactions whose errors are a ledger's."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.where = say_place(engine.url)
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._lock: AbstractContextManager[object] = FILE_LOCK if self.is_sqlite else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection to read from, briefly: a SQLite file cannot be written to meanwhile."""
        try:
            with self._lock, self.engine.connect() as connection:
                _set_up(connection)
                yield connection
        except _FAILURES as error:
            raise LedgerError(f"{self.where} cannot be read: {say_failure(error)}") from error

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction; it is committed at the end, and rolled back if anything is raised before."""
        try:
            with self._lock, self.engine.begin() as connection:
                _set_up(connection)
                if self.is_sqlite:  # PostgreSQL notices a second writer
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                yield connection
        except IntegrityError as error:
            raise LedgerError(f"{self.where} was appended to by somebody else meanwhile; open it again") from error
        except _FAILURES as error:
            raise LedgerError(f"{self.where} cannot be written to: {say_failure(error)}") from error


def _set_up(connection: Connection) -> None:
    """Settle, once, that a SQLite connection writes through to the disk before it answers."""
    if connection.dialect.name != "sqlite" or connection.info.get("fedpact"):
        return
    for statement in _SETTINGS:
        connection.exec_driver_sql(statement)
    connection.info["fedpact"] = True


def create_schema(connection: Connection) -> None:
    """Create the table and its triggers, inside the transaction that is open."""
    for statement in _SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL:
        connection.exec_driver_sql(statement)


def has_schema(connection: Connection, *, alone: bool = False) -> bool:
    """Whether there is a ledger; with ``alone``, nobody else may create one before the transaction ends."""
    if connection.dialect.name == "postgresql" and alone:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_CREATING})")
    return inspect(connection).has_table("entries")


def is_foreign(connection: Connection) -> bool:
    """Whether a SQLite database is somebody else's."""
    if connection.dialect.name != "sqlite":
        return False
    application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    return application != _APPLICATION_ID and bool(application or inspect(connection).get_table_names())


def insist_on_table(connection: Connection) -> None:
    """Raise if the entries of a SQLite file are not in the table that fedpact makes.

    A view of the same name may have no end, and a column may be computed: they would be read like entries.
    """
    if connection.dialect.name != "sqlite":
        return
    query = "SELECT type, sql FROM sqlite_master WHERE name = 'entries'"
    found = [tuple(row) for row in connection.exec_driver_sql(query)]
    if found not in ([], [("table", _SQLITE[1])]):
        raise BrokenLedgerError("other-table")


def check_file(connection: Connection) -> None:
    """Raise if a SQLite file holds anything but a ledger's table and triggers, or SQLite finds it damaged."""
    found = connection.exec_driver_sql("SELECT sql FROM sqlite_master").scalars().all()
    if set(found) != set(_SQLITE[1:]):
        raise BrokenLedgerError("other-schema")
    said = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    if said != "ok":
        raise BrokenLedgerError("damaged", detail=" ".join(str(said).split()))


def read_rows(
    connection: Connection, *, first: int | None = None, last: int | None = None, most: int, is_down: bool = False
) -> list[Row]:
    """Read up to ``most`` of the rows from ``first`` to ``last``, beginning with the lowest or the highest."""
    query = select(ENTRIES).order_by(ENTRIES.c.seq.desc() if is_down else ENTRIES.c.seq).limit(most)
    if first is not None:
        query = query.where(ENTRIES.c.seq >= first)
    if last is not None:
        query = query.where(ENTRIES.c.seq <= last)
    return [Row(*row) for row in connection.execute(query)]


def write_rows(connection: Connection, rows: Sequence[Row]) -> None:
    """Insert rows, inside the transaction that is open."""
    connection.execute(insert(ENTRIES), [row._asdict() for row in rows])
