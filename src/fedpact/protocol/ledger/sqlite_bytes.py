"""Every byte of a ledger's SQLite file, compared with the bytes that its entries make.

A hash guards what a row shows. A SQLite file holds more: counters, pointers, free space, whole pages that no row
uses. Nothing was ever deleted from a ledger, so its file is a function of its entries: SQLite fills pages in the
order of insertion, however the insertions were grouped into transactions, whatever was rolled back, and whichever
process made them. So the file is made again from its entries, by the same statements, and the two are compared.
What legitimately differs stands in the header and is held together there (:mod:`.sqlite_header`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from fedpact.errors import BrokenLedgerError, LedgerError
from fedpact.protocol.ledger.database import FAILURES, FILE_LOCK, Database, say_failure
from fedpact.protocol.ledger.place import make_engine, read_place
from fedpact.protocol.ledger.schema import create_schema
from fedpact.protocol.ledger.sqlite_header import HEADER_BYTES, VARYING

_BLOCK = 2**20
PAGE_BYTES = 4096


@contextmanager
def opened(path: Path, *, is_durable: bool = True) -> Iterator[Database]:
    """Open a SQLite file, whatever it holds."""
    engine = make_engine(read_place(path))
    try:
        yield Database(engine, is_durable=is_durable)
    finally:
        engine.dispose()


def copy_settled(path: Path, target: Path) -> None:
    """Copy a file between two transactions, after SQLite has undone what a crash left half-done.

    Later reading is from the copy, so that a long check keeps nobody from appending.

    Raises
    ------
    BrokenLedgerError
        If SQLite does not take the file for one of its own.
    LedgerError
        If the file is locked for too long or cannot be read, or there is no room for a copy.
    """
    try:
        with opened(path) as database, FILE_LOCK, database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout = 30000")
            connection.exec_driver_sql("BEGIN")
            connection.exec_driver_sql("PRAGMA user_version")
            shutil.copyfile(path, target)
    except OperationalError as error:
        raise LedgerError(f"{path} cannot be read: {error.orig}") from error
    except FAILURES as error:
        raise BrokenLedgerError("unreadable", detail=say_failure(error)) from error
    except OSError as error:
        raise LedgerError(f"{path} cannot be copied to {target.parent} to be checked: {error.strerror}") from None


@contextmanager
def made_again(path: Path) -> Iterator[Connection]:
    """Start a new ledger to put rows into, in one transaction; nobody needs it after a crash."""
    with opened(path, is_durable=False) as database, database.writing() as connection:
        create_schema(connection)
        yield connection


def read_header(path: Path) -> bytes:
    """Read the first bytes of a file."""
    with FILE_LOCK, path.open("rb") as file:
        return file.read(HEADER_BYTES)


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Read a file in blocks, those bytes set to zero that may vary."""
    first = bytearray(file.read(_BLOCK))
    for start, stop in VARYING:
        first[start:stop] = bytes(stop - start)
    yield bytes(first)
    while block := file.read(_BLOCK):
        yield block
    yield b""


def first_difference(path: Path, again: Path) -> int | None:
    """Where two files differ first, the varying bytes aside; nothing if they do not."""
    with path.open("rb") as one, again.open("rb") as other:
        for number, (ours, theirs) in enumerate(zip(_blocks(one), _blocks(other), strict=False)):
            if ours != theirs:
                short = min(len(ours), len(theirs))
                within = next((at for at in range(short) if ours[at] != theirs[at]), short)
                return number * _BLOCK + within
    return None


def check_integrity(database: Database) -> None:
    """Let SQLite look through its own structures.

    Raises
    ------
    BrokenLedgerError
        With SQLite's words, if anything is wrong.
    """
    with database.reading() as connection:
        found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    if found != "ok":
        raise BrokenLedgerError("damaged", detail=" ".join(str(found).split()))
