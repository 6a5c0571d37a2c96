"""Whatever was done to a ledger behind its back is found, down to one byte of its file."""

import random
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.coded import coded
from fedpact.errors import LedgerError
from fedpact.explain.ledger import say_break
from fedpact.protocol.ledger import sqlite_header, verify
from fedpact.protocol.ledger.check import LedgerStatus
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, make_entry
from fedpact.protocol.ledger.place import file_of, make_engine, read_place
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from ledgers import fill, tampering


def test_a_ledger_that_nobody_touched_is_intact(place):
    head = fill(place)
    found = verify_ledger(place)
    is_file = file_of(read_place(place)) is not None
    assert (found.entries, found.head) == (100, head)
    assert (found.is_intact, found.broken_at, found.why) == (True, None, None)
    assert found.are_bytes_compared is is_file
    assert found.status is (LedgerStatus.INTACT if is_file else LedgerStatus.ENTRIES_INTACT)


def test_a_ledger_without_entries_is_intact(place):
    Ledger.create(place).close()
    found = verify_ledger(place)
    assert (found.entries, found.head, found.is_intact) == (0, NOTHING_BEFORE, True)


def test_where_there_is_nothing_there_is_nothing_to_check(place, tmp_path):
    for where in (place, tmp_path):
        with pytest.raises(LedgerError, match="there is no ledger at"):
            verify_ledger(where)


FORGED = make_entry(seq=50, at=0.0, run="r", kind="plan", body={}, previous=NOTHING_BEFORE)
TAMPERED = {
    "changed": (["UPDATE entries SET content = replace(content, '\"i\":50', '\"i\":51') WHERE seq = 50"], 50),
    "hash changed": (["UPDATE entries SET hash = 'ff' WHERE seq = 50"], 50),
    "first dropped": (["DELETE FROM entries WHERE seq = 1"], 1),
    "dropped": (["DELETE FROM entries WHERE seq = 50"], 50),
    "dropped and closed up": (
        ["DELETE FROM entries WHERE seq = 50"]
        + [f"UPDATE entries SET seq = {seq - 1} WHERE seq = {seq}" for seq in range(51, 101)],
        50,
    ),
    "swapped": (
        [f"UPDATE entries SET seq = {new} WHERE seq = {old}" for old, new in ((40, 999), (60, 40), (999, 60))],
        40,
    ),
    "inserted": (
        [f"UPDATE entries SET seq = {seq + 1} WHERE seq = {seq}" for seq in range(100, 49, -1)]
        + [f"INSERT INTO entries VALUES (50, '{FORGED.content.decode()}', '{FORGED.hash}')"],
        50,
    ),
    "inserted before the first": (["INSERT INTO entries SELECT 0, content, hash FROM entries WHERE seq = 1"], 1),
    "duplicated": (["INSERT INTO entries SELECT 101, content, hash FROM entries WHERE seq = 100"], 101),
    "added after a gap": (["INSERT INTO entries SELECT 150, content, hash FROM entries WHERE seq = 100"], 101),
    "replaced by another": (
        [f"UPDATE entries SET content = '{FORGED.content.decode()}', hash = '{FORGED.hash}' WHERE seq = 50"],
        50,
    ),
}


@pytest.mark.parametrize("way", TAMPERED)
def test_tampering_is_found_where_it_begins(place, way):
    statements, seq = TAMPERED[way]
    fill(place)
    with tampering(place) as execute:
        for statement in statements:
            execute(statement.replace(":", r"\:"))
    found = verify_ledger(place)
    assert (found.is_intact, found.broken_at, found.entries) == (False, seq, seq - 1)
    assert found.status is LedgerStatus.BROKEN
    assert str(seq) in say_break(found)


def test_entries_missing_at_the_end_are_found_by_who_noted_the_head(place):
    head = fill(place, 30)
    assert verify_ledger(place, head=head).is_intact
    with Ledger.open(place) as ledger:
        assert verify_ledger(place, head=next(ledger.entries(9)).hash).is_intact
    with tampering(place) as execute:
        execute("DELETE FROM entries WHERE seq > 20")
    found = verify_ledger(place, head=head)
    assert (found.is_intact, found.broken_at) == (False, 21)
    assert found.why == coded("head-missing", head=head)


