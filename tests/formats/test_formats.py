"""Files of every format that was ever numbered stay readable, and no format changes without a new number."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import fedpact as fp
from carrier import OPERATOR, START, Carrier, kept_plan, key_of, plan_by, run_over, small_federation
from fedpact import formats
from fedpact.describe.report_files import read_report, to_bytes
from fedpact.errors import FederationError, FormatError, LedgerError, MessageError
from fedpact.explain.words import Words
from fedpact.protocol.canonical import to_canonical
from fedpact.protocol.ledger.entry import NOTHING_BEFORE, Row, make_entry
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.ledger.verify import verify_ledger
from fedpact.protocol.messages import Evaluated, read_answer, read_request
from fedpact.protocol.operator.check_books import check_books
from fedpact.protocol.operator.operator import read_run, resume_run
from fedpact.protocol.operator.outcome import make_outcome
from fedpact.protocol.operator.statements import Statement, statements_of
from fedpact.protocol.pact import Pact
from fedpact.protocol.runs import read_outcome
from formats.layouts import make_layouts, make_runs, without_more
from formats.make import make_federation, make_points, make_sites
from ledgers import write_raw

HERE = Path(__file__).parent
KEPT = HERE / "kept"
MAKE = "PYTHONPATH=tests python tests/formats/make.py"


def kept(pattern):
    """Every kept file of a kind, whatever its number."""
    found = sorted(KEPT.glob(pattern))
    assert found
    return pytest.mark.parametrize("path", found, ids=[path.name for path in found])


@kept("ledger-*-finished.*")
def test_a_finished_ledger_is_intact_and_its_books_are_right(path):
    found, books = verify_ledger(path), check_books(path)
    assert (found.is_intact, found.entries) == (True, 30)
    assert (books.status, books.payments, books.followed, books.closed) == ("sound", 3, 3, 1)


@kept("ledger-*-finished.db")
def test_what_came_of_a_finished_run_is_read(path):
    outcome = read_outcome(path)
    assert (outcome.status, outcome.pact, outcome.hypothesis, outcome.mistakes) == ("finished", "kept", "none", 0)
    assert outcome.contributions == {"north": 10, "south": 4, "east": 0}
    assert outcome.payments == pytest.approx({"north": 9.9, "south": 7.9, "east": -0.1})
    assert set(outcome.met.values()) == {True}
    assert [found.status for found in statements_of(path)] == ["received"] * 3


@kept("ledger-*-interrupted.db")
def test_an_interrupted_run_is_resumed(path, tmp_path):
    shutil.copy(path, tmp_path / "run.db")
    assert read_outcome(tmp_path / "run.db").status == "running"
    sites = make_sites()
    with Ledger.open(tmp_path / "run.db") as ledger:
        operator = plan_by(kept_plan, resume_run(ledger, now=START + 60, key=OPERATOR))
        outcome = run_over(operator, Carrier(sites, now=START + 60))
    assert (outcome.status, outcome.contributions) == ("finished", {"north": 10, "south": 4, "east": 0})
    assert check_books(tmp_path / "run.db").status == "sound"


@kept("pact-*.json")
def test_a_pact_is_read(path):
    entry = json.loads(path.read_text())
    pact = Pact.from_dict(entry)
    assert (pact.name, pact.names, pact.rule) == ("kept", ("north", "south", "east"), "pwyc")
    assert [agent.cost for agent in pact.agents] == [agent.cost for agent in small_federation().agents]
    assert to_canonical(pact.to_dict()) == to_canonical(entry), "what sites have signed for"


@kept("statement-*.json")
def test_a_statement_is_read(path):
    found = Statement.from_dict(json.loads(path.read_text()))
    assert (found.status, found.site, found.statement["contributed"]) == ("received", "east", 0)
    assert found.site in str(found)


@kept("report-*.npz")
def test_a_report_is_read(path):
    report = read_report(path)
    assert (report.name, report.H, report.candidates.names[0]) == ("north", 5, "none")


def is_kept_federation(fed):
    made = make_federation()
    same = (fed.name, fed.agents, fed.hypotheses) == (made.name, made.agents, made.hypotheses)
    return same and fed.fingerprint == made.fingerprint


@kept("federation-*.*")
def test_a_federation_is_read(path):
    assert is_kept_federation(fp.load(path))


@kept("selector-state-*.json")
def test_a_selector_goes_on(path):
    fed, labels = make_points()
    selector = fp.Selector.from_dict(fed, json.loads(path.read_text()))
    assert {site: len(own) for site, own in selector.told.items()} == {"north": 1, "south": 1}
    assert {site: len(own) for site, own in selector.pending.items()} == {"north": 1, "south": 1}
    wanted = selector.pending
    while wanted:
        for site, points in wanted.items():
            selector.tell(site, points, [labels[site][point] for point in points])
        wanted = selector.ask(2)
    found = selector.result()
    assert (found.status, set(found.chosen.values())) == ("certified", {"h1"})
    assert found.labels <= 12


@kept("message-*-answer.json")
def test_an_answer_is_read_with_its_signature(path):
    found = read_answer(path.read_bytes(), {"north": key_of("north").public})
    assert (found.step, found.body) == ("evaluate", Evaluated(n=40, mistakes=2))


@kept("message-*-request.json")
def test_a_request_is_read_with_its_signature(path):
    assert read_request(path.read_bytes(), OPERATOR.public).body == {"candidates": None}


@pytest.fixture(scope="module")
def layouts():
    return make_layouts()


KNOWN = json.loads((HERE / "layout.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", KNOWN)
def test_no_format_changes_without_a_new_number(name, layouts):
    """Codes may be added, and keys of a federation file: who does not know one refuses it by its name."""
    ((number, layout),) = layouts[name].items()
    assert number in KNOWN[name], (
        f"keep files of {name} format {number}: PYTHONPATH=tests python tests/formats/make.py"
    )
    expected = KNOWN[name][number]
    constant = "the schema" if name.startswith("result ") else f"formats.{name.upper().replace('-', '_')}"
    assert without_more(json.loads(json.dumps(layout)), expected) == expected, (
        f"the {name} format has changed: raise {constant} and keep a file of it: {MAKE}"
    )


def test_every_format_is_described(layouts):
    numbers = {
        name.lower().replace("_", "-"): str(value) for name, value in vars(formats).items() if name.isupper()
    }
    own = {name: numbered for name, numbered in layouts.items() if not name.startswith("result ")}
    assert {name: next(iter(numbered)) for name, numbered in own.items()} == numbers


LATER = "format 2; this fedpact reads format 1: install a newer fedpact, or open it with the one that wrote it"


def write_ledger(path, **changes):
    """A ledger whose one entry is as another version writes it."""
    entry = make_entry(seq=1, at=0.0, run="r", kind="open", body={}, previous=NOTHING_BEFORE)
    value = {**{key: kept for key, kept in entry.to_dict().items() if key != "hash"}, **changes}
    value = {key: kept for key, kept in value.items() if kept is not None}
    content = to_canonical(value)
    write_raw(path, [Row(1, content.decode(), hashlib.sha256(content).hexdigest())])
    return path


@pytest.mark.parametrize("read", [Ledger.open, verify_ledger, read_outcome, check_books, statements_of])
def test_a_ledger_of_another_version_is_refused_in_one_line(tmp_path, read):
    with pytest.raises(LedgerError) as caught:
        read(write_ledger(tmp_path / "later.ledger", format=2))
    assert str(caught.value) == f"{tmp_path / 'later.ledger'} has ledger {LATER}"
    with pytest.raises(LedgerError) as caught:
        read(write_ledger(tmp_path / "run.ledger", format=None))
    assert str(caught.value) == (
        f"{tmp_path / 'run.ledger'} has no ledger format, as fedpact 0.1 wrote it; this fedpact reads format 1: "
        "open it with the one that wrote it"
    )


def test_a_pact_of_a_later_format_is_refused_in_one_line():
    entry = json.loads((KEPT / "pact-1.json").read_text())
    with pytest.raises(FormatError, match=r"^pact has schema 2; this fedpact reads schema 1: install the fedpact"):
        Pact.from_dict({**entry, "schema": 2})
    with pytest.raises(FormatError, match=r"^pact: 'fees' is not a key; did you mean 'fee'\?$"):
        Pact.from_dict({**entry, "fees": None})
    del entry["rule"]
    with pytest.raises(FormatError, match=r"^pact: 'rule' is missing$"):
        Pact.from_dict(entry)


def test_a_message_of_a_later_format_is_refused_in_one_line():
    value = json.loads((KEPT / "message-1-answer.json").read_text())
    with pytest.raises(MessageError) as caught:
        read_answer(to_canonical({**value, "protocol": 2, "more": True}), {})
    assert str(caught.value) == f"a message has message {LATER}"


def test_a_report_of_a_later_format_is_refused_in_one_line(tmp_path):
    with np.load(KEPT / "report-2.report.npz", allow_pickle=False) as archive:
        fields = {key: archive[key] for key in archive.files}
    np.savez_compressed(tmp_path / "later.npz", **{**fields, "format": np.asarray(3)})
    with pytest.raises(FederationError, match="the file has report format 3; this fedpact reads format 2"):
        read_report(tmp_path / "later.npz")
    assert to_bytes(read_report(KEPT / "report-2.report.npz"))


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_a_federation_file_of_a_later_format_is_refused_in_one_line(tmp_path, ending):
    text = (KEPT / f"federation-1.{ending}").read_text()
    sign = "format = 1" if ending == "toml" else '"format": 1'
    path = tmp_path / f"later.{ending}"
    path.write_text(text.replace(sign, sign.replace("1", "2")))
    with pytest.raises(FederationError) as caught:
        fp.load(path)
    assert str(caught.value) == f"{path}: the file has federation {LATER}"
    path.write_text(text.replace(f"{sign}\n", "") if ending == "toml" else text.replace(f"{sign},", ""))
    assert is_kept_federation(fp.load(path))


def test_what_is_said_is_stored_nowhere(monkeypatch):
    """Every sentence is changed, and ledgers, outcomes and checks are what they were."""

    def make():
        ledgers = make_runs()
        outcomes = [make_outcome(read_run(ledger), ledger.head).to_dict() for ledger in ledgers]
        return [list(ledger.entries()) for ledger in ledgers], outcomes

    before = make()
    monkeypatch.setattr(Words, "say", lambda self, key, /, **values: "other words")
    assert make() == before
