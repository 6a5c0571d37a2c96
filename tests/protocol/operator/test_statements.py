import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrier import OPERATOR
from fedpact.describe.examples import alice_bob
from fedpact.describe.federation import Federation
from fedpact.errors import LedgerError
from fedpact.explain.phrases import say_reason
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.ledger.export import export_ledger
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.operator import start_run
from fedpact.protocol.operator.statements import (
    Statement,
    StatementStatus,
    export_payments,
    statements_of,
    write_statements,
)
from fedpact.protocol.pact import make_pact
from fedpact.protocol.runs import carry_out, memory_ledger, run
from fedpact.protocol.site.simulated_sites import simulate_sites

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NASTY = '<script>alert("x")</script> & sons'


class Texts(HTMLParser):
    """The texts and tags of a page, as a browser reads them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def nasty_federation():
    return Federation.from_table(
        [[0, 0], [0, 1], [1, 0], [1, 1]],
        [[0.8, 0.2], [0.2, 0.8]],
        epsilon=0.1,
        delta=0.05,
        names=[NASTY, "bob"],
        cost=[{"quadratic": [1, 0.5]}, 2],
    )


@pytest.fixture(scope="module")
def books():
    ledger = memory_ledger()
    seen = run(nasty_federation(), teacher="h2", method="tree", fee={NASTY: 0.5, "bob": 9}, ledger=ledger)
    assert list(seen.payments) == [NASTY, "bob"]
    return ledger


def test_a_statement_says_what_an_auditor_and_a_site_expect(books):
    first, second = statements_of(books)
    body = first.statement
    assert (first.site, second.site) == (NASTY, "bob")
    opened = next(books.entries())
    assert body["pact_digest"] == digest_of_value(opened.body["pact"])
    assert body["operator"] == opened.body["pact"]["operator"]
    assert body["site_key"] == opened.body["pact"]["keys"][NASTY]
    assert check_signature(body["operator"], dict(body))
    m = body["contributed"]
    assert m > 0
    assert body["quota"] == sum(one["quota"] for one in body["requests"]) == m
    assert sum(one["delivered"] for one in body["requests"]) == m
    assert body["labelling"] == m + 0.5 * m * m
    assert body["amount"] == body["labelling"] - 0.5
    assert (body["withheld"], body["why"], body["verified"]) == (0.0, None, True)
    assert body["check"]["false_alarm_rate"] == opened.body["pact"]["false_alarm_rate"]
    times = [body["opened"], body["requests"][0]["asked"], body["settled"], body["issued"]]
    assert times == sorted(times)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", time) for time in times)
    assert second.amount < 0


def test_the_site_has_signed_for_just_this_statement(books):
    for found in statements_of(books):
        assert found.status is StatementStatus.RECEIVED
        assert found.digest == digest_of_value(dict(found.statement))


def test_statements_are_those_of_the_last_run_unless_another_is_named(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    runs = [run(alice_bob(), teacher="xA", method="tree", ledger=ledger).run for _ in range(2)]
    assert {found.run for found in statements_of(ledger)} == {runs[1]}
    assert {found.run for found in statements_of(ledger, run=runs[0])} == {runs[0]}
    with pytest.raises(LedgerError, match="run 'other' is not in this ledger"):
        statements_of(ledger, run="other")
    export = export_ledger(ledger, tmp_path / "a.json")
    assert statements_of(export) == statements_of(str(tmp_path / "a.ledger")) == statements_of(ledger)
    ledger.close()


def test_where_there_is_nothing_it_says_so(tmp_path):
    with pytest.raises(LedgerError, match="there is no ledger at"):
        statements_of(tmp_path / "nowhere")
    (tmp_path / "other").write_text("text")
    with pytest.raises(LedgerError, match="is not a ledger"):
        statements_of(tmp_path / "other")
    with pytest.raises(LedgerError, match="the ledger has no run"):
        statements_of(memory_ledger())


def test_sites_without_keys_have_only_acknowledged_their_statements():
    ledger, fed = memory_ledger(), alice_bob()
    run(fed, simulate_sites(fed, teacher="xA"), key=OPERATOR, ledger=ledger, method="tree")
    for found in statements_of(ledger):
        assert found.status is StatementStatus.ACKNOWLEDGED
        assert "acknowledged by the site, which has no key" in found.to_html()

    def forge(kind, body):
        if kind == "answer" and body["request"].startswith("pay/"):
            body["signature"] = "0" * 128
        return kind, body

    for found in statements_of(copy_with(ledger, forge)):
        assert (found.status, found.receipt["signature"]) == (StatementStatus.ACKNOWLEDGED, None)


def test_without_keys_a_statement_is_unsigned():
    ledger, fed = memory_ledger(), alice_bob()
    pact = make_pact(fed, method="tree")
    carry_out(start_run(ledger, pact, now=1e9), simulate_sites(fed, teacher="xA"))
    listed = statements_of(ledger)
    assert len(listed) == 2
    for found in listed:
        assert found.status is StatementStatus.UNSIGNED
        assert "signature" not in found.statement
        assert "only the ledger stands for this statement" in found.to_html()


def copy_with(ledger, change):
    """The same books, written by somebody who changes entries: an intact chain of other entries."""
    copy = memory_ledger()
    for entry in ledger.entries():
        kind, body = change(entry.kind, json.loads(json.dumps(entry.body)))
        copy.append(kind, body, run=entry.run, at=entry.at)
    return copy


def test_a_statement_that_the_operator_did_not_sign_is_called_so(books):
    def raise_amount(kind, body):
        if kind == "pay":
            body["statement"]["amount"] += 1
        return kind, body

    for found in statements_of(copy_with(books, raise_amount)):
        assert found.status is StatementStatus.FORGED
        assert found.receipt is None
        assert "Not valid: " in found.to_html()


def test_a_receipt_that_the_site_did_not_sign_is_none(books):
    def forge(kind, body):
        if kind == "answer" and body["request"].startswith("pay/"):
            body["signature"] = "0" * 128
        return kind, body

    assert {found.status for found in statements_of(copy_with(books, forge))} == {StatementStatus.ISSUED}


def test_files_are_written_once_and_kept(books, tmp_path):
    found = statements_of(books)
    files = write_statements(found, tmp_path / "out")
    assert [file.name for file in files] == [
        "script-alert-x-script-sons.json",
        "script-alert-x-script-sons.html",
        "bob.json",
        "bob.html",
    ]
    assert Statement.from_dict(json.loads(files[2].read_text())) == found[1]
    assert write_statements(found, tmp_path / "out") == files
    files[3].write_text("a note")
    with pytest.raises(LedgerError, match=r"bob\.html: is there already, with something else in it"):
        write_statements(found, tmp_path / "out")
    assert files[3].read_text() == "a note"
    write_statements(found, tmp_path / "out", force=True)
    assert files[3].read_text() == found[1].to_html()
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError, match="file: File exists; take another folder"):
        write_statements(found, tmp_path / "file")


def test_the_page_stands_alone_and_shows_names_as_text(books):
    found = statements_of(books)[0]
    page = Texts(found.to_html())
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "img", "iframe", "object"})
    assert not [attrs for _, attrs in page.tags if {"src", "href", "onload"} & set(attrs)]
    styles = {dict(attrs).get("style") for _, attrs in page.tags}
    assert styles == {None, "text-align: left", "text-align: right"}
    assert "url(" not in found.to_html()
    assert "@import" not in found.to_html()
    assert NASTY in page.texts
    assert found.statement["signature"] in page.texts
    assert any(found.hash in text for text in page.texts)


def test_the_page_s_lines_add_up(books):
    for found in statements_of(books):
        page = found.to_html()
        amounts = [float(text.replace(",", "").replace("−", "-")) for text in numbers_of(page)]
        assert sum(amounts[:-1]) == pytest.approx(found.amount)
        assert amounts[-1] == pytest.approx(abs(found.amount))
        assert ("owed to the operator" in page) == (found.amount < 0)


@pytest.mark.parametrize("rule", ["none", "equal-split", "proportional"])
def test_the_lines_add_up_under_every_rule(rule):
    ledger = memory_ledger()
    assert len(run(alice_bob(), teacher="xA", method="tree", rule=rule, ledger=ledger).payments) == 2
    test_the_page_s_lines_add_up(ledger)


def test_what_is_withheld_is_on_the_page_with_the_reason(books):
    found = statements_of(books)[0]
    due, why = found.amount, "flagged"
    withheld = replace(found, statement={**found.statement, "amount": 0.0, "withheld": due, "why": why})
    page = withheld.to_html()
    assert "Payment withheld: " in page
    assert say_reason("flagged", {}) in page
    assert "withheld</td>" in page


@given(name=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30))
def test_no_name_gets_out_of_its_place(name, books):
    found = statements_of_cached(books)
    body = {**found.statement, "site": name, "pact": name, "hypothesis": name, "left": LEFT | {"step": name}}
    page, plain = Texts(replace(found, statement=body).to_html()), Texts(found.to_html())
    allowed = [tag for tag, _ in page.tags if tag not in ("dt", "dd")]
    assert allowed == [tag for tag, _ in plain.tags if tag not in ("dt", "dd")]
    assert name in page.texts


LEFT = {"code": "late", "values": {"seconds": 60.0}}
CACHE = {}


def statements_of_cached(ledger):
    if ledger not in CACHE:
        CACHE[ledger] = statements_of(ledger)[0]
    return CACHE[ledger]


def with_amounts(found, **changes):
    return replace(found, statement={**found.statement, "why": None, **changes}).to_html()


def numbers_of(page):
    lines = page[page.index("<h2>Settlement") : page.index("<h2>The certificate")]
    return re.findall(r'align: right">([^<]*)</td>', lines)


def test_a_column_of_money_has_one_number_of_decimals(books):
    found = statements_of(books)[0]
    plain = {"cost": 0.8, "contributed": 19, "labelling": 15.2, "fee": 0.25, "withheld": 0.0}
    page = with_amounts(found, **plain, amount=14.95)
    assert "at 0.80 per sample" in page
    assert numbers_of(page) == ["15.20", "−0.25", "14.95"]
    page = with_amounts(found, **{**plain, "cost": 1 / 3, "labelling": 19 / 3}, amount=19 / 3 - 0.25)
    assert "at 0.333333 per sample" in page
    assert numbers_of(page) == ["6.33333", "−0.25000", "6.08333"]
    page = with_amounts(found, **{**plain, "labelling": 1234567.0}, amount=1234567.0 - 0.25)
    assert numbers_of(page) == ["1,234,567.00", "−0.25", "1,234,566.75"]


@pytest.mark.parametrize("dust", [4.44e-16, -4.44e-16, 0.0])
def test_what_rounding_leaves_is_nothing_on_the_page_and_exact_in_the_file(books, dust):
    found = statements_of(books)[0]
    changed = {"labelling": 0.1 + 0.2, "fee": 0.3, "withheld": 0.0, "amount": dust, "contributed": 3, "cost": 0.1}
    page = with_amounts(found, **changed)
    assert numbers_of(page) == ["0.30", "−0.30", "0.00"]
    assert "e-16" not in page
    assert "owed to the operator" not in page
    kept = replace(found, statement={**found.statement, **changed}).to_dict()["statement"]
    assert (kept["labelling"], kept["amount"]) == (0.30000000000000004, dust)


def count_pages(folder, page):
    (folder / "page.html").write_text(page)
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    command = [CHROMIUM, *words, f"--user-data-dir={folder}/profile", f"--print-to-pdf={folder / 'page.pdf'}"]
    subprocess.run([*command, f"file://{folder / 'page.html'}"], check=True, capture_output=True, timeout=120)
    return len(re.findall(rb"/Type\s*/Page\b", (folder / "page.pdf").read_bytes()))


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_a_statement_is_one_page_of_paper(books, tmp_path):
    found = statements_of(books)[1]
    assert count_pages(tmp_path, found.to_html()) == 1
    flagged = replace(found, statement={**found.statement, "amount": 0.0, "withheld": 4.0, "why": "flagged"})
    assert count_pages(tmp_path, flagged.to_html()) == 1


def with_payment(books, change):
    """Books with the first payment changed by their keeper, and everything chained again."""
    ledger = memory_ledger()
    for entry in books.entries():
        body = change(entry.body) if entry.kind == "pay" else entry.body
        ledger.append(entry.kind, body, run=entry.run, at=entry.at)
    return ledger


@pytest.mark.parametrize(
    "change",
    [
        lambda body: {},
        lambda body: {**body, "site": "nobody"},
        lambda body: {**body, "statement": {"format": 1, "amount": "much"}},
        lambda body: {**body, "statement": []},
    ],
    ids=["empty", "stranger", "no-number", "no-table"],
)
def test_payments_of_another_form_are_no_statements(books, change, tmp_path):
    with pytest.raises(LedgerError, match="is malformed"):
        statements_of(with_payment(books, change))


def test_a_statement_of_another_form_has_no_page(books, tmp_path):
    few = {"format": 1, "amount": 1.0}
    changed = with_payment(books, lambda body: {**body, "statement": {**few, "site": body["site"]}})
    found = statements_of(changed)
    with pytest.raises(LedgerError, match=r"the statement in entry \d+ is malformed"):
        write_statements(found, tmp_path)
    with pytest.raises(LedgerError, match=r"the statement in entry \d+ is malformed"):
        export_payments(changed, tmp_path / "payments.csv")
    with pytest.raises(LedgerError, match=r"the statement in entry \d+ is malformed"):
        list(map(str, found))
