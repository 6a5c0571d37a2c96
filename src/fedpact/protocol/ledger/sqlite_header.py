"""What the first hundred bytes of a ledger's SQLite file must say.

SQLite notes there, at bytes 96 to 99, which version of it wrote last. That alone could be anything, so the ledger
says it a second time, in the field that SQLite leaves to applications (``user_version``, bytes 60 to 63), and a
change of one of the two shows. The number is negated once a second version of SQLite has written: each version may
lay out pages in its own way, and then no one of them can make the file again.

The change counter (bytes 24 to 27) depends on how entries were grouped into transactions; SQLite keeps it a second
time as well (bytes 92 to 95). Every other byte is the same for the same entries.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from fedpact.errors import BrokenLedgerError

APPLICATION_ID = 0x66706C64
"""``fpld``, for ``file`` and the like."""
HEADER_BYTES = 100
VARYING = ((24, 28), (60, 64), (92, 96), (96, 100))
"""Bytes that may differ between files with the same entries; :func:`read_writers` holds them together."""
_MAGIC = b"SQLite format 3\0"
_ROLLBACK_JOURNAL = b"\1\1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Writers:
    """Which versions of SQLite wrote a file."""

    last: int
    """As SQLite numbers its versions: 3.40.1 is 3040001."""
    is_one: bool


def running_version(connection: Connection) -> int:
    """Give the version of the SQLite that runs, as SQLite numbers them."""
    major, minor, patch = connection.dialect.dbapi.sqlite_version_info  # type: ignore[union-attr]
    return int(1_000_000 * major + 1000 * minor + patch)


def mark_writer(connection: Connection) -> None:
    """Note who writes, in the transaction that is open, if another wrote last."""
    marked = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    running = running_version(connection)
    if abs(marked) != running:
        connection.exec_driver_sql(f"PRAGMA user_version = {-running if marked else running}")


def is_ledger(header: bytes) -> bool:
    """Whether a file's first bytes are those of a ledger, so that SQLite may be let near it.

    A file that claims to have a write-ahead log would be given one by reading it; a ledger never has.
    """
    return (
        len(header) == HEADER_BYTES
        and header[:16] == _MAGIC
        and header[18:20] == _ROLLBACK_JOURNAL
        and header[68:72] == APPLICATION_ID.to_bytes(4, "big")
    )


def read_writers(header: bytes) -> Writers:
    """Who wrote a file, by those bytes of its header that may vary.

    Raises
    ------
    BrokenLedgerError
        If they contradict each other.
    """
    if header[24:28] != header[92:96]:
        raise BrokenLedgerError("other-counter")
    marked = int.from_bytes(header[60:64], "big", signed=True)
    last = int.from_bytes(header[96:100], "big")
    if abs(marked) != last:
        raise BrokenLedgerError("other-version")
    return Writers(last=last, is_one=marked > 0)
