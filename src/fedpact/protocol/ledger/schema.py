"""The one table of a ledger, and the triggers by which the database itself refuses to change what is in it.

The statements are written out, not made by SQLAlchemy: SQLite keeps their text in the file, and the same entries
must make the same file whatever version of SQLAlchemy is installed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, insert, inspect, select

from fedpact.errors import BrokenLedgerError
from fedpact.protocol.ledger.entry import Row
from fedpact.protocol.ledger.sqlite_header import APPLICATION_ID, mark_writer

ENTRIES = Table(
    "entries",
    MetaData(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
    Column("hash", Text, nullable=False),
)
_REFUSED = "a ledger is only ever appended to"
_SQLITE = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    "CREATE TABLE entries (seq INTEGER PRIMARY KEY, content TEXT NOT NULL, hash TEXT NOT NULL)",
    f"CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
    f"CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
    # INSERT OR REPLACE deletes without asking the trigger above
    "CREATE TRIGGER entries_in_order BEFORE INSERT ON entries "
    "WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries) "
    f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END",
)
_POSTGRESQL = (
    "CREATE TABLE entries (seq integer PRIMARY KEY, content text NOT NULL, hash text NOT NULL)",
    "CREATE FUNCTION entries_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{_REFUSED}'; END $$",
    "CREATE TRIGGER entries_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON entries "
    "FOR EACH STATEMENT EXECUTE FUNCTION entries_refuse()",
)
_CREATING = 0x66656470
_SETTINGS = (
    "PRAGMA page_size = 4096",
    "PRAGMA auto_vacuum = NONE",
    "PRAGMA encoding = 'UTF-8'",
    "PRAGMA secure_delete = ON",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA busy_timeout = 30000",
)
_DURABLE = "PRAGMA synchronous = EXTRA"
_PASSING = "PRAGMA synchronous = OFF"


def set_up(connection: Connection, *, is_durable: bool = True) -> None:
    """Settle, once, how a SQLite connection writes: in one layout, and through to the disk before it answers.

    EXTRA also waits for the folder to forget the journal; with FULL, a power cut could bring it back and take the
    last entry away again, though it had been acknowledged.
    """
    if connection.dialect.name != "sqlite" or connection.info.get("fedpact"):
        return
    for statement in (*_SETTINGS, _DURABLE if is_durable else _PASSING):
        connection.exec_driver_sql(statement)
    connection.info["fedpact"] = True


def begin_writing(connection: Connection) -> None:
    """Let nobody else write until the commit, where that has to be said; PostgreSQL notices a second writer."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def create_schema(connection: Connection) -> None:
    """Create the table and its triggers, inside the transaction that is open."""
    if connection.dialect.name == "sqlite":
        for statement in _SQLITE:
            connection.exec_driver_sql(statement)
        mark_writer(connection)
    else:
        for statement in _POSTGRESQL:
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
    return application != APPLICATION_ID and bool(application or inspect(connection).get_table_names())


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


def read_rows(connection: Connection, *, first: int | None, most: int, last: int | None = None) -> list[Row]:
    """Read up to ``most`` rows upwards from ``first``, or from the lowest that there is."""
    query = select(ENTRIES).order_by(ENTRIES.c.seq).limit(most)
    if first is not None:
        query = query.where(ENTRIES.c.seq >= first)
    if last is not None:
        query = query.where(ENTRIES.c.seq <= last)
    return [Row(*row) for row in connection.execute(query)]


def read_rows_down(connection: Connection, *, last: int | None, most: int) -> list[Row]:
    """Read up to ``most`` rows downwards from ``last``, or from the highest that there is."""
    query = select(ENTRIES).order_by(ENTRIES.c.seq.desc()).limit(most)
    if last is not None:
        query = query.where(ENTRIES.c.seq <= last)
    return [Row(*row) for row in connection.execute(query)]


def write_rows(connection: Connection, rows: Sequence[Row]) -> None:
    """Insert rows, inside the transaction that is open."""
    if connection.dialect.name == "sqlite":
        mark_writer(connection)
    connection.execute(insert(ENTRIES), [row._asdict() for row in rows])
