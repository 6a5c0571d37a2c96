"""The commands about ledgers."""

import json
import shutil
import sqlite3
import sys

import pytest

import fedpact as fp
from fedpact.explain.ledger import say_entry


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "run.ledger"
    with fp.protocol.Ledger.create(path) as ledger:
        ledger.append("pact", {"delta": 0.05, "agents": ["alice", "bob"]}, run="spring", at=1_700_000_000.0)
        for site in ("alice", "bob"):
            ledger.append("report", {"site": site, "data": "QUJD" * 200}, run="spring", at=1_700_000_001.5)
        ledger.append("pact", {"[bold]": "x\x1b[31m\n"}, run="autumn", at=1e300)
    return path


def test_show_prints_one_line_for_each_entry(fedpact, ledger):
    code, out, err = fedpact("ledger", "show", str(ledger))
    assert (code, err) == (0, "")
    header, *lines, count = out.splitlines()
    assert header.split() == ["seq", "time", "(UTC)", "run", "kind", "what", "hash"]
    assert count == "4 of 4 entries"
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "4"]
    assert "2023-11-14 22:13:20" in lines[0]
    assert "{'agents': ['alice', 'bob'], 'delta': 0.05}" in lines[0]
    assert "{'data': 'QUJDQUJDQUJDQUJDQUJ" in lines[1]
    assert "1e+300" in lines[3]
    assert r"{'[bold]': 'x\x1b[31m\n'}" in lines[3]
    assert "\x1b" not in out


def test_show_says_what_happened(fedpact, tmp_path):
    with fp.protocol.Ledger.create(tmp_path / "run.ledger") as ledger:
        outcome = fp.protocol.run(fp.examples.alice_bob(), ledger=ledger, teacher="xA", method="tree")
        said = [say_entry(entry) for entry in ledger.entries()]
    code, out, _ = fedpact("ledger", "show", str(tmp_path / "run.ledger"))
    assert code == 0
    assert f"alice is paid {outcome.payments['alice']:g} for 3 samples" in out
    for line, full in zip(out.splitlines()[1:-1], said, strict=True):
        assert full[:40] in line


def test_show_keeps_to_one_line_whatever_an_entry_holds(fedpact, tmp_path):
    with fp.protocol.Ledger.create(tmp_path / "run.ledger") as ledger:
        ledger.append_all(
            [("k" * 99, {f"key {i}": "é漢" * 99 for i in range(99)}), ("k", [])], run="r" * 99, at=0.0
        )
    _, out, _ = fedpact("ledger", "show", str(tmp_path / "run.ledger"))
    assert len(out.splitlines()) == 4


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--last", "2"], [3, 4]),
        (["--last", "9"], [1, 2, 3, 4]),
        (["--run", "spring"], [1, 2, 3]),
        (["--kind", "pact"], [1, 4]),
        (["--kind", "pact", "--run", "spring"], [1]),
        (["--run", "spring", "--last", "1"], [3]),
        (["--run", "winter"], []),
    ],
)
def test_show_chooses(fedpact, ledger, words, shown):
    code, out, _ = fedpact("ledger", "show", str(ledger), *words, "--json")
    assert code == 0
    with fp.protocol.Ledger.open(ledger) as opened:
        assert json.loads(out) == [entry.to_dict() for entry in opened.entries() if entry.seq in shown]
    code, out, _ = fedpact("ledger", "show", str(ledger), *words)
    assert out.splitlines()[-1] == f"{len(shown)} of 4 entries"


def test_verify_says_in_one_line_that_a_ledger_is_intact(fedpact, ledger):
    with fp.protocol.Ledger.open(ledger) as opened:
        head = opened.head
    code, out, err = fedpact("ledger", "verify", str(ledger), "--head", head)
    assert (code, err) == (0, "")
    first, second = out.splitlines()
    assert first.startswith(f"Ledger {ledger}: Intact: 4 entries, head {head}; every entry is as it was written")
    assert second == "Books: There is no run in this ledger."
    code, out, _ = fedpact("ledger", "verify", str(ledger), "--json")
    said = json.loads(out)
    assert said.pop("books") == fp.protocol.check_books(ledger).to_dict()
    assert fp.protocol.LedgerCheck.from_dict(said) == fp.protocol.verify_ledger(ledger)


