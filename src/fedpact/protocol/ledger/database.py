"""The database behind a ledger: who may be in it when, and what its errors mean."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from fedpact.errors import LedgerError
from fedpact.protocol.ledger.place import say_place
from fedpact.protocol.ledger.schema import begin_writing, set_up

FILE_LOCK = threading.RLock()
"""Held while this process is in a SQLite file. By the rules of POSIX, a process that closes a file, as it must
after reading the bytes, gives up the locks that SQLite holds on it for another thread."""


FAILURES = (SQLAlchemyError, UnicodeDecodeError)
"""What a database raises; SQLite's driver, the second if SQLite quotes from a damaged file."""


def say_failure(error: BaseException | None) -> str:
    """Give the database's own words, in one line."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, UnicodeDecodeError):
        return "the file is damaged where SQLite keeps names"
    return (str(cause).strip().splitlines() or [type(cause).__name__])[0]


class Database:
    """An engine, used in short transactions whose errors are a ledger's."""

    def __init__(self, engine: Engine, *, is_durable: bool = True) -> None:
        self.engine = engine
        self.where = say_place(engine.url)
        self._is_durable = is_durable
        is_file = engine.dialect.name == "sqlite"
        self._lock: AbstractContextManager[object] = FILE_LOCK if is_file else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection to read from, briefly: a SQLite file cannot be written to meanwhile."""
        try:
            with self._lock, self.engine.connect() as connection:
                set_up(connection, is_durable=self._is_durable)
                yield connection
        except FAILURES as error:
            raise LedgerError(f"{self.where} cannot be read: {say_failure(error)}") from error

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction; it is committed at the end, and rolled back if anything is raised before."""
        try:
            with self._lock, self.engine.begin() as connection:
                set_up(connection, is_durable=self._is_durable)
                begin_writing(connection)
                yield connection
        except IntegrityError as error:
            raise LedgerError(f"{self.where} was appended to by somebody else meanwhile; open it again") from error
        except FAILURES as error:
            raise LedgerError(f"{self.where} cannot be written to: {say_failure(error)}") from error
