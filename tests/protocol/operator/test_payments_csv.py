"""What an accountant gets of the books."""

import csv
import io
import json

import pytest

from fedpact.describe.examples import alice_bob
from fedpact.describe.federation import Federation
from fedpact.errors import LedgerError
from fedpact.protocol.operator.statements import export_payments, statements_of
from fedpact.protocol.runs import memory_ledger, run

HEAD = ["date", "run", "site", "samples", "cost", "fee", "withheld", "amount", "receipt"]
FORMULA = '=HYPERLINK("http://x","y")'


def read(path):
    return list(csv.DictReader(io.StringIO(path.read_text(), newline="")))


def test_every_payment_of_every_run_is_a_line(tmp_path):
    ledger = memory_ledger()
    runs = [run(alice_bob(), teacher="xA", method="tree", fee=fee, ledger=ledger).run for fee in (0, 9)]
    assert export_payments(ledger, tmp_path / "payments.csv") == 4
    rows = read(tmp_path / "payments.csv")
    assert list(rows[0]) == HEAD
    found = [statement for name in runs for statement in statements_of(ledger, name)]
    for row, one in zip(rows, found, strict=True):
        body = one.statement
        assert (row["date"], row["run"], row["site"]) == (body["issued"], one.run, one.site)
        assert row["date"].endswith("Z")
        assert int(row["samples"]) == body["contributed"]
        assert float(row["cost"]) == body["labelling"]
        assert float(row["amount"]) == float(row["cost"]) - float(row["fee"]) - float(row["withheld"])
        assert row["receipt"] == one.receipt["at"]
    assert [row["amount"] for row in rows] == ["3.00", "2.00", "-6.00", "-7.00"]


def test_a_site_s_name_is_no_formula_in_a_spreadsheet(tmp_path):
    fed = Federation.from_table(
        [[0, 0], [0, 1], [1, 1]], [[0.5, 0.5]] * 2, epsilon=0.1, delta=0.05, names=[FORMULA, "b"]
    )
    ledger = memory_ledger()
    run(fed, teacher="h1", method="tree", ledger=ledger)
    export_payments(ledger, tmp_path / "payments.csv")
    assert [row["site"] for row in read(tmp_path / "payments.csv")] == [f"'{FORMULA}", "b"]


def test_a_run_without_payments_and_other_entries_are_no_lines(tmp_path):
    ledger, whole = memory_ledger(), memory_ledger()
    run(alice_bob(), teacher="xA", method="tree", ledger=whole)
    ledger.append("note", {"x": 1}, run="other", at=0.0)
    for entry, _ in zip(whole.entries(), range(5), strict=False):
        ledger.append(entry.kind, json.loads(json.dumps(entry.body)), run=entry.run, at=entry.at)
    assert export_payments(ledger, tmp_path / "payments.csv") == 0
    assert (tmp_path / "payments.csv").read_text() == ",".join(HEAD) + "\n"


def test_files_are_kept_and_end_in_csv(tmp_path):
    ledger = memory_ledger()
    with pytest.raises(LedgerError, match=r"payments are written as \.csv"):
        export_payments(ledger, tmp_path / "payments.json")
    (tmp_path / "payments.csv").write_text("mine")
    with pytest.raises(LedgerError, match="there is already a file"):
        export_payments(ledger, tmp_path / "payments.csv")
    assert (tmp_path / "payments.csv").read_text() == "mine"
    assert export_payments(ledger, tmp_path / "payments.csv", force=True) == 0