def test_a_file_from_which_even_the_triggers_were_taken_is_found(tmp_path):
    path = tmp_path / "run.ledger"
    fill(path, 5)
    with tampering(path):
        pass
    found = verify_ledger(path)
    assert (found.is_intact, found.broken_at, found.entries) == (False, None, 5)


OTHERS = ["VACUUM", "ANALYZE", "CREATE INDEX i ON entries (hash)", "CREATE TABLE t (x)"]


@pytest.mark.parametrize("statement", OTHERS)
def test_what_others_do_to_the_file_without_touching_an_entry_is_found(tmp_path, statement):
    path = tmp_path / "run.ledger"
    with Ledger.create(path) as ledger:
        ledger.append_all([("k", {"i": i}) for i in range(400)], run="r", at=0.0)
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    found = verify_ledger(path)
    assert (found.is_intact, found.broken_at) == (False, None)
    assert found.why.code == "other-byte"


@pytest.fixture(scope="module")
def hundred(tmp_path_factory):
    """A file of 100 entries, some of which spill over into pages of their own."""
    path = tmp_path_factory.mktemp("hundred") / "run.ledger"
    with Ledger.create(path) as ledger:
        for i in range(100):
            ledger.append("report", {"i": i, "text": "é" * (3000 if i == 50 else i % 60)}, run="r", at=float(i))
    return path


def places_to_change(path):
    """Every byte of the header, and a part of the others: the more, the less any entry shows them."""
    content = path.read_bytes()
    shown = bytearray(len(content))
    connection = sqlite3.connect(path)
    for texts in connection.execute("SELECT content, hash FROM entries"):
        for text in texts:
            data = text.encode()
            start = content.find(data)
            if start >= 0:
                shown[start : start + len(data)] = b"\1" * len(data)
    connection.close()
    beside = [at for at in range(100, len(content)) if not shown[at]]
    within = [at for at in range(100, len(content)) if shown[at]]
    return [*range(100), *beside[::41], *within[::331]]


def test_every_change_of_one_byte_is_found(hundred, monkeypatch):
    """A part of the sweep; scripts/sweep_ledger.py changes every byte of the file, in every way it is told to."""
    monkeypatch.setattr(tempfile, "tempdir", "/dev/shm" if Path("/dev/shm").is_dir() else None)
    assert verify_ledger(hundred).are_bytes_compared
    content = hundred.read_bytes()
    missed = []
    for number, place in enumerate(places_to_change(hundred)):
        for mask in (1 << number % 8, 0xFF) if place < 100 else ((1 << number % 8, 0xFF)[number % 2],):
            changed = bytearray(content)
            changed[place] ^= mask
            hundred.write_bytes(changed)
            found = verify_ledger(hundred)
            if found.is_intact or found.are_bytes_compared:
                missed.append((place, mask))
    hundred.write_bytes(content)
    assert missed == []


@settings(max_examples=40)
@given(data=st.data())
def test_any_change_of_any_bytes_is_found(hundred, data):
    content = hundred.read_bytes()
    start = data.draw(st.integers(0, len(content) - 1))
    new = data.draw(st.binary(min_size=1, max_size=300))
    changed = content[:start] + new + content[start + len(new) :]
    hundred.write_bytes(changed)
    try:
        assert verify_ledger(hundred).is_intact is (changed == content)
    finally:
        hundred.write_bytes(content)


@pytest.mark.parametrize("length", [0, 1, 99, 4096, -4096, -1])
def test_a_file_that_was_cut_is_found(hundred, tmp_path, length):
    path = tmp_path / "cut.ledger"
    path.write_bytes(hundred.read_bytes()[:length])
    assert not verify_ledger(path).is_intact


