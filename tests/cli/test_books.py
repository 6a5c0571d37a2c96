"""``fedpact ledger statement`` and what ``fedpact ledger verify`` says of the books."""

import json

import pytest

import fedpact as fp
from fedpact.protocol.runs import run


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "run.ledger"
    with fp.protocol.Ledger.create(path) as books:
        run(fp.examples.alice_bob(), teacher="xA", method="tree", fee=0.5, ledger=books)
    return path


def copy_with(ledger, change):
    """Write the same books with another entry in them: the chain is intact."""
    copy = ledger.with_name("copy.ledger")
    with fp.protocol.Ledger.open(ledger) as old, fp.protocol.Ledger.create(copy) as new:
        for entry in old.entries():
            new.append(entry.kind, change(entry.kind, entry.body), run=entry.run, at=entry.at)
    return copy


def test_verify_says_that_the_books_add_up(fedpact, ledger):
    code, out, err = fedpact("ledger", "verify", str(ledger))
    assert (code, err) == (0, "")
    chain, verdict, counts, whose = out.splitlines()
    assert chain.startswith(f"Ledger {ledger}: Intact: ")
    assert verdict.startswith("Books: Every answer was asked for and is signed")
    assert counts == "1 run, 1 finished; 10 good signatures; 2 of 2 payments recomputed."
    assert whose.startswith("Signatures were held against the keys that the books name themselves")
    code, out, _ = fedpact("ledger", "verify", str(ledger), "--json")
    assert fp.protocol.BooksCheck.from_dict(json.loads(out)["books"]) == fp.protocol.check_books(ledger)


def test_verify_refuses_books_that_do_not_add_up(fedpact, ledger):
    def pay_more(kind, body):
        if kind == "pay" and body["site"] == "bob":
            return {**body, "statement": {**body["statement"], "amount": 99.0}}
        return body

    copy = copy_with(ledger, pay_more)
    code, out, err = fedpact("ledger", "verify", str(copy))
    assert code == 1
    assert out.startswith(f"Ledger {copy}: Intact: ")
    assert "Books: The books do not add up" in out
    assert err.startswith(f"error: {copy} does not add up: entry 18: 'pay bob' says statement.amount = 99.0")
    assert "more problems)" in err
    assert err.count("\n") == 1
    code, out, err = fedpact("ledger", "verify", str(copy), "--json")
    assert code == 1
    assert json.loads(out)["books"]["is_sound"] is False
    assert "does not add up" in err


def test_statement_prints_a_table_and_writes_two_files_for_each_site(fedpact, ledger, tmp_path):
    folder = tmp_path / "out"
    code, out, err = fedpact("ledger", "statement", str(ledger), "-o", str(folder))
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert rows[1] == ["site", "labelled", "cost", "fee", "withheld", "amount", "receipt"]
    assert rows[2][:6] == ["alice", "3", "3.00", "0.50", "0.00", "2.50"]
    assert rows[3][:6] == ["bob", "2", "2.00", "0.50", "0.00", "1.50"]
    assert "alice, bob: signed for by the site" in out
    assert out.endswith(f"wrote 4 files to {folder}\n")
    assert sorted(file.name for file in folder.iterdir()) == [
        "alice.html",
        "alice.json",
        "bob.html",
        "bob.json",
    ]
    code, out, _ = fedpact("ledger", "statement", str(ledger), "--site", "bob", "--json")
    assert json.loads(out) == [json.loads((folder / "bob.json").read_text())]


def test_bad_requests_are_one_line(fedpact, ledger, tmp_path):
    code, out, err = fedpact("ledger", "statement", str(ledger), "--site", "carol")
    assert (code, out) == (1, "")
    assert err == "error: site must be one that has a statement, 'alice', 'bob'; it is 'carol'\n"
    assert fedpact("ledger", "statement", str(ledger), "--run", "x")[0] == 1
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "alice.json").write_text("mine")
    code, _, err = fedpact("ledger", "statement", str(ledger), "-o", str(tmp_path / "out"))
    assert code == 1
    assert "alice.json: is there already, with something else in it" in err
    with fp.protocol.Ledger.open(ledger) as old, fp.protocol.Ledger.create(tmp_path / "short") as new:
        new.restore(entry for entry, _ in zip(old.entries(), range(5), strict=False))
    code, _, err = fedpact("ledger", "statement", str(tmp_path / "short"))
    assert (code, err.count("\n")) == (1, 1)
    assert "has no statement yet" in err


def test_a_stranger_s_ledger_does_not_command_the_terminal(fedpact, ledger):
    def rename(kind, body):
        return (
            json.loads(json.dumps(body).replace("alice", chr(92) + "u001b[2J"))
            if kind in ("open", "pay")
            else body
        )

    code, out, _ = fedpact("ledger", "statement", str(copy_with(ledger, rename)))
    assert code == 0
    assert chr(27) not in out


def test_the_beginning_of_a_run_s_name_will_do(fedpact, ledger):
    name = fp.protocol.statements_of(ledger)[0].run
    assert fp.protocol.statements_of(ledger, name[:8]) == fp.protocol.statements_of(ledger)
    code, out, _ = fedpact("ledger", "show", str(ledger), "--run", name[:8], "--json")
    assert code == 0
    assert {entry["run"] for entry in json.loads(out)} == {name}


def test_payments_are_exported_for_an_accountant(fedpact, ledger, tmp_path):
    file = tmp_path / "payments.csv"
    words = ("ledger", "export", str(ledger), "--payments", "-o", str(file))
    assert fedpact(*words) == (0, f"wrote 2 payments to {file}\n", "")
    head, *lines = file.read_text().splitlines()
    assert head == "date,run,site,samples,cost,fee,withheld,amount,receipt"
    assert [line.split(",")[2:8] for line in lines] == [
        ["alice", "3", "3.00", "0.50", "0.00", "2.50"],
        ["bob", "2", "2.00", "0.50", "0.00", "1.50"],
    ]
    code, out, err = fedpact(*words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    code, out, _ = fedpact(*words, "--force", "--json")
    assert (code, json.loads(out)) == (0, {"file": str(file), "payments": 2})
