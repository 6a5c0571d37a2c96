"""Statements of payment: made for the ledger, and out of it again to look at, to send, to print, to book.

At the end a site is told what it gave, what it gets, what is withheld and why. A statement is a table of plain
values that the operator signs and the ledger keeps; the site's receipt names its digest. It stands by itself:
whoever has it and the operator's public key can check it without the ledger. Amounts are in the unit of the costs
that were agreed on, whatever that is; times are UTC, as in ISO 8601.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from fedpact import formats
from fedpact.describe.names import make_slugs, nearest
from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.describe.spreadsheets import defuse, to_csv
from fedpact.describe.ties import exceeds
from fedpact.describe.whole_files import make_folder, write_for_people
from fedpact.errors import LedgerError
from fedpact.formats import check_format
from fedpact.mechanism.payment.money import plain_amount
from fedpact.plain import to_plain
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.ledger.entry import Entry, well_formed
from fedpact.protocol.ledger.export import AnyLedger, read_entries
from fedpact.protocol.messages import signed_answer
from fedpact.protocol.operator.run_state import RunState
from fedpact.result import Result
from fedpact.statistics.error_targets import judge_target, limit_error
from fedpact.statistics.realizability_result import TargetVerdict

HELD_OUT_CONFIDENCE = 0.95
"""With which limits of the error on held-out samples are right."""
_OF_CHECK = ("status", "false_alarm_rate", "m", "suspicious", "tested", "false_alarm")


def say_time(at: float) -> str:
    """Write a time of the ledger, seconds since the epoch, as UTC.

    Examples
    --------
    >>> say_time(1_000_000_000.25)
    '2001-09-09T01:46:40Z'
    """
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _requests_of(state: RunState, site: str) -> list[dict[str, Any]]:
    """List what a site was asked to label, request by request, and what it delivered."""
    return [
        {
            "request": name,
            "first": ask.body["have"] + 1,
            "last": ask.body["total"],
            "quota": ask.body["total"] - ask.body["have"],
            "delivered": state.delivered.get(name, 0),
            "asked": say_time(ask.asked),
            "answered": say_time(state.answered_at[name]) if name in state.answered_at else None,
        }
        for name, ask in state.asks.items()
        if (ask.site, ask.step) == (site, "contribute")
    ]


def _check_of(state: RunState, site: str) -> dict[str, Any] | None:
    found = state.checks.get(site)
    return None if found is None else {key: found[key] for key in _OF_CHECK}


def make_statement(
    state: RunState, site: str, now: float, *, due: float, labelling: float, fee: float
) -> dict[str, Any]:
    """Return a site's statement of payment, in plain values, by what it is due, its cost and its fee.

    ``amount`` is what the operator owes, or is owed if negative; ``withheld`` is what it would have owed more had
    the contribution not been flagged. Whoever owes something itself owes it all the same.
    """
    assert state.settled is not None, "nobody is paid before the settlement"
    why, pact, given = state.withheld.get(site), state.pact, state.contributed.get(site, 0)
    withheld = max(due, 0.0) if why else 0.0
    requests = _requests_of(state, site)
    doubts = {"disputed": sorted(state.disputed), "unproved": sorted(state.unproved)}
    return {
        "format": formats.STATEMENT,
        "run": state.run,
        "pact": pact.name,
        "pact_digest": digest_of_value(pact.to_dict()),
        "site": site,
        "site_key": pact.keys.get(site),
        "operator": pact.operator,
        "rule": pact.rule,
        "cost": pact.agent(site).cost.to_plain(),
        "requests": requests,
        "quota": sum(request["quota"] for request in requests),
        "contributed": given,
        "labelling": labelling,
        "fee": fee,
        "amount": due - withheld,
        "withheld": withheld,
        "why": why,
        "verified": why is None and given > 0,
        "check": _check_of(state, site),
        "left": to_plain(state.gone.get(site)),
        "evaluation": to_plain(evaluation_of(state, site)),
        "hypothesis": state.hypothesis,
        "opened": say_time(state.opened),
        "settled": say_time(state.settled),
        "issued": say_time(now),
        **{key: names for key, names in doubts.items() if names},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """How the outcome does on a site's held-out samples."""

    n: int
    mistakes: int
    error: float
    epsilon: float
    met: bool
    """Whether the error seen there is at most epsilon; what so many samples show is for :func:`judge_held_out`."""


