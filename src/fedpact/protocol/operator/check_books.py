"""``check_books``: whether what a ledger says adds up, beyond that nobody changed it.

The chain of hashes shows that entries are as they were written. It does not show that what was written is
right: an operator could write an answer that nobody gave, or pay itself. So the entries of every run are read as
an auditor would, each against the state of the run before it (:mod:`fedpact.protocol.operator.run_state`):

1. The run opens once, under the name that follows from its pact and when the run before it is finished; nothing
   but a refusal follows when it is closed.
2. Whatever the operator decides is what is decided in that state: every request, plan, choice, settlement,
   statement and sum, no other and no sooner (:mod:`fedpact.protocol.operator.check_decisions`). So nobody is asked
   twice for the same samples, nobody is paid twice, and a run that stopped goes on only when it is taken up again.
   What an operator should have written is what the audit goes on with.
3. Nobody is given up who owes no answer, or for being late before its time has passed.
4. Every answer is to a request, the only one to it, is just what its digest says, could be accepted, and carries
   the signature of the site that was asked, if the pact has a key of it. A receipt is for the statement.

What no reader of the books can know: whether a site that is said to be late or to refuse was, whether requests
said what the books say of them, and, for whoever has not noted it elsewhere, whether the keys in the pact are
the sites' and all of it happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar

from fedpact.coded import Coded, coded
from fedpact.describe.numbers import shorten
from fedpact.errors import FedpactError
from fedpact.protocol.canonical import digest_of_value
from fedpact.protocol.keys.key_set import Index
from fedpact.protocol.keys.signing import check_signature
from fedpact.protocol.ledger.entry import MALFORMED, Entry
from fedpact.protocol.ledger.export import AnyLedger, read_entries
from fedpact.protocol.messages import read_body, signed_answer
from fedpact.protocol.operator.check_decisions import NoPlan, check_plan, compare, decide_again, name_draft
from fedpact.protocol.operator.decide import Draft
from fedpact.protocol.operator.operator import check_body
from fedpact.protocol.operator.reasons import NotAcceptedError, Why
from fedpact.protocol.operator.run_state import OVER, RunState, after, replay
from fedpact.protocol.pact import name_run
from fedpact.result import Result

_MOST_PROBLEMS = 100
_DECIDED = ("ask", "plan", "stop", "choose", "settle", "pay", "close")
"""What an operator writes because of what it knows; the rest happens to it."""
_KINDS = (*_DECIDED, "open", "answer", "gone", "refuse", "resume", "approve", "abandon")


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
    are_keys_known: bool = field(default=False, metadata={"is_optional": True})
    """Whether signatures were held against keys from elsewhere than the books, which name their own."""

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


class RunBooks:
    """What the entries of a run say so far, and whether it holds."""

    def __init__(self, keys: Index | None = None) -> None:
        self._keys = keys
        self.state: RunState | None = None
        self.signed = self.unsigned = self.followed = 0
        """Good signatures; answers and statements of those without a key; statements that follow."""
        self.paid: dict[str, float] = {}
        self._due: list[Draft] = []
        """What was decided together with the last decision, and is not written yet."""

    @property
    def is_closed(self) -> bool:
        """Whether the run is over for good."""
        return self.state is not None and self.state.status in OVER

    def read(self, entry: Entry) -> list[Coded]:
        """Read the next entry of the run; returns what is wrong with it."""
        is_known, found = entry.kind in _KINDS, list[Coded]()
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
                found.extend(_check_keys(self.state, self._keys))
            elif entry.kind == "open":
                found.append(coded("opened-twice"))
            else:
                found.extend(self._check(self.state, entry))
        except (FedpactError, *MALFORMED) as error:
            found.append(coded("malformed", kind=entry.kind, detail=repr(error)))
        return found

    def _check(self, state: RunState, entry: Entry) -> Iterator[Coded]:
        """Check an entry, then believe it, or what should stand there; what belongs nowhere is passed over."""
        if entry.kind in _DECIDED:
            yield from self._check_decision(state, entry)
            return
        if entry.kind == "answer":
            if entry.body["request"] not in state.asks:
                yield coded("answer-to-nothing")
                return
            yield from self._check_answer(state, entry)
        elif entry.kind == "gone":
            yield from _check_gone(state, entry)
        self.state = after(state, entry)

    def _check_decision(self, state: RunState, entry: Entry) -> Iterator[Coded]:
        try:
            due, name = self._due or decide_again(state, entry), name_draft(entry.kind, entry.body)
        except NoPlan as error:
            yield error.problem
            return
        named = {name_draft(*draft): draft for draft in due}
        if name not in named:
            waits = [f"answer {ask.request}" for ask in state.open]
            first = next(iter([*named, *waits]), "nothing")
            yield coded("not-due", what=name, due="plan" if first == "stop" else first)
            return
        self._due = [draft for draft in due if draft is not named[name]]
        wanted = named[name][1]
        problems = list(compare(entry.kind, entry.body, wanted))
        if entry.kind == "plan":
            problems += check_plan(state, entry.body["plan"])
        yield from problems
        if entry.kind == "pay":
            yield from self._check_payment(state, entry)
            self.followed += not problems
        self.state = after(state, entry if entry.kind == "pay" else replace(entry, body=wanted))

    def _check_payment(self, state: RunState, entry: Entry) -> Iterator[Coded]:
        site, statement = entry.body["site"], entry.body["statement"]
        problem = coded("statement-not-signed", site=site)
        yield from self.check_signature(state.pact.operator, statement, problem)
        self.paid[site] = float(statement["amount"])

    def check_signature(self, public: str | None, value: Mapping[str, Any], problem: Coded) -> Iterator[Coded]:
        """Count a signature, or say what is wrong with it."""
        if public is None:
            self.unsigned += 1
        elif check_signature(public, dict(value)):
            self.signed += 1
        else:
            yield problem

    def _check_answer(self, state: RunState, entry: Entry) -> Iterator[Coded]:
        ask, said = state.asks[entry.body["request"]], entry.body["body"]
        if ask.request in state.answered:
            yield coded("answered-twice", request=ask.request)
        elif state.is_lost(ask):
            yield coded("gone-heard", site=ask.site)
        if entry.body["digest"] != digest_of_value(said):
            yield coded("other-digest", site=ask.site)
        signed = signed_answer(entry.run, ask.site, ask.step, entry.body)
        problem = coded("not-signed", site=ask.site)
        yield from self.check_signature(state.pact.keys.get(ask.site), signed, problem)
        try:
            check_body(state, ask, read_body(ask.step, said))
        except NotAcceptedError as error:
            yield coded("not-acceptable", site=ask.site, why=error.why.code)


def _check_keys(state: RunState, keys: Index | None) -> Iterator[Coded]:
    """Hold the keys that a pact names against those that are known; a site that never had one does not sign."""
    if keys is None:
        return
    if state.pact.operator != keys.operator:
        yield coded("other-operator-key")
    for site, key in state.pact.keys.items():
        if key != keys.sites.get(site):
            yield coded("other-site-key", site=site)


def _check_name(entry: Entry) -> Iterator[Coded]:
    if entry.run != name_run(entry.body["pact"], previous=entry.previous, at=entry.at):
        yield coded("other-name")


def _check_gone(state: RunState, entry: Entry) -> Iterator[Coded]:
    site, step = entry.body["site"], entry.body["step"]
    owed = [ask for ask in state.open if (ask.site, ask.step) == (site, step)]
    if not owed:
        yield coded("owed-nothing", site=site, step=step)
    if entry.body["code"] == Why.LATE and any(entry.at < ask.deadline for ask in owed):
        yield coded("given-up-early", site=site)


def _read(entry: Entry, read: dict[str, RunBooks], keys: Index | None) -> list[Coded]:
    """Read an entry of one of several runs; returns what is wrong with it."""
    before = [run for run, one in read.items() if run != entry.run and one.state and not one.is_closed]
    found = read.setdefault(entry.run, RunBooks(keys)).read(entry)
    is_early = entry.kind == "open" and before
    return [coded("opened-early", run=before[0]), *found] if is_early else found


def check_books(books: AnyLedger, *, keys: Index | None = None) -> BooksCheck:
    """Check that signatures, requests, answers and payments in a ledger belong together.

    Parameters
    ----------
    books
        A ledger, its path or URL, or the path of a JSON export.
    keys
        The public keys of operator and sites, from elsewhere: whoever rewrites all books can name others in them.

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
        for one in _read(entry, read, keys)
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
        are_keys_known=keys is not None,
    )
