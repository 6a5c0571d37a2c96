"""``check_books``: whether what a ledger says adds up, beyond that nobody changed it.

The chain of hashes shows that entries are as they were written. It does not show that what was written is
right: an operator could write an answer that nobody gave, or pay itself. So the entries of every run are read as
an auditor would, each against the state of the run before it (:mod:`fedpact.protocol.operator.run_state`):

1. The run opens once, under the name that follows from its pact and when the run before it is finished; nothing
   but a refusal follows when it is closed.
2. Nothing is decided while a request waits for an answer, and requests of one step are made together. Everybody
   who is left has reported before a plan is made; a candidate is chosen when everybody has given what the last
   plan says; then come the evaluation by everybody who is left, the settlement, the statements for all whom it
   names, and these are sent. A run that stopped goes on only when it is taken up again.
3. Every request has a name of its own and the time that was agreed on, goes to a site of the pact that is not
   gone, and asks for samples that follow those the site has given, up to what the plan says; so nobody is
   asked twice for the same samples. Nobody is given up who owes no answer, or for being late before its time
   has passed.
4. Every answer is to a request, the only one to it, is just what its digest says, and carries the signature of
   the site that was asked, if the pact has a key of it. A receipt is for the statement.
5. Plan, choice, settlement and statements follow from what the sites said
   (:mod:`fedpact.protocol.operator.check_decisions`). Nobody is paid twice, and who was settled with is paid
   before the run closes.

What no reader of the books can know: whether a site that is said to be late or to refuse was, whether requests
said what the books say of them, and, for whoever has not noted it elsewhere, whether the keys in the pact are
the sites' and all of it happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from fedpact.coded import Coded, coded
from fedpact.describe.numbers import shorten
from fedpact.errors import FedpactError
from fedpact.mechanism.payment.rule import Payment
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.ledger.entry import MALFORMED, Entry
from fedpact.protocol.ledger.export import AnyLedger, read_entries
from fedpact.protocol.messages import Contributed, Evaluated, Receipt, Reported, read_body, signed_answer
from fedpact.protocol.operator.check_decisions import (
    check_choice,
    check_plan,
    check_reported,
    check_settlement,
    check_statement,
    find_dues,
    is_near,
)
from fedpact.protocol.operator.reasons import Why
from fedpact.protocol.operator.run_state import Ask, RunState, RunStatus, after, parse_report, replay
from fedpact.protocol.pact import name_run
from fedpact.result import Result

_MOST_PROBLEMS = 100
_NOT_FOLDED = ("opened-twice", "stranger-asked", "stranger-lost", "answer-to-nothing", "no-answer", "not-settled")
"""Entries with these problems, those of strangers for example, change nothing in the state of the run."""
_ANY_TIME = ("open", "refuse", "resume", "answer", "gone")
_BEFORE_CHOICE = ("ask report", "ask contribute", "plan", "stop", "choose")
_AFTER_CHOICE = ("ask evaluate", "ask pay", "settle", "pay", "close")


class BooksStatus(StrEnum):
    """Whether the books add up."""

    EMPTY = "empty"
    """There is no run in the ledger."""
    SOUND = "sound"
    """Every answer was asked for and is signed, and every payment follows from what was contributed."""
    UNSIGNED = "unsigned"
    """Everything adds up, but not everybody signs."""
    WRONG = "wrong"
    """The books do not add up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BooksProblem(Coded):
    """Something that does not hold."""

    entry: int
    """Number of the entry that shows it."""
    run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BooksCheck(Result):
    """Whether what a ledger says adds up."""

    DERIVED: ClassVar = ("is_sound", "status")
    ROWS: ClassVar = "problems"

    problems: tuple[BooksProblem, ...]
    """The first hundred."""
    wrong: int
    """How many problems there are."""
    signatures: int
    """Good ones, of sites under answers and of the operator under statements."""
    unsigned: int
    """Answers and statements of those for whom the pact has no key."""
    payments: int
    """Sites with a statement, added up over the runs."""
    followed: int
    """Payments that follow from contributions, costs and reports by the rule."""
    paid: float
    """What the statements add up to."""
    runs: int
    closed: int
    """Runs that are finished."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong

    @property
    def status(self) -> BooksStatus:
        """The finding."""
        if self.wrong:
            return BooksStatus.WRONG
        if not self.runs:
            return BooksStatus.EMPTY
        return BooksStatus.UNSIGNED if self.unsigned else BooksStatus.SOUND


def _name_of(entry: Entry) -> str:
    """Return what an entry is, in a word or two."""
    return f"ask {entry.body['step']}" if entry.kind == "ask" else entry.kind


class RunBooks:
    """What the entries of a run say so far, and whether it holds."""

    def __init__(self) -> None:
        self.state: RunState | None = None
        self.signed = self.unsigned = self.followed = 0
        """Good signatures; answers and statements of those without a key; payments that follow by the rule."""
        self.paid: dict[str, float] = {}
        self._dues: Mapping[str, Payment] = {}
        self._last = ""

    @property
    def is_closed(self) -> bool:
        """Whether the run is finished."""
        return self.state is not None and self.state.status is RunStatus.FINISHED

    def read(self, entry: Entry) -> list[Coded]:
        """Read the next entry of the run; returns what is wrong with it."""
        is_known, found = entry.kind in _CHECKS, list[Coded]()
        if entry.kind != "open" and self.state is None:
            return [coded("not-opened")] if is_known else []
        if self.is_closed and entry.kind != "refuse":
            return [coded("after-close")]
        if not is_known:
            return [coded("unknown-kind", found=shorten(entry.kind))]
        try:
            if self.state is None:
                self.state = replay([entry])
                found.extend(_check_name(entry))
            else:
                found.extend(self._check(self.state, entry))
                if not any(problem.code in _NOT_FOLDED for problem in found):
                    self.state = after(self.state, entry)
            self._last = _name_of(entry)
        except (FedpactError, *MALFORMED) as error:
            found.append(coded("malformed", kind=entry.kind, detail=repr(error)))
        return found

    def _check(self, state: RunState, entry: Entry) -> Iterator[Coded]:
        if state.status is RunStatus.STOPPED and entry.kind not in ("refuse", "resume"):
            yield coded("went-on")
        name = _name_of(entry)
        if name not in _ANY_TIME:
            if state.open and not (entry.kind == "ask" and self._last == name):
                yield coded("before-answer", what=name, request=state.open[0].request)
            if state.chosen is not None and name in _BEFORE_CHOICE:
                yield coded("after-choice", what=name)
            if state.chosen is None and name in _AFTER_CHOICE:
                yield coded("before-choice", what=name)
        yield from _CHECKS[entry.kind](self, state, entry)

    def check_signature(self, public: str | None, value: Mapping[str, Any], problem: Coded) -> Iterator[Coded]:
        """Count a signature, or say what is wrong with it."""
        if public is None:
            self.unsigned += 1
        elif check_signature(public, dict(value)):
            self.signed += 1
        else:
            yield problem

    def _settle(self, state: RunState, entry: Entry) -> Iterator[Coded]:
        if state.settlement is not None:
            yield coded("settled-twice")
        for site in state.left:
            if not state.asked_for(site, "evaluate"):
                yield coded("settled-early", site=site)
        self._dues = find_dues(state)
        yield from check_settlement(state, entry.body["settlement"], self._dues)

    def _pay(self, state: RunState, entry: Entry) -> Iterator[Coded]:
        site, statement = entry.body["site"], entry.body["statement"]
        if site in self.paid:
            yield coded("paid-twice", site=site)
        if state.settled is None or site not in self._dues:
            yield coded("not-settled", site=site)
            return
        problem = coded("statement-not-signed", site=site)
        yield from self.check_signature(state.pact.operator, statement, problem)
        problems = list(check_statement(state, entry, self._dues[site]))
        self.followed += not problems
        yield from problems
        self.paid[site] = float(statement["amount"])

    def _close(self, state: RunState, entry: Entry) -> Iterator[Coded]:
        if state.settlement is None:
            yield coded("closed-early")
        for site in state.payments:
            if not state.asked_for(site, "pay"):
                yield coded("not-sent", site=site)
        unpaid = sorted(set(self._dues) - set(self.paid))
        if unpaid:
            yield coded("not-paid", sites=unpaid)
        total = sum(self.paid.values())
        if not is_near(entry.body["paid"], total):
            yield coded("other-total", paid=total, found=entry.body["paid"])


def _check_name(entry: Entry) -> Iterator[Coded]:
    if entry.run != name_run(entry.body["pact"], previous=entry.previous, at=entry.at):
        yield coded("other-name")


def _open(books: RunBooks, state: RunState, entry: Entry) -> Iterator[Coded]:
    yield coded("opened-twice")


def _ask(books: RunBooks, state: RunState, entry: Entry) -> Iterator[Coded]:
    body, site, step = entry.body, entry.body["site"], entry.body["step"]
    if body["request"] in state.asks:
        yield coded("asked-twice", request=body["request"])
    if site not in state.pact.names:
        yield coded("stranger-asked", site=site)
        return
    if step != "pay" and site in state.gone:
        yield coded("gone-asked", site=site)
    if body["deadline"] != entry.at + state.pact.patience[step]:
        yield coded("other-deadline", site=site)
    yield from _check_question(state, site, step, body["body"])


def _check_question(state: RunState, site: str, step: str, body: Mapping[str, Any]) -> Iterator[Coded]:
    listed = state.pact.candidates
    match step:
        case "report" if body != {"candidates": None if listed is None else listed.fingerprint}:
            yield coded("asked-other-candidates", site=site)
        case "contribute":
            yield from _check_samples(state, site, body["have"], body["total"])
        case "evaluate" if state.chosen is not None and body["index"] != state.chosen:
            yield coded("asked-other-candidate", site=site)
        case "pay":
            for other in () if state.settlement is None else state.settlement.payments:
                if other not in state.payments:
                    yield coded("sent-early", site=other)


def _check_samples(state: RunState, site: str, first: int, last: int) -> Iterator[Coded]:
    planned = 0 if state.plan is None else state.plan.contributions.get(site, 0)
    given = state.contributed.get(site, 0)
    before = [name for name, ask in state.asks.items() if (ask.site, ask.step) == (site, "contribute")]
    if site not in state.reports:
        yield coded("asked-before-report", site=site)
    if last <= first:
        yield coded("asked-nothing", site=site)
    if any(name not in state.delivered for name in before):
        yield coded("same-samples", site=site)
    if first != given:
        yield coded("other-given", site=site, given=given, found=first)
    if last > planned:
        yield coded("beyond-plan", site=site, asked=last, planned=planned)


def _answer(books: RunBooks, state: RunState, entry: Entry) -> Iterator[Coded]:
    said = {key: entry.body[key] for key in ("request", "body", "signature")}
    ask = state.asks.get(said["request"])
    if ask is None:
        yield coded("answer-to-nothing")
        return
    if ask.request in state.answered:
        yield coded("answered-twice", request=ask.request)
    elif state.is_lost(ask):
        yield coded("gone-heard", site=ask.site)
    if entry.body["digest"] != digest_of_value(said["body"]):
        yield coded("other-digest", site=ask.site)
    signed = signed_answer(run=entry.run, site=ask.site, step=ask.step, **said)
    problem = coded("not-signed", site=ask.site)
    yield from books.check_signature(state.pact.keys.get(ask.site), signed, problem)
    yield from _check_said(state, ask, said["body"])


def _check_said(state: RunState, ask: Ask, body: Any) -> Iterator[Coded]:
    site = ask.site
    match read_body(ask.step, body):
        case Reported(report=data, pool=pool):
            report = parse_report(data)
            if report.name != site or (pool or 0) > report.n:
                yield coded("report-of-another", site=site)
        case Contributed(m=m):
            if m > ask.body["total"] - ask.body["have"]:
                yield coded("gave-more", site=site)
        case Receipt(statement=digest):
            if digest != digest_of_value(state.payments.get(site)):
                yield coded("other-receipt", site=site)
        case Evaluated():
            pass
        case _:
            yield coded("no-answer", site=site)


def _gone(books: RunBooks, state: RunState, entry: Entry) -> Iterator[Coded]:
    site, step = entry.body["site"], entry.body["step"]
    if site not in state.pact.names:
        yield coded("stranger-lost", site=site)
        return
    owed = [ask for ask in state.open if (ask.site, ask.step) == (site, step)]
    if not owed:
        yield coded("owed-nothing", site=site, step=step)
    if entry.body["code"] == Why.LATE and any(entry.at < ask.deadline for ask in owed):
        yield coded("given-up-early", site=site)


_CHECKS: Mapping[str, Callable[[RunBooks, RunState, Entry], Iterator[Coded]]] = {
    "open": _open,
    "ask": _ask,
    "answer": _answer,
    "gone": _gone,
    "refuse": lambda books, state, entry: iter(()),
    "stop": lambda books, state, entry: check_reported(state),
    "resume": lambda books, state, entry: iter(()),
    "plan": lambda books, state, entry: check_plan(state, entry.body["plan"]),
    "choose": lambda books, state, entry: check_choice(state, entry.body),
    "settle": RunBooks._settle,
    "pay": RunBooks._pay,
    "close": RunBooks._close,
}


def _read(entry: Entry, read: dict[str, RunBooks]) -> list[Coded]:
    """Read an entry of one of several runs; returns what is wrong with it."""
    before = [run for run, one in read.items() if run != entry.run and one.state and not one.is_closed]
    found = read.setdefault(entry.run, RunBooks()).read(entry)
    is_early = entry.kind == "open" and before
    return [coded("opened-early", run=before[0]), *found] if is_early else found


def check_books(books: AnyLedger) -> BooksCheck:
    """Check that signatures, requests, answers and payments in a ledger belong together.

    Parameters
    ----------
    books
        A ledger, its path or URL, or the path of a JSON export.

    Raises
    ------
    LedgerError
        If there is no ledger, or it is broken; :func:`fedpact.protocol.verify_ledger` says where.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.protocol.runs import memory_ledger, run
    >>> ledger = memory_ledger()
    >>> seen = run(alice_bob(), teacher="xA", method="tree", ledger=ledger)
    >>> found = check_books(ledger)
    >>> found.signatures, found.followed, found.paid, found.is_sound
    (10, 2, 5.0, True)
    """
    read: dict[str, RunBooks] = {}
    problems = [
        BooksProblem(entry=entry.seq, run=entry.run, code=one.code, values=one.values)
        for entry in read_entries(books)
        for one in _read(entry, read)
    ]
    runs = read.values()
    return BooksCheck(
        problems=tuple(problems[:_MOST_PROBLEMS]),
        wrong=len(problems),
        signatures=sum(one.signed for one in runs),
        unsigned=sum(one.unsigned for one in runs),
        payments=sum(len(one.paid) for one in runs),
        followed=sum(one.followed for one in runs),
        paid=float(sum(amount for one in runs for amount in one.paid.values())),
        runs=sum(one.state is not None for one in runs),
        closed=sum(one.is_closed for one in runs),
    )
