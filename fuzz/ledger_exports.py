"""Ledgers exported as JSON: verified, audited, and made into a ledger again."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import fedpact as fp
from fedpact.protocol.ledger.export import _json_lines, read_export
from fuzz.chains import WORDS, change_entries, runs
from fuzz.ledger_readers import read_all
from fuzz.target import Target, Unreadable
from fuzz.workplace import new_folder


@cache
def _folder() -> Path:
    folder = new_folder()
    (folder / "aside").mkdir()
    return folder


def seeds() -> list[bytes]:
    """Small runs, and no run."""
    return [b"".join(_json_lines(entries)) for entries in (*runs(), [])]


def read(data: bytes) -> bool:
    """Verify, audit and rebuild; what is intact is rebuilt with the same head."""
    path, again = _folder() / "books.json", _folder() / "again.db"
    path.write_bytes(data)
    again.unlink(missing_ok=True)
    try:
        seen = fp.protocol.verify_ledger(path)
    except fp.FedpactError:
        return False
    read_all(path, _folder() / "aside")
    try:
        with fp.protocol.rebuild_ledger(path, again) as ledger:
            assert seen.is_intact, "what is rebuilt was intact"
            assert (len(ledger), ledger.head) == (seen.entries, seen.head), "it has the head that it says"
            entries = list(ledger.entries())
    except fp.FedpactError:
        assert not seen.is_intact, "what is intact can be rebuilt"
        return False
    assert b"".join(_json_lines(entries)) == data, "what was rebuilt would be exported as it was"
    return True


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Change an entry, and chain all of them again."""
    path = _folder() / "changed.json"
    path.write_bytes(data)
    try:
        return b"".join(_json_lines(change_entries(list(read_export(path)), rng)))
    except (fp.FedpactError, TypeError, KeyError):
        raise Unreadable from None


TARGET = Target(
    about="ledgers exported as JSON: verified, audited, replayed, made into a ledger again",
    seeds=seeds,
    read=read,
    mutate=mutate,
    words=WORDS,
)
