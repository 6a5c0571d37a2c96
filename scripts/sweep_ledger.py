"""Change every single byte of a ledger's file, one at a time: each change is found, or changes no entry.

    python scripts/sweep_ledger.py [ENTRIES]

Every byte is changed in two ways, by its lowest bit and by all its bits; the file has ENTRIES entries (100), one
of which spills over into pages of its own. A change that is not found must be of a byte that holds nothing: the
ledger opens, all its entries are as they were, and one more can be appended. Takes minutes; the tests do a part.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger

MASKS = (0x01, 0xFF)
STEP = 128


def write(path: Path, entries: int) -> None:
    """Write a ledger, one transaction to an entry."""
    with Ledger.create(path) as ledger:
        for i in range(entries):
            text = "é" * (3000 if i == entries // 2 else i % 60)
            ledger.append("report", {"i": i, "text": text}, run="sweep", at=float(i))


def missed(content: bytes, start: int) -> list[tuple[int, int, str]]:
    """List the changes of a stretch of bytes that are not found, and whether they matter."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "changed.ledger")
        found = [(*change, judge(path, content, *change)) for change in changes(content, start)]
        return [one for one in found if one[-1] != "found"]


def changes(content: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Every byte of a stretch, with every mask."""
    for place in range(start, min(start + STEP, len(content))):
        for mask in MASKS:
            yield place, mask


def judge(path: Path, content: bytes, place: int, mask: int) -> str:
    """Say whether one change is found, matters to nobody, or is missed."""
    changed = bytearray(content)
    changed[place] ^= mask
    path.write_bytes(changed)
    try:
        if not verify_ledger(path).is_intact:
            return "found"
        with Ledger.open(path) as ledger:
            hashes = [entry.hash for entry in ledger.entries()]
            ledger.append("more", {}, run="sweep", at=0.0)
        is_same = hashes == read_hashes(content) and verify_ledger(path).is_intact
        return "harmless" if is_same else "missed"
    except Exception as error:  # whatever it is, a change must not end the check
        print(f"byte {place} xor {mask:#04x}: {error!r}", file=sys.stderr)
        return "missed"


@cache
def read_hashes(content: bytes) -> list[str]:
    """Read the hashes of a ledger's entries, by SQLite alone."""
    with sqlite3.connect(":memory:") as base:
        base.deserialize(content)
        return [row[0] for row in base.execute("SELECT hash FROM entries ORDER BY seq")]


def main(entries: int) -> int:
    """Sweep, and say how many changes were found."""
    if Path("/dev/shm").is_dir():
        tempfile.tempdir = "/dev/shm"
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.ledger")
        write(path, entries)
        content = path.read_bytes()
        assert verify_ledger(path).is_intact
    starts = range(0, len(content), STEP)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = []
        for done, misses in enumerate(pool.map(missed, [content] * len(starts), starts), start=1):
            found += misses
            print(f"\r{done / len(starts):.0%}", end="", file=sys.stderr, flush=True)
    total, taken = len(content) * len(MASKS), time.perf_counter() - began
    bad = [(place, mask) for place, mask, how in found if how == "missed"]
    counts = f"{len(found) - len(bad)} harmless, {len(bad)} missed"
    print(f"{entries} entries, {len(content)} bytes, {total} changes, {counts}, {taken:.0f} s")
    for place, mask in bad:
        print(f"missed: byte {place} xor {mask:#04x}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
