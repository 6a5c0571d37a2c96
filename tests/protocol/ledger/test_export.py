"""What leaves a ledger as a file: whole or not at all, never over another, and as hard to change."""

import csv
import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.errors import BrokenLedgerError, LedgerError
from fedpact.protocol.canonical import to_canonical
from fedpact.protocol.ledger.entry import NOTHING_BEFORE
from fedpact.protocol.ledger.export import export_ledger, read_export, rebuild_ledger
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from ledgers import fill, tampering


def export(place, file, **options):
    with Ledger.open(place) as ledger:
        return export_ledger(ledger, file, **options)


def test_csv_has_a_row_for_every_entry(place, tmp_path):
    fill(place, 30)
    file = export(place, tmp_path / "run.csv")
    with file.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    with Ledger.open(place) as ledger:
        for row, entry in zip(rows, ledger.entries(), strict=True):
            assert row == {
                "format": "1",
                "seq": str(entry.seq),
                "at": repr(entry.at),
                "run": entry.run,
                "kind": entry.kind,
                "body": to_canonical(entry.body).decode(),
                "previous": entry.previous,
                "hash": entry.hash,
            }


def test_json_can_be_read_by_anyone_checked_and_made_a_ledger_again(place, tmp_path):
    head = fill(place, 30)
    file = export(place, tmp_path / "run.json")
    with Ledger.open(place) as ledger:
        entries = list(ledger.entries())
    assert json.loads(file.read_text(encoding="utf-8")) == [entry.to_dict() for entry in entries]
    assert list(read_export(file)) == entries
    found = verify_ledger(file, head=head)
    assert (found.entries, found.head, found.is_intact, found.store) == (30, head, True, "export")
    with rebuild_ledger(file, tmp_path / "again.ledger") as again:
        assert list(again.entries()) == entries
        again.append("more", {}, run="r", at=0.0)
    assert verify_ledger(tmp_path / "again.ledger").is_intact


def test_an_export_of_nothing(tmp_path):
    Ledger.create(tmp_path / "run.ledger").close()
    file = export(tmp_path / "run.ledger", tmp_path / "run.json")
    assert json.loads(file.read_text()) == []
    found = verify_ledger(file)
    assert (found.entries, found.head, found.is_intact) == (0, NOTHING_BEFORE, True)
    assert not verify_ledger(file, head="ab" * 32).is_intact


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    fill(folder / "run.ledger", 4)
    return export(folder / "run.ledger", folder / "run.json")


def test_every_change_of_one_byte_is_found(exported, tmp_path):
    content, file = exported.read_bytes(), tmp_path / "run.json"
    for place in range(len(content)):
        for mask in (1 << place % 8, 0xFF, content[place] ^ ord(" ") or 1):
            changed = bytearray(content)
            changed[place] ^= mask
            file.write_bytes(changed)
            assert not verify_ledger(file).is_intact, (place, mask)


@settings(max_examples=200)
@given(data=st.data())
def test_any_lines_missing_moved_or_added_are_found(exported, data):
    lines = exported.read_bytes().splitlines(keepends=True)
    chosen = data.draw(st.lists(st.sampled_from(lines), max_size=8) | st.permutations(lines))
    file = exported.with_name("other.json")
    file.write_bytes(b"".join(chosen))
    found = verify_ledger(file)
    assert found.is_intact is (chosen in (lines, [lines[0], lines[-1]]))


def test_a_file_cut_anywhere_is_found(exported, tmp_path):
    content, file = exported.read_bytes(), tmp_path / "run.json"
    for length in range(len(content)):
        file.write_bytes(content[:length])
        assert not verify_ledger(file).is_intact, length


def test_a_broken_export_makes_no_ledger(exported, tmp_path):
    file = tmp_path / "run.json"
    file.write_bytes(exported.read_bytes().replace(b'"i":3', b'"i":4'))
    with pytest.raises(BrokenLedgerError, match="entry 3 was changed"):
        rebuild_ledger(file, tmp_path / "again.ledger")
    with Ledger.open(tmp_path / "again.ledger") as ledger:
        assert len(ledger) == 0


def test_a_file_is_not_written_over_unless_asked(tmp_path):
    fill(tmp_path / "run.ledger", 3)
    file = tmp_path / "run.csv"
    file.write_text("mine")
    with pytest.raises(LedgerError, match=r"there is already a file .*run\.csv"):
        export(tmp_path / "run.ledger", file)
    assert file.read_text() == "mine"
    export(tmp_path / "run.ledger", file, force=True)
    assert len(file.read_text().splitlines()) == 4


def test_a_file_that_appears_meanwhile_is_not_written_over(tmp_path, monkeypatch):
    fill(tmp_path / "run.ledger", 3)
    file = tmp_path / "run.csv"
    monkeypatch.setattr(os, "fsync", lambda _: file.write_text("mine"))
    with pytest.raises(LedgerError, match="there is already a file"):
        export(tmp_path / "run.ledger", file)
    assert file.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.csv", "run.ledger"]


def test_a_broken_ledger_leaves_no_half_a_file(tmp_path):
    fill(tmp_path / "run.ledger", 30)
    with tampering(tmp_path / "run.ledger") as execute:
        execute("UPDATE entries SET hash = 'x' WHERE seq = 20")
    with pytest.raises(BrokenLedgerError, match="entry 20"):
        export(tmp_path / "run.ledger", tmp_path / "run.json")
    assert [path.name for path in tmp_path.iterdir()] == ["run.ledger"]


@pytest.mark.parametrize(
    ("name", "why"), [("run.txt", "must end in .csv or .json"), ("no/run.csv", "No such file or directory")]
)
def test_a_file_that_cannot_be_written_is_named(tmp_path, name, why):
    fill(tmp_path / "run.ledger", 3)
    with pytest.raises(LedgerError, match=why):
        export(tmp_path / "run.ledger", tmp_path / name)


def test_no_run_or_kind_is_a_formula_in_a_spreadsheet(tmp_path):
    with Ledger.create(tmp_path / "run.ledger") as ledger:
        ledger.append("=1+1", {"a": "=1+1"}, run="@x", at=-1.5)
        export_ledger(ledger, tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="") as lines:
        (row,) = csv.DictReader(lines)
    assert (row["kind"], row["run"], row["at"], row["body"]) == ("'=1+1", "'@x", "-1.5", '{"a":"=1+1"}')
