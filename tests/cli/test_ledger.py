"""The commands about ledgers."""

import json
import sqlite3

import pytest

import fedpact as fp


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
        said = [fp.protocol.say_entry(entry) for entry in ledger.entries()]
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
    assert out == f"intact: 4 entries, head {head}; {fp.protocol.LedgerStatus.INTACT.value}\n"
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
    assert fedpact("ledger", "export", str(ledger), "-o", file, "--force")[0] == 0
    assert fedpact("ledger", "export", str(ledger), "-o", str(tmp_path / "run.csv"))[0] == 0
