"""The operator's disk in a simulated world: a real SQLite database in memory that a crash leaves behind.

The ledger's own code writes to it through SQLAlchemy. Whatever goes wrong strikes at a commit. *Before* it, the
process dies or the disk is full, and the database rolls back as it would from its journal. *After* it, the process
dies or the connection breaks: the entry is there, and nobody was told.
"""

from __future__ import annotations

import itertools
import sqlite3
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from fedpact.protocol.ledger.store import Ledger
from simulation.event_queue import Crash, EventQueue, StuckError

_NUMBER = itertools.count()
_MOST_WRITES = 1_000


class Disk:
    """Keeps a ledger; fails when a fault strikes while somebody works on it."""

    def __init__(self, queue: EventQueue) -> None:
        self._queue = queue
        self._place = f"file:fedpact-simulator-{next(_NUMBER)}?mode=memory&cache=shared"
        self._keeper = self._connect()
        self.engine = create_engine("sqlite://", creator=self._connect, poolclass=StaticPool)
        self._commit = self.engine.dialect.do_commit
        self.engine.dialect.do_commit = self._commit_or_fail  # type: ignore[method-assign, assignment]
        self.is_calm = True
        self.commits = 0

    def open(self) -> Ledger:
        """Open the ledger as a new process would, without faults."""
        self.is_calm, was_calm = True, self.is_calm
        try:
            return Ledger(self.engine)
        finally:
            self.is_calm = was_calm

    def read(self, start: int) -> list[tuple[int, str, str]]:
        """Read the table itself from an entry on, past all code of the ledger: number, content and hash."""
        query = "SELECT seq, content, hash FROM entries WHERE seq >= ? ORDER BY seq"
        return self._keeper.execute(query, (start,)).fetchall()

    def _connect(self) -> sqlite3.Connection:
        """Open the database, which is there as long as anybody has it open: a crash closes only its own."""
        return sqlite3.connect(self._place, uri=True, check_same_thread=False)

    def _commit_or_fail(self, connection: Any) -> None:
        if not self.is_calm:
            self._fail("full_disk", "database or disk is full")
            self._die("before a write")
        self._commit(connection)
        self.commits += 1
        if self.commits > _MOST_WRITES:
            raise StuckError(f"the operator has written {_MOST_WRITES} times, and there is no end to it")
        if not self.is_calm:
            self._die("after a write")
            self._fail("unknown_write", "the connection broke")

    def _fail(self, fault: str, what: str) -> None:
        if self._queue.strikes(fault):
            raise sqlite3.OperationalError(what)

    def _die(self, when: str) -> None:
        if self._queue.strikes("server_crash"):
            raise Crash(when)

    def close(self) -> None:
        """Give the memory back."""
        self.engine.dispose()
        self._keeper.close()
