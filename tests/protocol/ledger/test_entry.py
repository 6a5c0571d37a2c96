"""One entry: what it holds, what is refused, and that every change shows."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.errors import BrokenLedgerError, FederationError, LedgerError
from fedpact.protocol.ledger.entry import (
    NOTHING_BEFORE,
    Entry,
    Row,
    check_chain,
    check_row,
    make_entry,
    well_formed,
)
from ledgers import PLAIN

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)


def make(seq=1, previous=NOTHING_BEFORE, **fields):
    return make_entry(seq=seq, previous=previous, **{"at": 1.5, "run": "r", "kind": "k", "body": {}, **fields})


@given(body=PLAIN, run=NAMES, kind=NAMES, at=st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_written_is_read_and_hashed_as_an_independent_reader_would(body, run, kind, at):
    entry = make(body=body, run=run, kind=kind, at=at)
    assert (entry.body, entry.run, entry.kind, entry.at) == (body, run, kind, at)
    fields = {"at": at, "body": body, "format": 1, "kind": kind, "previous": "0" * 64, "run": run, "seq": 1}
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert entry.hash == hashlib.sha256(text.encode()).hexdigest()
    assert check_row(Row.of(entry), seq=1, previous=NOTHING_BEFORE) == entry
    assert Entry(**entry.to_dict()) == entry


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"at": float("nan")}, "at"),
        ({"at": float("inf")}, "at"),
        ({"at": True}, "at"),
        ({"at": "now"}, "at"),
        ({"run": ""}, "run"),
        ({"run": None}, "run"),
        ({"kind": ""}, "kind"),
        ({"kind": 3}, "kind"),
        ({"body": {"x": float("nan")}}, "'k'"),
        ({"body": {1: "a", 10: "b", 2: "c"}}, "'k'"),
        ({"body": {1, 2}}, "'k'"),
        ({"body": "\ud800"}, "'k'"),
    ],
)
def test_what_cannot_be_written_is_named(fields, named):
    with pytest.raises(LedgerError, match=named):
        make(**fields)


def test_a_whole_number_of_seconds_is_the_same_time():
    assert make(at=2) == make(at=2.0)


@pytest.mark.parametrize("seq", [None, "1", 0, -3, 2])
def test_a_row_in_another_place_is_refused(seq):
    """A damaged table may give anything for a number."""
    with pytest.raises(BrokenLedgerError, match="entry 1 is"):
        check_row(Row.of(make())._replace(seq=seq), seq=1, previous=NOTHING_BEFORE)


@given(data=st.data())
def test_every_change_of_a_row_shows(data):
    row = Row.of(make(body={"text": "é", "n": [1, 2.5]}))
    place = data.draw(st.integers(0, len(row.content) - 1))
    other = data.draw(st.characters(exclude_categories=["Cs"]).filter(lambda c: c != row.content[place]))
    changed = row.content[:place] + other + row.content[place + 1 :]
    with pytest.raises(BrokenLedgerError, match="entry 1 was changed"):
        check_row(row._replace(content=changed), seq=1, previous=NOTHING_BEFORE)


def rehashed(text):
    return Row(1, text, hashlib.sha256(text.encode()).hexdigest())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{}", "just format, seq, at"),
        ("[]", "just format, seq, at"),
        ('{"at":0.0, "x":1}', "canonical"),
        ('{"at":0.0,', "not JSON"),
        (make().content.decode().replace('"at":1.5', '"at":1'), "its at is 1"),
        (make().content.decode().replace('"seq":1', '"seq":true'), "its seq is True"),
        (make().content.decode().replace('"run":"r"', '"run":null'), "its run is None"),
        (make().content.decode().replace('"seq":1', '"seq":2'), "was moved"),
        (make().content.decode().replace('"0', '"1'), "does not follow"),
    ],
)
def test_a_forger_who_hashes_anew_is_found_by_what_is_written(text, why):
    with pytest.raises(BrokenLedgerError, match=why):
        check_row(rehashed(text), seq=1, previous=NOTHING_BEFORE)


@pytest.mark.parametrize("row", [Row(1, b"{}", "x"), Row(1, "{}", b"x"), Row(1, None, "x")])
def test_a_row_of_other_types_is_refused(row):
    with pytest.raises(BrokenLedgerError, match="not texts"):
        check_row(row, seq=1, previous=NOTHING_BEFORE)


def chain(count):
    entries, previous = [], NOTHING_BEFORE
    for seq in range(1, count + 1):
        entries.append(make(seq, previous, body={"i": seq}))
        previous = entries[-1].hash
    return entries


@given(st.permutations(range(5)), st.integers(0, 5))
def test_a_chain_is_read_only_in_its_order_and_from_its_start(order, kept):
    rows = [Row.of(entry) for entry in chain(5)]
    shuffled = [rows[place] for place in order][:kept]
    if shuffled == rows[:kept]:
        assert [entry.seq for entry in check_chain(shuffled)] == list(range(1, kept + 1))
    else:
        with pytest.raises(BrokenLedgerError) as caught:
            list(check_chain(shuffled))
        assert caught.value.seq == next(i for i in range(5) if order[i] != i) + 1


def test_what_goes_wrong_in_reading_is_a_fault_of_what_is_read_in_one_line():
    for error in (
        KeyError("a\nb\n" * 1000),
        TypeError(),
        IndexError(),
        ValueError(),
        AttributeError(),
    ):
        with pytest.raises(LedgerError, match=r"^entry 7 is malformed[^\n]*$"), well_formed("entry 7"):
            raise error


def test_what_is_said_already_is_not_said_again():
    with pytest.raises(FederationError, match=r"^north is not there$"), well_formed("entry 7"):
        raise FederationError("north is not there")
