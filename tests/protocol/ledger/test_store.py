"""The ledger itself, the same in a SQLite file and on a PostgreSQL server."""

import collections
import threading

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.pool import StaticPool

from fedpact.errors import BrokenLedgerError, LedgerError, MissingExtraError
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, Row, check_chain
from fedpact.protocol.ledger.place import make_engine, read_place
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from ledgers import PLAIN, fill, tampering


def test_what_is_appended_is_read_after_opening_again(place):
    with Ledger.create(place) as ledger:
        assert (len(ledger), ledger.head, list(ledger.entries()), ledger.last("a")) == (
            0,
            NOTHING_BEFORE,
            [],
            None,
        )
        first = ledger.append("a", {"x": 1}, run="r", at=1)
        more = ledger.append_all([("b", [None]), ("a", "\0 é 😀")], run="s", at=2.5)
        assert ledger.append_all([], run="s", at=3.0) == []
    with Ledger.open(place) as ledger:
        assert list(ledger.entries()) == [first, *more]
        assert list(ledger.entries(2)) == more
        assert list(ledger.entries(4)) == []
        assert (len(ledger), ledger.head) == (3, more[-1].hash)
        assert (ledger.last("a"), ledger.last("b"), ledger.last("c")) == (more[1], more[0], None)
    assert [(entry.seq, entry.at, entry.run) for entry in [first, *more]] == [
        (1, 1.0, "r"),
        (2, 2.5, "s"),
        (3, 2.5, "s"),
    ]
    assert more[0].previous == first.hash


@settings(max_examples=40)
@given(bodies=st.lists(st.lists(PLAIN, max_size=4), max_size=4))
def test_grouping_into_transactions_makes_no_difference_to_the_chain(bodies):
    heads = []
    for groups in (bodies, [[body] for group in bodies for body in group]):
        engine = sa.create_engine("sqlite://", poolclass=StaticPool)
        ledger = Ledger(engine)
        for group in groups:
            ledger.append_all([("k", body) for body in group], run="r", at=0.0)
        assert [entry.body for entry in ledger.entries()] == [body for group in bodies for body in group]
        heads.append(ledger.head)
        engine.dispose()
    assert heads[0] == heads[1]


@pytest.mark.slow
def test_long_ledgers_and_large_entries_are_read_in_chunks(place):
    with Ledger.create(place) as ledger:
        ledger.append_all([("early", {})], run="r", at=0.0)
        ledger.append_all([("k", {"i": i}) for i in range(9000)], run="r", at=0.0)
        ledger.append_all([("report", "é" * 600_000) for _ in range(8)], run="r", at=0.0)
        assert [entry.seq for entry in ledger.entries()] == list(range(1, 9010))
        assert [entry.seq for entry in ledger.entries(8999)] == list(range(8999, 9010))
        assert ledger.last("early").seq == 1
        assert ledger.last("k").seq == 9001
        assert len(ledger.last("report").body) == 600_000


def test_two_ledgers_in_one_place(place):
    with Ledger.create(place) as one, Ledger.open(place) as other:
        kept = one.append("a", 1, run="r", at=0.0)
        for _ in range(2):
            with pytest.raises(LedgerError, match=r"appended to by somebody else.*open it again"):
                other.append("b", 2, run="r", at=0.0)
        assert (len(other), other.head, list(other.entries())) == (0, NOTHING_BEFORE, [])
        with Ledger.open_or_create(place) as again:
            assert list(again.entries()) == [kept]
            again.append("c", 3, run="r", at=0.0)
        assert [entry.kind for entry in one.entries()] == ["a"]