def test_verify_says_in_one_line_what_is_broken_and_where(fedpact, ledger):
    with sqlite3.connect(ledger) as connection:
        connection.execute("DROP TRIGGER entries_no_update")
        connection.execute("UPDATE entries SET content = replace(content, 'alice', 'alicf') WHERE seq = 2")
    connection.close()
    line = f"error: {ledger} is broken: entry 2 was changed: its hash is not that of its content\n"
    assert fedpact("ledger", "verify", str(ledger)) == (1, "", line)
    code, out, err = fedpact("ledger", "verify", str(ledger), "--json")
    assert (code, err, json.loads(out)["broken_at"]) == (1, line, 2)
    assert fedpact("ledger", "show", str(ledger))[0] == 1


def test_verify_misses_a_head_that_was_noted(fedpact, ledger):
    code, _, err = fedpact("ledger", "verify", str(ledger), "--head", "ab" * 32)
    assert code == 1
    assert f"no entry has the noted hash {'ab' * 32}" in err


@pytest.mark.parametrize("command", [["show"], ["verify"], ["export", "-o", "x.json"]], ids=lambda words: words[0])
def test_a_ledger_that_is_not_there(fedpact, tmp_path, command):
    code, out, err = fedpact("ledger", command[0], str(tmp_path / "no.ledger"), *command[1:])
    assert (code, out, err) == (1, "", f"error: there is no ledger at {tmp_path / 'no.ledger'}\n")


def test_export_writes_what_can_be_verified_and_nothing_over_it(fedpact, ledger, tmp_path):
    file = str(tmp_path / "run.json")
    assert fedpact("ledger", "export", str(ledger), "-o", file) == (0, f"wrote 4 entries to {file}\n", "")
    assert fedpact("ledger", "verify", file)[0] == 0
    code, _, err = fedpact("ledger", "export", str(ledger), "-o", file)
    assert code == 1
    assert "already a file" in err
    code, out, _ = fedpact("ledger", "export", str(ledger), "-o", file, "--force", "--json")
    assert (code, json.loads(out)) == (0, {"file": file, "entries": 4})
    assert fedpact("ledger", "export", str(ledger), "-o", str(tmp_path / "run.csv"))[0] == 0


SAID = "no answer; " * 12 + "wrong on 2 of 22 samples"
LONG = {"site": "north", "step": "contribute", "code": "refused", "values": {"detail": SAID}}


def test_what_goes_to_a_file_is_never_cut(fedpact, tmp_path):
    with fp.protocol.Ledger.create(tmp_path / "run.ledger") as ledger:
        entry = ledger.append("gone", LONG, run="f" * 32, at=0.0)
    _, out, _ = fedpact("ledger", "show", str(tmp_path / "run.ledger"))
    header, line, _ = out.splitlines()
    assert f"{'f' * 32}  gone  {say_entry(entry)}  {entry.hash[:12]}" in line
    assert line.endswith(f"wrong on 2 of 22 samples  {entry.hash[:12]}")
    assert header.rstrip().endswith("hash")


