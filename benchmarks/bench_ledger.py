"""A ledger of a million entries: what an entry costs to append and to check, and that its length does not matter.

The floor beside it: the same rows put into the same SQLite by its own module, without a chain, and read back.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from pathlib import Path

import pytest

from fedpact.protocol.ledger.entry import Row
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger

SIZES = (1000, 10_000, 100_000, 1_000_000)
BATCH, SINGLE = 10_000, 50
CHECKED = 100_000


def items(start: int, stop: int) -> list[tuple[str, dict[str, object]]]:
    return [("answer", {"site": f"site {i % 20}", "request": i, "share": i / 7}) for i in range(start, stop)]


def extend(ledger: Ledger, size: int) -> float:
    """Seconds that it takes to append up to a size, in batches."""
    began = time.perf_counter()
    while len(ledger) < size:
        ledger.append_all(items(len(ledger), min(len(ledger) + BATCH, size)), run="bench", at=0.0)
    return time.perf_counter() - began


def least_append(ledger: Ledger) -> float:
    """Seconds that one durable append takes at the least; what else waits for the disk is sent there before."""
    os.sync()
    taken = []
    for item in items(0, SINGLE):
        began = time.perf_counter()
        ledger.append(*item, run="bench", at=0.0)
        taken.append(time.perf_counter() - began)
    return min(taken)


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, float]]:
    """What was measured at every size of one ledger."""
    path = tmp_path_factory.mktemp("ledger") / "run.ledger"
    found = {}
    with Ledger.create(path) as ledger:
        for size in SIZES:
            before = len(ledger)
            bulk = extend(ledger, size - SINGLE) / (size - SINGLE - before)
            single = least_append(ledger)
            began = time.perf_counter()
            check = verify_ledger(path)
            assert (check.entries, check.is_intact) == (size, True)
            found[size] = {"bulk": bulk, "single": single, "verify": (time.perf_counter() - began) / size}
    return found


def test_growth(grown, record):
    for size, seconds in grown.items():
        record(f"one durable append to a ledger of {size:,} entries", unit="ms", value=1e3 * seconds["single"])
        record(f"an entry appended in bulk, up to {size:,} entries", unit="µs", value=1e6 * seconds["bulk"])
        record(f"an entry checked in a ledger of {size:,} entries", unit="µs", value=1e6 * seconds["verify"])


@pytest.mark.parametrize("what", ["single", "bulk", "verify"])
def test_the_length_does_not_matter(grown, record, what):
    slowest = grown[SIZES[-1]][what] / grown[10_000][what]
    record(f"{what}: an entry at 1,000,000 beside one at 10,000", unit="times", value=slowest, at_most=3)


def plain_rows(count: int) -> list[Row]:
    texts = (json.dumps(item) for item in items(0, count))
    return [Row(i, text, hashlib.sha256(text.encode()).hexdigest()) for i, text in enumerate(texts, start=1)]


def write_plainly(path: Path, count: int) -> float:
    """Seconds to put rows of the same size into SQLite by its own module, in batches, through to the disk."""
    began = time.perf_counter()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, content TEXT NOT NULL, hash TEXT NOT NULL)")
    rows = plain_rows(count)
    for start in range(0, count, BATCH):
        with connection:
            connection.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows[start : start + BATCH])
    connection.close()
    return time.perf_counter() - began


def read_plainly(path: Path) -> float:
    began = time.perf_counter()
    connection = sqlite3.connect(path)
    assert sum(1 for _ in connection.execute("SELECT * FROM entries ORDER BY seq")) == CHECKED
    connection.execute("PRAGMA integrity_check")
    connection.close()
    return time.perf_counter() - began


def test_against_rows_without_a_chain(compare, record, tmp_path):
    """No ledger can be faster than the table it is kept in; how much the chain costs on top is what is told."""
    with Ledger.create(tmp_path / "ours.ledger") as ledger:
        ours = extend(ledger, CHECKED)
    theirs = write_plainly(tmp_path / "theirs.db", CHECKED)
    compare(
        "100,000 entries appended in bulk",
        unit="seconds",
        ours=ours,
        competitor="the same rows by sqlite3's executemany, hashed, without a chain",
        theirs=theirs,
        at_least=0.05,
    )
    began = time.perf_counter()
    assert verify_ledger(tmp_path / "ours.ledger").is_intact
    compare(
        "100,000 entries checked, and the structure of the file",
        unit="seconds",
        ours=time.perf_counter() - began,
        competitor="the same rows read by sqlite3, and PRAGMA integrity_check",
        theirs=read_plainly(tmp_path / "theirs.db"),
        at_least=0.01,
    )


def test_one_durable_append_against_one_durable_row(compare, tmp_path):
    """In turns, so that both find the disk equally busy."""
    connection = sqlite3.connect(tmp_path / "theirs.db", isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, content TEXT NOT NULL, hash TEXT NOT NULL)")
    ours, theirs = [], []
    with Ledger.create(tmp_path / "ours.ledger") as ledger:
        for item, row in zip(items(0, 200), plain_rows(200), strict=True):
            began = time.perf_counter()
            ledger.append(*item, run="bench", at=0.0)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            connection.execute("INSERT INTO entries VALUES (?, ?, ?)", row)
            theirs.append(time.perf_counter() - began)
    connection.close()
    compare(
        "one durable append",
        unit="seconds",
        ours=min(ours),
        competitor="one row by sqlite3, synchronous=EXTRA, without a chain",
        theirs=min(theirs),
        at_least=0.1,
    )
