"""``check_books``: whether what a ledger says adds up, beyond that nobody changed it.

The chain of hashes shows that entries are as they were written. It does not show that what was written is
right: an operator could write an answer that nobody gave, or pay itself. So every signature is checked against
the keys in the pact, every answer against what was asked, every decision against what the sites said, and
every amount against what was contributed: see :mod:`fedpact.protocol.operator.run_books`. A run is opened only
when the one before it is finished.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from fedpact.coded import Coded, coded
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.ledger.read import AnyLedger, read_entries
from fedpact.protocol.operator.run_books import RunBooks
from fedpact.result import Result

_MOST_PROBLEMS = 100


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


def _read(entry: Entry, read: dict[str, RunBooks]) -> list[Coded]:
    """Read an entry of one of several runs; returns what is wrong with it."""
    before = [run for run, one in read.items() if run != entry.run and one.facts.pact and not one.facts.is_closed]
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
    problems: list[BooksProblem] = []
    wrong = 0
    for entry in read_entries(books):
        for one in _read(entry, read):
            wrong += 1
            if wrong <= _MOST_PROBLEMS:
                problems.append(BooksProblem(entry=entry.seq, run=entry.run, code=one.code, values=one.values))
    return BooksCheck(
        problems=tuple(problems),
        wrong=wrong,
        signatures=sum(one.signed for one in read.values()),
        unsigned=sum(one.unsigned for one in read.values()),
        payments=sum(len(one.paid) for one in read.values()),
        followed=sum(one.followed for one in read.values()),
        paid=float(sum(amount for one in read.values() for amount in one.paid.values())),
        runs=sum(bool(one.facts.pact) for one in read.values()),
        closed=sum(one.facts.is_closed for one in read.values()),
    )