@pytest.mark.parametrize("more", [b"\0", b"x", bytes(4096), b"x" * 10_000])
def test_a_file_that_was_lengthened_is_found(hundred, tmp_path, more):
    path = tmp_path / "long.ledger"
    path.write_bytes(hundred.read_bytes() + more)
    found = verify_ledger(path)
    assert (found.is_intact, found.entries) == (False, 100)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_a_file_depends_on_its_entries_only(seed):
    """Not on how they were grouped, on what was rolled back in between, or on when the file was closed."""
    rng = random.Random(seed)
    sizes = [rng.choice([0, 10, 100, 300, 3000, 4050, 4100, 9000, 60_000]) for _ in range(rng.randrange(120))]
    items = [("k", {"text": "x" * (size + rng.randrange(5))}) for size in sizes]
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder, "one"), Path(folder, "other")
        with Ledger.create(one) as ledger:
            ledger.append_all(items, run="r", at=0.0)
        Ledger.create(other).close()
        while items:
            append_some(other, items, rng)
        contents = [bytearray(path.read_bytes()) for path in (one, other)]
        for content in contents:
            for start, stop in ((24, 28), (92, 96)):
                content[start:stop] = bytes(4)
        assert contents[0] == contents[1]
        assert verify_ledger(other).are_bytes_compared


def append_some(path, items, rng):
    """Open a ledger, append the first few of the items, lose some on the way."""
    engine = make_engine(read_place(path))
    ledger = Ledger(engine)

    def lose(connection):
        raise InterruptedError

    for _ in range(rng.randrange(1, 4)):
        if rng.random() < 0.5:
            sa.event.listen(engine, "commit", lose)
            with pytest.raises(InterruptedError):
                ledger.append_all([("lost", "y" * rng.randrange(20_000)) for _ in range(5)], run="r", at=0.0)
            sa.event.remove(engine, "commit", lose)
        count = rng.randrange(1, 30)
        ledger.append_all(items[:count], run="r", at=0.0)
        del items[:count]
    engine.dispose()


def write_version(path, marked, last):
    content = bytearray(path.read_bytes())
    content[60:64] = marked.to_bytes(4, "big", signed=True)
    content[96:100] = last.to_bytes(4, "big")
    path.write_bytes(content)


def change_free_space(path):
    """Change the last byte before the first cell of the table's first page: no row shows it."""
    content = bytearray(path.read_bytes())
    cells = int.from_bytes(content[4096 + 5 : 4096 + 7], "big")
    content[4096 + cells - 1] ^= 1
    path.write_bytes(content)


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "run.ledger"
    fill(path, 5)
    return path


MAJOR, MINOR, PATCH = sqlite3.sqlite_version_info
RUNNING = 1_000_000 * MAJOR + 1000 * MINOR + PATCH


def test_free_space_is_compared(small):
    change_free_space(small)
    found = verify_ledger(small)
    assert (found.is_intact, found.broken_at, found.entries) == (False, None, 5)
    assert (found.why.code, found.why.values["page"]) == ("other-byte", 2)


@pytest.mark.parametrize(
    ("marked", "last", "why"),
    [
        (3_050_000, 3_050_000, coded("other-sqlite", version=3_050_000)),
        (-RUNNING, RUNNING, coded("several-sqlites")),
    ],
    ids=["another", "several"],
)
def test_a_file_of_another_sqlite_is_compared_if_it_can_be(small, marked, last, why):
    write_version(small, marked, last)
    assert verify_ledger(small).status is LedgerStatus.INTACT
    change_free_space(small)
    found = verify_ledger(small)
    assert (found.status, found.are_bytes_compared) == (LedgerStatus.ENTRIES_INTACT, False)
    assert found.why_not_compared == why


def test_a_file_of_another_sqlite_is_still_looked_through(small):
    write_version(small, 3_050_000, 3_050_000)
    content = bytearray(small.read_bytes())
    content[36:40] = (7).to_bytes(4, "big")
    small.write_bytes(content)
    found = verify_ledger(small)
    assert (found.is_intact, found.broken_at) == (False, None)
    assert found.why.code == "damaged"


