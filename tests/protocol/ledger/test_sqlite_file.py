"""What only a SQLite file can suffer: no room, no rights, another's file, a crash that leaves a journal."""

import os
import pwd
import shutil
import sqlite3
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from fedpact.errors import LedgerError
from fedpact.protocol.ledger.place import make_engine, read_place
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from ledgers import fill


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.ledger"


def test_a_ledger_is_one_file(path):
    fill(path, 3)
    assert [file.name for file in path.parent.iterdir()] == ["run.ledger"]


def test_every_commit_waits_for_the_disk(path):
    engine = make_engine(read_place(path))
    with Ledger(engine) as ledger:
        ledger.append("a", 1, run="r", at=0.0)
    with engine.connect() as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("synchronous", "journal_mode")]
    engine.dispose()
    assert found == [3, "delete"]


def test_a_full_disk_leaves_the_ledger_as_it_was(path):
    engine = sa.create_engine(read_place(path), poolclass=StaticPool)
    ledger = Ledger(engine)
    kept = [ledger.append("a", "x" * 1000, run="r", at=0.0) for _ in range(5)]
    with engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(LedgerError, match=r"run\.ledger cannot be written to: database or disk is full"):
        ledger.append_all([("b", "x" * 600_000), ("b", 2)], run="r", at=0.0)
    assert (len(ledger), list(ledger.entries())) == (5, kept)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    kept.append(ledger.append("b", "x" * 600_000, run="r", at=0.0))
    engine.dispose()
    with Ledger.open(path) as ledger:
        assert list(ledger.entries()) == kept
    assert verify_ledger(path).is_intact


@contextmanager
def somebody_without_rights():
    """Be nobody for a while, if root; root may write everywhere."""
    if os.geteuid():
        yield
        return
    os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)


def test_who_may_only_read_can_read_and_check_but_not_append():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.ledger")
        fill(path, 3)
        path.chmod(0o444)
        path.parent.chmod(0o555)
        with somebody_without_rights(), Ledger.open(path) as ledger:
            assert len(list(ledger.entries())) == 3
            assert verify_ledger(path).is_intact
            with pytest.raises(LedgerError, match="cannot be written to: attempt to write a readonly database"):
                ledger.append("a", 1, run="r", at=0.0)
            assert len(ledger) == 3
            with pytest.raises(LedgerError, match="unable to open"):
                Ledger.create(path.with_name("other.ledger"))
        path.parent.chmod(0o755)


def test_who_may_not_read_is_told():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.ledger")
        fill(path, 3)
        path.chmod(0)
        path.parent.chmod(0o755)
        with somebody_without_rights():
            for opening in (Ledger.open, Ledger.open_or_create, verify_ledger):
                with pytest.raises(LedgerError, match="cannot be read: Permission denied"):
                    opening(path)


def test_a_ledger_opened_for_reading_by_its_url_cannot_be_appended_to(path):
    fill(path, 3)
    with Ledger.open(f"sqlite:///file:{path}?mode=ro&uri=true") as ledger:
        assert len(list(ledger.entries())) == 3
        with pytest.raises(LedgerError, match="readonly"):
            ledger.append("a", 1, run="r", at=0.0)
        assert len(ledger) == 3


@pytest.mark.parametrize(
    "content", [b"x", b"seq,at\n" * 40, b"SQLite format 3\0" + b"\1" * 200], ids=["short", "text", "torn"]
)
def test_a_file_that_is_no_ledger_is_left_alone(path, content):
    path.write_bytes(content)
    for opening in (Ledger.open, Ledger.open_or_create):
        with pytest.raises(LedgerError, match=r"run\.ledger is not a ledger"):
            opening(path)
    with pytest.raises(LedgerError, match="already a file"):
        Ledger.create(path)
    assert not verify_ledger(path).is_intact
    assert path.read_bytes() == content


def test_another_s_database_is_left_alone(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, content TEXT, hash TEXT)")
    connection.close()
    before = path.read_bytes()
    for opening in (Ledger.open, Ledger.open_or_create):
        with pytest.raises(LedgerError, match="not a ledger"):
            opening(path)
    engine = make_engine(read_place(path))
    with pytest.raises(LedgerError, match="is a SQLite database, but not a ledger"):
        Ledger(engine)
    engine.dispose()
    assert path.read_bytes() == before


def test_a_folder_that_is_not_there_and_one_that_is(tmp_path):
    with pytest.raises(LedgerError, match="unable to open"):
        Ledger.create(tmp_path / "no" / "run.ledger")
    with pytest.raises(LedgerError, match=r"there is no ledger at .*: it is a folder, and not the home of a run"):
        Ledger.open(tmp_path)
    with pytest.raises(LedgerError, match="is a folder; a ledger is a file in one, or a URL"):
        Ledger.open_or_create(tmp_path)


def test_an_empty_file_is_a_ledger_that_was_not_begun(path):
    path.touch()
    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger.open(path)
    with Ledger.open_or_create(path) as ledger:
        ledger.append("a", 1, run="r", at=0.0)
    assert verify_ledger(path).is_intact


def test_a_writer_that_died_half_way_is_undone_by_whoever_comes_next(tmp_path, path):
    """The file and its journal are taken just before the commit ends, as a power cut would leave them."""
    fill(path, 50)
    whole = path.read_bytes()
    writing = sqlite3.connect(path, isolation_level=None)
    writing.execute("PRAGMA cache_size = 2")
    writing.execute("BEGIN IMMEDIATE")
    writing.execute("DROP TRIGGER entries_no_update")
    writing.execute("UPDATE entries SET content = content || 'x'")
    cut = [tmp_path / "cut.ledger", tmp_path / "cut.ledger-journal"]
    for left, kept in zip(cut, [path, Path(f"{path}-journal")], strict=True):
        shutil.copy(kept, left)
    writing.close()
    assert cut[0].read_bytes() != whole
    assert cut[1].stat().st_size > 512
    found = verify_ledger(cut[0])
    assert (found.entries, found.is_intact) == (50, True)
    assert cut[0].read_bytes() == whole


def test_creating_again_after_a_crash_in_the_midst_of_creating(path):
    def crash(connection):
        raise KeyboardInterrupt

    engine = make_engine(read_place(path))
    sa.event.listen(engine, "commit", crash)
    with pytest.raises(KeyboardInterrupt):
        Ledger(engine)
    engine.dispose()
    with Ledger.open_or_create(path) as ledger:
        assert len(ledger) == 0
    assert verify_ledger(path).is_intact


@pytest.mark.parametrize(
    "other",
    [
        "CREATE VIEW entries AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS seq, 'x' AS content, 'y' AS hash FROM n",
        "CREATE TABLE entries (seq INTEGER PRIMARY KEY, content AS ('x'), hash TEXT NOT NULL)",
    ],
    ids=["view-without-end", "computed-column"],
)
def test_what_stands_in_the_place_of_the_table_is_not_read(path, other):
    """A stranger's file with such a view kept whoever verified it busy for ever."""
    fill(path, 3)
    with sqlite3.connect(path) as base:
        base.execute("DROP TABLE entries")
        base.execute(other)
    base.close()
    with pytest.raises(LedgerError, match="the table of the entries is not the one that fedpact makes"):
        Ledger.open(path)
    found = verify_ledger(path)
    assert (found.is_intact, found.entries) == (False, 0)
    assert found.why.code == "other-table"
