"""Whatever was done to the entries of a ledger behind its back is found, and what was put beside them."""

import shutil
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.coded import coded
from fedpact.errors import LedgerError
from fedpact.explain.ledger import say_break
from fedpact.protocol.ledger import database
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, make_entry
from fedpact.protocol.ledger.place import file_of, read_place
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import LedgerStatus, verify_ledger
from ledgers import fill, tampering


def test_a_ledger_that_nobody_touched_is_intact(place):
    head = fill(place)
    found = verify_ledger(place)
    is_file = file_of(read_place(place)) is not None
    assert (found.entries, found.head) == (100, head)
    assert (found.is_intact, found.broken_at, found.why) == (True, None, None)
    assert found.why_not_compared == coded("free-space" if is_file else "no-files")
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


OTHERS = {
    "ANALYZE": "other-schema",
    "CREATE INDEX i ON entries (hash)": "other-schema",
    "CREATE TABLE t (x)": "other-schema",
    "DROP TRIGGER entries_no_update": "other-schema",
    "PRAGMA application_id = 7": "no-ledger",
    "PRAGMA journal_mode = WAL": "no-ledger",
    "VACUUM": None,
    "PRAGMA user_version = 7": None,
}


def test_what_others_do_to_the_file_without_touching_an_entry_is_found_where_it_matters(tmp_path):
    for number, (statement, code) in enumerate(OTHERS.items()):
        path = tmp_path / f"{number}.ledger"
        with Ledger.create(path) as ledger:
            ledger.append_all([("k", {"i": i}) for i in range(400)], run="r", at=0.0)
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()
        found = verify_ledger(path)
        assert (found.is_intact, found.broken_at) == (code is None, None), statement
        assert code is None or found.why.code == code, statement


@pytest.fixture(scope="module")
def hundred(tmp_path_factory):
    """A file of 100 entries, some of which spill over into pages of their own."""
    path = tmp_path_factory.mktemp("hundred") / "run.ledger"
    with Ledger.create(path) as ledger:
        items = [{"i": i, "text": "é" * (3000 if i == 50 else i % 60)} for i in range(100)]
        ledger.append_all([("report", item) for item in items], run="r", at=0.0)
    return path


def read_hashes(path):
    with Ledger.open(path) as ledger:
        return [entry.hash for entry in ledger.entries()]


def insist(path, content, known):
    """A change is found, or changes nothing that a reader or a writer sees; the folder stays as it was."""
    path.write_bytes(content)
    found = verify_ledger(path)
    assert path.read_bytes() == content
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    if found.is_intact:
        assert read_hashes(path) == known
        with Ledger.open(path) as ledger:
            ledger.append("more", {}, run="r", at=0.0)
        assert verify_ledger(path).is_intact
    return not found.is_intact


@pytest.mark.slow
def test_every_change_of_one_byte_is_found_or_changes_no_entry(hundred, tmp_path):
    """A part of the sweep; scripts/sweep_ledger.py changes every byte of the file."""
    content, known = hundred.read_bytes(), read_hashes(hundred)
    texts = [text.encode() for row in sqlite3.connect(hundred).execute("SELECT content, hash FROM entries")
             for text in row]  # fmt: skip
    starts = {content.find(text): len(text) for text in texts}
    within = {start + at for start, length in starts.items() if start >= 0 for at in range(0, length, 397)}
    for number, place in enumerate([*range(100), *range(100, len(content), 997), *within]):
        changed = bytearray(content)
        changed[place] ^= 1 << number % 8
        assert insist(tmp_path / "run.ledger", bytes(changed), known) or place not in within, place


@pytest.mark.slow
@settings(max_examples=40)
@given(data=st.data())
def test_any_change_of_any_bytes_is_found_or_changes_no_entry(hundred, tmp_path_factory, data):
    content = hundred.read_bytes()
    start = data.draw(st.integers(0, len(content) - 1))
    new = data.draw(st.binary(min_size=1, max_size=300))
    changed = content[:start] + new + content[start + len(new) :]
    insist(tmp_path_factory.mktemp("any") / "run.ledger", changed, read_hashes(hundred))


def test_a_file_that_was_cut_or_lengthened_is_found_or_changes_no_entry(hundred, tmp_path):
    content, known = hundred.read_bytes(), read_hashes(hundred)
    for length in (0, 1, 99, 4096, -4096):
        assert insist(tmp_path / "run.ledger", content[:length], known), length
    for more in (b"\0", b"x", bytes(4096), b"x" * 10_000):
        insist(tmp_path / "run.ledger", content + more, known)


def test_a_file_in_use_is_not_taken_for_damage(hundred, tmp_path, monkeypatch):
    path = tmp_path / "run.ledger"
    shutil.copy(hundred, path)
    monkeypatch.setattr(database, "_SETTINGS", ("PRAGMA busy_timeout = 10",))
    writing = sqlite3.connect(path, isolation_level=None)
    writing.execute("BEGIN EXCLUSIVE")
    with pytest.raises(LedgerError, match=r"run\.ledger cannot be read: database is locked"):
        verify_ledger(path)
    writing.close()
    assert verify_ledger(path).is_intact


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
