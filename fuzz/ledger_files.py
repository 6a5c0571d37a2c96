"""Ledgers in SQLite files: verified, opened, audited, exported and made again."""

from __future__ import annotations

import random
import sqlite3
from functools import cache
from pathlib import Path

import fedpact as fp
from fedpact.explain.ledger import say_entry
from fuzz.chains import WORDS, change_entries, runs
from fuzz.ledger_readers import read_all
from fuzz.target import Target, Unreadable
from fuzz.workplace import new_folder

_ENDLESS = (
    "CREATE VIEW entries AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT i AS seq, 'x' AS content, 'y' AS hash FROM n"
)
_SCHEMA = (
    "DROP TRIGGER entries_no_update",
    "CREATE TABLE more (x)",
    "CREATE INDEX more ON entries (hash)",
    "ALTER TABLE entries ADD COLUMN more",
    "ALTER TABLE entries RENAME TO other",
    "CREATE VIEW entries AS SELECT 1 AS seq, 'x' AS content, 'y' AS hash",
    _ENDLESS,
    "PRAGMA user_version = 7",
    "PRAGMA application_id = 7",
    "INSERT INTO entries SELECT max(seq) + 1, x'00', hash FROM entries",
    "INSERT INTO entries SELECT max(seq) + 1, content, zeroblob(9) FROM entries",
    "VACUUM",
)


@cache
def _folder() -> Path:
    folder = new_folder()
    (folder / "aside").mkdir()
    return folder


def _make(entries: list[fp.protocol.Entry]) -> bytes:
    path = _folder() / "made.db"
    path.unlink(missing_ok=True)
    with fp.protocol.Ledger.create(path) as ledger:
        ledger.restore(entries)
    return path.read_bytes()


def seeds() -> list[bytes]:
    """Small runs, no run, and files whose schema somebody changed."""
    finished = _make(runs()[0][:4])
    return [
        *(_make(entries) for entries in (*runs(), [])),
        *(_change_schema(finished, words) for words in _SCHEMA),
    ]


def _change_schema(data: bytes, words: str) -> bytes:
    with sqlite3.connect(":memory:", isolation_level=None) as base:
        base.deserialize(data)
        if words.startswith("CREATE VIEW"):
            base.execute("DROP TABLE entries")
        base.execute(words)
        return bytes(base.serialize())


def read(data: bytes) -> bool:
    """Verify, open, audit and export; an intact ledger has the head that it says, here and after an export."""
    path, aside = _folder() / "books.db", _folder() / "aside"
    for leftover in _folder().glob("books.db-*"):
        leftover.unlink()
    path.write_bytes(data)
    try:
        seen = fp.protocol.verify_ledger(path)
    except fp.FedpactError:
        seen = None
    read_all(path, aside)
    try:
        with fp.protocol.Ledger.open(path) as ledger:
            fp.protocol.export_ledger(ledger, aside / "books.json")
            again = fp.protocol.verify_ledger(aside / "books.json")
            found = len(ledger), ledger.head
            [say_entry(entry) for entry in ledger.entries()]
    except fp.FedpactError:
        assert seen is None or not seen.is_intact, "what is intact can be opened and exported"
        return False
    finally:
        (aside / "books.json").unlink(missing_ok=True)
    assert again.is_intact, "what was exported is intact"
    assert (again.entries, again.head) == found, "it has the same head"
    if seen is not None and seen.is_intact:
        assert (seen.entries, seen.head) == found, "it has the head that it says"
    return seen is not None and seen.is_intact


def _entries(data: bytes) -> list[fp.protocol.Entry]:
    path = _folder() / "changed.db"
    path.write_bytes(data)
    with fp.protocol.Ledger.open(path) as ledger:
        return list(ledger.entries())


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Change an entry and chain all of them again, or change the schema."""
    try:
        if rng.random() < 0.2:
            return _change_schema(data, rng.choice(_SCHEMA))
        return _make(change_entries(_entries(data), rng))
    except (fp.FedpactError, sqlite3.Error, TypeError, KeyError):
        raise Unreadable from None


TARGET = Target(
    about="ledgers in SQLite files: verified, opened, audited, replayed, exported",
    seeds=seeds,
    read=read,
    mutate=mutate,
    from_text=lambda words: _change_schema(_make(runs()[0][:4]), words),
    words=("SQLite format 3", "fpld", "CREATE TABLE entries", "CREATE TRIGGER", *WORDS),
)