def test_a_terminal_wraps_and_does_not_cut(fedpact, tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with fp.protocol.Ledger.create(tmp_path / "run.ledger") as ledger:
        entry = ledger.append("gone", LONG, run="f" * 32, at=0.0)
    _, out, _ = fedpact("ledger", "show", str(tmp_path / "run.ledger"))
    header, *lines, _ = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert entry.hash[:12] in lines[0]
    start, stop = header.index("what"), header.index("hash")
    assert " ".join(line[start:stop].strip() for line in lines) == say_entry(entry)


def test_the_digits_that_show_prints_are_a_head_to_ask_for(fedpact, ledger):
    with fp.protocol.Ledger.open(ledger) as opened:
        hashes = [entry.hash for entry in opened.entries()]
    _, out, _ = fedpact("ledger", "show", str(ledger))
    shown = [line.split()[-1] for line in out.splitlines()[1:-1]]
    assert shown == [found[:12] for found in hashes]
    for noted in (*shown, hashes[1][:40], hashes[2].upper()):
        assert fedpact("ledger", "verify", str(ledger), "--head", noted)[0] == 0
    gone = "0" * 11 + "1"
    code, _, err = fedpact("ledger", "verify", str(ledger), "--head", gone)
    assert (code, err.count(f"no entry has the noted hash {gone}\n")) == (1, 1)


@pytest.mark.parametrize("head", ["", "0f574fbb911", "xyz" * 10, "0" * 65, "0f574fbb9117\n0"])
def test_what_cannot_be_a_head_is_no_alarm(fedpact, ledger, head):
    code, out, err = fedpact("ledger", "verify", str(ledger), "--head", head)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("error: --head must be 12 to 64 hexadecimal digits; it is ")
    assert "broken" not in err


@pytest.fixture
def home(tmp_path):
    fed = fp.examples.alice_bob()
    sites = fp.protocol.simulate_sites(fed, teacher="xA")
    place = fp.protocol.prepare_home(
        tmp_path / "home", fp.protocol.make_pact(fed, method="tree"), sites, ledger=str(tmp_path / "apart.db")
    )
    fp.protocol.run_home(place)
    return place


COMMANDS = {
    "show": [],
    "verify": ["--keys", "home/keys"],
    "statement": [],
    "export": ["--force", "-o", "out.json"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_home_of_a_run_stands_for_its_ledger(fedpact, home, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    by_home = fedpact("ledger", command, "home", *COMMANDS[command])
    assert by_home[0] == 0
    assert by_home == fedpact("ledger", command, str(tmp_path / "apart.db"), *COMMANDS[command])


def test_of_a_copied_home_the_copy_is_checked(fedpact, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert fedpact("run", "alice-bob", "--home", "home")[0] == 0
    shutil.copytree("home", "copy")
    code, out, _ = fedpact("ledger", "verify", "copy")
    assert code == 0
    assert out.startswith("Ledger copy/ledger.db: Intact: ")
    assert json.loads(fedpact("ledger", "verify", "copy", "--json")[1])["where"] == "copy/ledger.db"
    data = bytearray((tmp_path / "copy/ledger.db").read_bytes())
    data[data.rindex(b'"alice"') + 1] ^= 1
    (tmp_path / "copy/ledger.db").write_bytes(data)
    code, out, err = fedpact("ledger", "verify", "copy")
    assert (code, out) == (1, "")
    assert err.startswith("error: copy/ledger.db is broken: ")
    assert fedpact("ledger", "verify", "home")[0] == 0
    (tmp_path / "home").rename("away")
    assert fedpact("ledger", "verify", "away")[0] == fedpact("ledger", "show", "away")[0] == 0
    assert fedpact("ledger", "verify", "copy")[2] == err


@pytest.mark.parametrize("command", COMMANDS)
def test_another_folder_is_one_line_that_says_what_is_wanted(fedpact, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    code, out, err = fedpact("ledger", command, "other", *COMMANDS[command])
    assert (code, out) == (1, "")
    assert err == (
        "error: there is no ledger at other: it is a folder, and not the home of a run "
        "(no operator/run.json in it)\n"
    )
    (tmp_path / "other" / "operator").mkdir()
    for text, why in {
        "{": "cannot be read",
        "[]": "cannot be read: not a table",
        '{"format": 1}': "does not say where",
        '{"format": 2}': "has home format 2; this fedpact reads format 1: install a newer fedpact",
        '{"format": 1, "ledger": "gone.db"}': "no ledger",
    }.items():
        (tmp_path / "other/operator/run.json").write_text(text)
        code, out, err = fedpact("ledger", command, "other", *COMMANDS[command])
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert why in err
