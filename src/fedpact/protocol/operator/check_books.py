"""``check_books``: whether what a ledger says adds up, beyond that nobody changed it.

The chain of hashes shows that entries are as they were written. It does not show that what was written is
right: an operator could write an answer that nobody gave, or pay itself. So every signature is checked against
the keys in the pact, every answer against what was asked, every decision against what the sites said, and
every amount against what was contributed: see :mod:`fedpact.protocol.operator.run_books`. A run is opened only
when the one before it is finished.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.ledger.read import AnyLedger, read_entries
from fedpact.protocol.operator.run_books import RunBooks
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable

_MOST_PROBLEMS = 100


class BooksStatus(Enum):
    """Whether the books add up, in words a user can act on."""

    EMPTY = "there is no run in this ledger"
    SOUND = "every answer was asked for and is signed, and every payment follows from what was contributed"
    UNSIGNED = (
        "everything adds up, but not everybody signs: for what is not signed only the ledger's keeper stands"
    )
    WRONG = "the books do not add up: ask the operator to explain every problem before relying on a payment"


@dataclass(frozen=True, slots=True, kw_only=True)
class BooksProblem:
    """Something that does not hold."""

    entry: int
    """Number of the entry that shows it."""
    run: str
    what: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"entry": self.entry, "run": self.run, "what": self.what}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> BooksProblem:
        """Read what :meth:`to_dict` wrote."""
        return cls(**entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class BooksCheck(Shows):
    """Whether what a ledger says adds up."""

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
        """The finding in words."""
        if self.wrong:
            return BooksStatus.WRONG
        if not self.runs:
            return BooksStatus.EMPTY
        return BooksStatus.UNSIGNED if self.unsigned else BooksStatus.SOUND

    def shown(self) -> ShownTable:
        """Show what does not hold."""
        return ShownTable(
            title="Books",
            status=self.status.value,
            facts={
                "problems": self.wrong,
                "signatures": self.signatures,
                "unsigned": self.unsigned,
                "payments": self.payments,
                "paid": self.paid,
                "runs": self.runs,
            },
            columns=[("entry", int), ("run", str), ("problem", str)],
            rows=[(one.entry, one.run, one.what) for one in self.problems],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "problems": [problem.to_dict() for problem in self.problems],
            "wrong": self.wrong,
            "signatures": self.signatures,
            "unsigned": self.unsigned,
            "payments": self.payments,
            "followed": self.followed,
            "paid": self.paid,
            "runs": self.runs,
            "closed": self.closed,
            "is_sound": self.is_sound,
            "status": self.status.value,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> BooksCheck:
        """Read what :meth:`to_dict` wrote."""
        values = {key: value for key, value in entry.items() if key not in ("is_sound", "status")}
        return cls(**{**values, "problems": tuple(BooksProblem.from_dict(one) for one in entry["problems"])})


def _read(entry: Entry, read: dict[str, RunBooks]) -> list[str]:
    """Read an entry of one of several runs; returns what is wrong with it."""
    before = [run for run, one in read.items() if run != entry.run and one.facts.pact and not one.facts.is_closed]
    found = read.setdefault(entry.run, RunBooks()).read(entry)
    is_early = entry.kind == "open" and before
    return [f"a run was opened before run {before[0]} was finished", *found] if is_early else found


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
        for what in _read(entry, read):
            wrong += 1
            if wrong <= _MOST_PROBLEMS:
                problems.append(BooksProblem(entry=entry.seq, run=entry.run, what=what))
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