def judge_held_out(seen: Evaluation) -> TargetVerdict:
    """Say whether held-out samples show that the error is within epsilon, or above it; few of them show neither.

    Examples
    --------
    >>> seen = Evaluation(n=45, mistakes=4, error=4 / 45, epsilon=0.1, met=True)
    >>> judge_held_out(seen).value
    'unsettled'
    """
    risk = (1 - HELD_OUT_CONFIDENCE) / 2
    return judge_target(limit_error(seen.mistakes, seen.n, risk), seen.epsilon, risk).verdict


def evaluation_of(state: RunState, site: str) -> Evaluation | None:
    """Return how the outcome does on a site's held-out samples, and whether its target is met there."""
    seen = state.evaluated.get(site)
    if seen is None or not seen.n:
        return None
    error = seen.mistakes / seen.n
    epsilon = state.pact.agent(site).epsilon
    met = not exceeds(error, epsilon)
    return Evaluation(n=seen.n, mistakes=seen.mistakes, error=error, epsilon=epsilon, met=met)


class StatementStatus(StrEnum):
    """What a statement is worth."""

    RECEIVED = "received"
    """The site has signed for it."""
    ACKNOWLEDGED = "acknowledged"
    """The site has answered that it has it; it has no key to sign with."""
    ISSUED = "issued"
    """Signed; the site's receipt is not in the books."""
    UNSIGNED = "unsigned"
    """The operator runs without a key: only the ledger stands for it."""
    FORGED = "forged"
    """The signature is not that of the operator named in the pact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(Result):
    """One site's statement of payment, and where it stands in the books."""

    schema: ClassVar = formats.STATEMENT

    statement: Mapping[str, Any]
    """What the operator signed: see :func:`make_statement`."""
    digest: str
    """Of the statement; the site's receipt names it."""
    entry: int
    """Number of the entry in the ledger."""
    hash: str
    """Of that entry."""
    receipt: Mapping[str, Any] | None
    """When the site signed for it (``at``), in which ``entry``, with which ``signature``."""
    status: StatementStatus
    run: str
    slug: str
    """The site's name as the name of a file."""

    @property
    def site(self) -> str:
        """Whose it is."""
        return str(self.statement["site"])

    @property
    def amount(self) -> float:
        """What the operator owes; negative: is owed."""
        return float(self.statement["amount"])

    def to_html(self) -> str:
        """Return a page to print; nothing is loaded from elsewhere."""
        from fedpact.explain import explain
        from fedpact.explain.html import to_page

        with well_formed(f"the statement in entry {self.entry}"):
            return to_page(explain(self))


def _judge(
    statement: Mapping[str, Any], operator: str | None, receipt: Mapping[str, Any] | None
) -> StatementStatus:
    if operator is None:
        return StatementStatus.UNSIGNED
    if not check_signature(operator, dict(statement)):
        return StatementStatus.FORGED
    if receipt is None:
        return StatementStatus.ISSUED
    return StatementStatus.RECEIVED if receipt["signature"] else StatementStatus.ACKNOWLEDGED


def _find_run(entries: Sequence[Entry], run: str | None) -> str:
    runs = list(dict.fromkeys(entry.run for entry in entries if entry.kind == "open"))
    if not runs:
        raise LedgerError("the ledger has no run, hence no statement of payment")
    if run is None or run in runs:
        return runs[-1] if run is None else run
    meant = [name for name in runs if name.startswith(run)]
    if len(meant) != 1:
        what = f"begins the names of {len(meant)} runs" if meant else "is not in this ledger"
        raise LedgerError(f"run {shorten(run)} {what}; {nearest(run, meant or runs)}")
    return meant[0]