def test_many_writers_at_once_lose_nothing_that_was_acknowledged(place):
    Ledger.create(place).close()
    kept, refused, start = [], [], threading.Barrier(4)

    def write(name):
        start.wait()
        for number in range(20):
            with Ledger.open(place) as ledger:
                try:
                    kept.append(ledger.append(name, number, run="r", at=0.0))
                except LedgerError:
                    refused.append(number)

    threads = [threading.Thread(target=write, args=(f"writer {i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Ledger.open(place) as ledger:
        assert list(ledger.entries()) == sorted(kept, key=lambda entry: entry.seq)
    assert len(kept) + len(refused) == 80
    assert kept
    assert verify_ledger(place).is_intact


def test_the_database_refuses_to_change_what_is_there(place):
    fill(place, 3)
    engine = make_engine(read_place(place))
    statements = ["UPDATE entries SET hash = 'x' WHERE seq = 2", "DELETE FROM entries WHERE seq = 3"]
    if engine.dialect.name == "sqlite":
        statements += [
            "INSERT OR REPLACE INTO entries VALUES (2, 'x', 'x')",
            "INSERT INTO entries VALUES (9, 'x', 'x')",
        ]
    else:
        statements += ["TRUNCATE entries"]
    for statement in statements:
        with pytest.raises(sa.exc.DBAPIError, match="only ever appended to"), engine.begin() as connection:
            connection.execute(sa.text(statement))
    engine.dispose()
    assert verify_ledger(place).is_intact


class CrashError(Exception):
    """A crash of the simulator's."""


def test_a_crash_before_the_commit_leaves_nothing_behind(place):
    engine = make_engine(read_place(place))
    ledger = Ledger(engine)
    kept = ledger.append("a", 1, run="r", at=0.0)

    def crash(connection):
        raise CrashError

    sa.event.listen(engine, "commit", crash)
    with pytest.raises(CrashError):
        ledger.append_all([("b", 2), ("c", 3)], run="r", at=0.0)
    sa.event.remove(engine, "commit", crash)
    assert (len(ledger), ledger.head, list(ledger.entries())) == (1, kept.hash, [kept])
    assert list(Ledger(engine).entries()) == [kept]
    after = ledger.append("d", 4, run="r", at=0.0)
    assert list(Ledger(engine).entries()) == [kept, after]
    ledger.close()
    engine.dispose()
    assert verify_ledger(place).is_intact


def test_a_commit_that_nobody_heard_of_is_not_made_twice(place):
    """The connection breaks after the commit: the caller sees a failure, and may not append on top of it."""
    engine = make_engine(read_place(place))
    ledger = Ledger(engine)
    commit = engine.dialect.do_commit

    def break_after(connection):
        commit(connection)
        raise engine.dialect.loaded_dbapi.OperationalError("the connection was lost")

    engine.dialect.do_commit = break_after
    with pytest.raises(LedgerError, match="cannot be written to: the connection was lost"):
        ledger.append("a", 1, run="r", at=0.0)
    engine.dialect.do_commit = commit
    assert len(ledger) == 0
    with pytest.raises(LedgerError, match="open it again"):
        ledger.append("a", 1, run="r", at=0.0)
    assert [entry.kind for entry in Ledger(engine).entries()] == ["a"]
    engine.dispose()


def test_an_engine_in_memory_outlives_its_ledgers():
    engine = sa.create_engine("sqlite://", poolclass=StaticPool)
    with Ledger(engine) as ledger:
        kept = ledger.append("a", 1, run="r", at=0.0)
    with Ledger(engine) as ledger:
        assert list(ledger.entries()) == [kept]
    engine.dispose()


@pytest.mark.parametrize(
    ("statement", "seq"),
    [
        ("UPDATE entries SET content = replace(content, '\"r\"', '\"s\"') WHERE seq = 9", 9),
        ("DELETE FROM entries WHERE seq = 8", 9),
        ("UPDATE entries SET hash = (SELECT hash FROM entries WHERE seq = 7) WHERE seq = 8", 9),
    ],
)
def test_a_ledger_whose_newest_entry_was_tampered_with_is_not_opened(place, statement, seq):
    fill(place, 9)
    with tampering(place) as execute:
        execute(statement)
    for opening in (Ledger.open, Ledger.open_or_create):
        with pytest.raises(BrokenLedgerError) as caught:
            opening(place)
        assert caught.value.seq == seq


def test_reading_stops_at_a_change_further_back(place):
    with Ledger.create(place) as ledger:
        ledger.append_all([("report", {"i": i}) for i in range(200)], run="r", at=0.0)
    with tampering(place) as execute:
        execute("UPDATE entries SET content = replace(content, '\"r\"', '\"s\"') WHERE seq = 70")
    with Ledger.open(place) as ledger:
        read = []
        with pytest.raises(BrokenLedgerError, match="entry 70 was changed"):
            collections.deque(map(read.append, (entry.seq for entry in ledger.entries())))
        assert read == list(range(1, 70))
        assert ledger.last("report").seq == 200
        with pytest.raises(BrokenLedgerError, match="entry 70 was changed"):
            ledger.last("no such kind")


def test_entries_removed_behind_an_open_ledger_are_missed(place):
    fill(place, 9)
    with Ledger.open(place) as ledger:
        with tampering(place) as execute:
            execute("DELETE FROM entries WHERE seq > 6")
        with pytest.raises(BrokenLedgerError, match="entry 7 is missing"):
            list(ledger.entries())
        with pytest.raises(BrokenLedgerError, match="entry 9 is missing"):
            ledger.last("plan")
        with pytest.raises(LedgerError, match="knows 9 entries, and there are 6"):
            ledger.append("a", 1, run="r", at=0.0)


def test_entries_replaced_behind_an_open_ledger_are_noticed(place, tmp_path):
    """A forger who may do everything writes a sound chain of his own in the place of the newest entries."""
    fill(place, 9)
    with Ledger.open(place) as ledger:
        kept = [Row.of(entry) for entry in ledger.entries()][:7]
        with Ledger.create(tmp_path / "forged.ledger") as forged:
            forged.restore(check_chain(kept))
            forged.append_all([("plan", "other"), ("report", "other")], run="r", at=0.0)
            other = [Row.of(entry) for entry in forged.entries(8)]
        with tampering(place) as execute:
            for row in other:
                execute("UPDATE entries SET content = :content, hash = :hash WHERE seq = :seq", **row._asdict())
        with pytest.raises(BrokenLedgerError, match="entry 9 was replaced"):
            list(ledger.entries())
        with pytest.raises(BrokenLedgerError, match="entry 9 was replaced"):
            ledger.last("plan")
        with pytest.raises(LedgerError, match="open it again"):
            ledger.append("a", 1, run="r", at=0.0)
        head = ledger.head
    found = verify_ledger(place, head=head)
    assert (found.is_intact, found.broken_at) == (False, 10)


def test_opening_what_is_not_there_and_creating_what_is(place):
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger.open(place)
    Ledger.open_or_create(place).close()
    with pytest.raises(LedgerError, match="there is already"):
        Ledger.create(place)


def test_a_start_before_the_first_entry_is_refused(place):
    with Ledger.create(place) as ledger, pytest.raises(LedgerError, match="start must be at least 1; it is 0"):
        next(ledger.entries(0))


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("", "it is empty"),
        ("mysql://root:secret@host/x", "SQLite or PostgreSQL, not in 'mysql'"),
        ("://", "must look like postgresql"),
        pytest.param(
            "postgresql://me:secret@127.0.0.1:1/x",
            "postgresql.psycopg://me:.*@127.0.0.1:1/x cannot be read",
            marks=pytest.mark.postgresql,
        ),
    ],
)
def test_a_place_that_cannot_be_used_is_said_in_one_line_without_its_password(where, why):
    with pytest.raises(LedgerError, match=why) as caught:
        Ledger.open(where)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_driver_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"fedpact\[postgresql\]"):
        Ledger.open("postgresql://host/x")
