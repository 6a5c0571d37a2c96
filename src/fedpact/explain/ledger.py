"""A ledger's check in words: whether it is as it was written, and whether what it says adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import make_table
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.protocol.ledger.check import LedgerCheck
    from fedpact.protocol.operator.check_books import BooksCheck, BooksProblem

_LEDGER = words_of("ledger-check")
_BOOKS = words_of("books-check")


def say_break(check: LedgerCheck) -> str:
    """Say what is wrong with a ledger; nothing if it is intact."""
    why = check.why
    return "" if why is None else _LEDGER.say(f"why.{why.code}", **{"seq": check.broken_at, **why.values})


def say_problem(problem: BooksProblem) -> str:
    """Say what does not hold in the books."""
    return _BOOKS.say(f"problem_of.{problem.code}", **{"run": problem.run, **problem.values})


def say_first_problem(check: BooksCheck) -> str:
    """Say the first problem of the books, and how many more there are."""
    first, more = check.problems[0], check.wrong - 1
    said = _BOOKS.say("problem", entry=first.entry, what=say_problem(first))
    return said + (_BOOKS.say("more", more=more) if more else "")


def explain_ledger_check(check: LedgerCheck) -> Explanation:
    """Explain whether a ledger is as it was written."""
    why = check.why_not_compared
    said = "" if why is None else _LEDGER.say(f"why_not_compared.{why.code}", **why.values)
    note = _LEDGER.say("not_compared", why=said) if said else ""
    status = _LEDGER.say(f"status.{check.status}")
    return Explanation(
        kind=check.kind,
        title=_LEDGER.say("title", where=check.where),
        headline=_LEDGER.say("headline", entries=check.entries, head=check.head, status=status, not_compared=note)
        if check.is_intact
        else _LEDGER.say("headline_broken", why=say_break(check)),
        sentences=() if check.is_intact else (_LEDGER.say("seen", entries=check.entries),),
    )


def explain_books_check(check: BooksCheck) -> Explanation:
    """Explain whether the books add up."""
    unsigned = _BOOKS.say("unsigned", unsigned=check.unsigned) if check.unsigned else ""
    keys = ("runs", "closed", "signatures", "followed", "payments")
    counts = _BOOKS.say("headline", unsigned=unsigned, **{key: getattr(check, key) for key in keys})
    status = _BOOKS.say(f"status.{check.status}")
    rows = [(problem.entry, problem.run, say_problem(problem)) for problem in check.problems]
    return Explanation(
        kind=check.kind,
        title=_BOOKS.say("title"),
        headline=status[:1].upper() + status[1:] + ".",
        sentences=(counts,) if check.runs else (),
        tables=(make_table(_BOOKS, "problems", "entry count, run, what", rows),) if rows else (),
    )