@pytest.mark.parametrize(("marked", "last"), [(3_050_000, RUNNING), (RUNNING, 3_050_000), (0, 0x2E6300)])
def test_a_version_that_is_said_in_two_ways_is_found(small, marked, last):
    write_version(small, marked, last)
    found = verify_ledger(small)
    assert not found.is_intact
    assert found.why == coded("other-version")


def test_a_ledger_notes_when_another_sqlite_goes_on_with_it(small, monkeypatch):
    write_version(small, 3_030_000, 3_030_000)
    for expected in (-RUNNING, -RUNNING):
        with Ledger.open(small) as ledger:
            ledger.append("a", 1, run="r", at=0.0)
        header = small.read_bytes()[:100]
        assert int.from_bytes(header[60:64], "big", signed=True) == expected
        assert int.from_bytes(header[96:100], "big") == RUNNING
    assert verify_ledger(small).status is LedgerStatus.INTACT


def test_a_full_temporary_folder_is_not_taken_for_damage(small, monkeypatch):
    def refuse(connection, rows):
        raise sa.exc.OperationalError("INSERT", {}, Exception("database or disk is full"))

    monkeypatch.setattr(verify, "write_rows", refuse)
    with pytest.raises(LedgerError, match="again cannot be written to: database or disk is full"):
        verify_ledger(small)


def test_a_check_keeps_nobody_from_appending(small, monkeypatch):
    """Once the file is copied; and while it is, nobody writes into it."""
    first, seen = verify.first_difference, []

    def append_meanwhile(*paths):
        with Ledger.open(small) as ledger:
            seen.append(ledger.append("meanwhile", 1, run="r", at=0.0).seq)
        return first(*paths)

    monkeypatch.setattr(verify, "first_difference", append_meanwhile)
    assert verify_ledger(small).entries == 5
    assert seen == [6]


LOCKED = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("BEGIN EXCLUSIVE")
    print("written")
except sqlite3.OperationalError as error:
    print(error)
"""


def test_nobody_else_writes_while_the_file_is_copied(small, monkeypatch):
    copy, said = verify.copy_settled.__globals__["shutil"].copyfile, []

    def try_to_write(source, target):
        done = subprocess.run([sys.executable, "-c", LOCKED, source], capture_output=True, text=True, timeout=30)
        said.append(done.stdout.strip())
        return copy(source, target)

    monkeypatch.setattr(verify.copy_settled.__globals__["shutil"], "copyfile", try_to_write)
    assert verify_ledger(small).is_intact
    assert said == ["database is locked"]


def test_checking_leaves_the_file_and_its_folder_alone(small):
    content = small.read_bytes()
    for place in (18, 19, 60, 5000):
        changed = bytearray(content)
        changed[place] ^= 3
        small.write_bytes(changed)
        assert not verify_ledger(small).is_intact
        assert small.read_bytes() == changed
        assert [file.name for file in small.parent.iterdir()] == ["run.ledger"]


def test_the_header_s_versions_are_held_together_by_what_sqlite_says(small):
    header = small.read_bytes()[:100]
    assert sqlite_header.read_writers(header) == sqlite_header.Writers(last=RUNNING, is_one=True)


def test_a_creation_that_was_cut_short_is_no_ledger_and_no_damage(tmp_path):
    """A kill in the first commit leaves pages in the file, and a journal that says that there were none before."""
    path = tmp_path / "run.ledger"
    Ledger.create(path).close()
    magic = bytes.fromhex("d9d505f920a163d7")
    header = magic + b"".join(number.to_bytes(4, "big") for number in (0, 7, 0, 512, 4096))
    path.with_name("run.ledger-journal").write_bytes(header.ljust(512, b"\0"))
    with pytest.raises(LedgerError, match=r"no ledger at .* yet: whoever was creating it died before its first"):
        verify_ledger(path)
    with Ledger.open_or_create(path) as ledger:
        ledger.append("open", {}, run="r", at=0.0)
    assert verify_ledger(path).is_intact