def _receipts(entries: Iterable[Entry], keys: Mapping[str, str]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Site -> digest of the statement that it signed for, and the receipt."""
    asked: dict[str, str] = {}
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for entry in entries:
        if entry.kind == "ask" and entry.body["step"] == "pay":
            asked[entry.body["request"]] = entry.body["site"]
        elif entry.kind == "answer" and entry.body["request"] in asked:
            site = asked[entry.body["request"]]
            signature = entry.body["signature"] if site in keys else None  # no key, so nobody can check one
            receipt = {"at": say_time(entry.at), "entry": entry.seq, "signature": signature}
            signed = signed_answer(entry.run, site, "pay", entry.body)
            if site not in keys or check_signature(keys[site], signed):
                found[site] = entry.body["body"]["statement"], receipt
    return found


def _read(entry: Entry, signed: tuple[str, dict[str, Any]] | None, operator: str | None, slug: str) -> Statement:
    statement = entry.body["statement"]
    check_format(statement.get("format"), formats.STATEMENT, "statement", f"entry {entry.seq}", LedgerError)
    float(statement["amount"])  # a statement without a sum is none
    digest = digest_of_value(statement)
    receipt = signed[1] if signed is not None and signed[0] == digest else None
    return Statement(
        statement=statement,
        digest=digest,
        entry=entry.seq,
        hash=entry.hash,
        receipt=receipt,
        status=_judge(statement, operator, receipt),
        run=entry.run,
        slug=slug,
    )


def statements_of(books: AnyLedger, run: str | None = None) -> list[Statement]:
    """Read the statements of a run, in the order in which they were issued.

    Parameters
    ----------
    books
        A ledger, its path or URL, or the path of a JSON export.
    run
        Its name, or enough of the beginning; if not given, the last run.

    Raises
    ------
    LedgerError
        If there is no such run, or the ledger is broken.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.protocol.runs import memory_ledger, run
    >>> ledger = memory_ledger()
    >>> seen = run(alice_bob(), teacher="xA", method="tree", ledger=ledger)
    >>> for found in statements_of(ledger):
    ...     print(found.site, found.amount, found.status)
    alice 3.0 received
    bob 2.0 received
    """
    listed = list(read_entries(books))
    name = _find_run(listed, run)
    return _statements_in([entry for entry in listed if entry.run == name])


def all_statements(books: AnyLedger) -> list[Statement]:
    """Read the statements of all runs of a ledger, run after run."""
    runs: dict[str, list[Entry]] = {}
    for entry in read_entries(books):
        runs.setdefault(entry.run, []).append(entry)
    return [found for entries in runs.values() if entries[0].kind == "open" for found in _statements_in(entries)]


def _statements_in(entries: Sequence[Entry]) -> list[Statement]:
    with well_formed(f"run {shorten(entries[0].run)}"):
        pact = entries[0].body["pact"]
        sites = [agent["name"] for agent in pact["agents"]]
        slugs = dict(zip(sites, make_slugs(sites, default="site"), strict=True))
        receipts = _receipts(entries, pact["keys"])
        return [
            _read(entry, receipts.get(entry.body["site"]), pact["operator"], slugs[entry.body["site"]])
            for entry in entries
            if entry.kind == "pay"
        ]


def write_statements(
    statements: Iterable[Statement], folder: str | PathLike[str], *, force: bool = False
) -> list[Path]:
    """Write each statement as JSON and as a page to print, both named after the site; returns the files.

    A file that is there stays as it is unless it is the same, or ``force`` is given.
    """
    home, files = make_folder(Path(folder), LedgerError, "take another folder"), []
    for found in statements:
        text = json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        for ending, data in (("json", text), ("html", found.to_html())):
            path = home / f"{found.slug}.{ending}"
            there = f"{path}: is there already, with something else in it; take another folder, or force it"
            write_for_people(path, data.encode(), force=force, there=there, kind=LedgerError, unless_same=True)
            files.append(path)
    return files


_HEAD = ("date", "run", "site", "samples", "cost", "fee", "withheld", "amount", "receipt")
_AMOUNTS = ("labelling", "fee", "withheld", "amount")


def _to_row(found: Statement) -> list[str]:
    body = found.statement
    with well_formed(f"the statement in entry {found.entry}"):
        total = max(abs(body[key]) for key in _AMOUNTS)
        return [
            str(body["issued"]),
            defuse(found.run),
            defuse(found.site),
            str(body["contributed"]),
            *(plain_amount(body[key], total) for key in _AMOUNTS),
            "" if found.receipt is None else str(found.receipt["at"]),
        ]


def export_payments(books: AnyLedger, file: str | PathLike[str], *, force: bool = False) -> int:
    """Write all payments of a ledger to a ``.csv`` file, the whole file or none; returns how many there are.

    Raises
    ------
    LedgerError
        If the file exists and ``force`` is not given, cannot be written, or the ledger is broken.
    """
    target = Path(file)
    if target.suffix.lower() != ".csv":
        raise LedgerError(one_line(f"payments are written as .csv; the file is {str(target)!r}"))
    rows = [_to_row(found) for found in all_statements(books)]
    there = f"there is already a file {target}; choose another name, or ask for it to be replaced"
    write_for_people(target, to_csv(_HEAD, rows), force=force, there=there, kind=LedgerError)
    return len(rows)
