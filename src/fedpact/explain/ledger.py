"""A ledger in words: each entry in one line, whether it is as it was written, whether what it says adds up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import explain_as, make_table, say_status, values_of
from fedpact.explain.phrases import say_reason
from fedpact.explain.words import sentence, words_of
from fedpact.mechanism.payment.money import without_dust
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.ledger.verify import LedgerCheck
from fedpact.protocol.operator.check_books import BooksCheck, BooksProblem

_ENTRIES = words_of("entry")
_AMOUNTS = ("labelling", "fee", "withheld", "amount")


def _say_ask(body: Mapping[str, Any]) -> str:
    site, step, asked = body["site"], body["step"], body["body"]
    first = asked["have"] + 1 if step == "contribute" else None
    return _ENTRIES.say(f"ask.{step}", site=site, first=first, last=asked.get("total"))


def _say_answer(body: Mapping[str, Any]) -> str:
    step, _, rest = body["request"].partition("/")
    return _ENTRIES.say(f"answer.{step}", **{**body["body"], "site": rest.rpartition("/")[0]})


def _say_plan(body: Mapping[str, Any]) -> str:
    given = [(site, count) for site, count in body["plan"]["contributions"].items() if count]
    said = ", ".join(_ENTRIES.say("plan_count", site=site, count=count) for site, count in given)
    return _ENTRIES.say("plan", cost=body["plan"]["cost"], counts=said or _ENTRIES.say("plan_nobody"))


def _say_choice(body: Mapping[str, Any]) -> str:
    withheld, least = list(body["withheld"]), body["mistakes"][body["index"]]
    flagged = _ENTRIES.say("flagged", sites=", ".join(withheld)) if withheld else ""
    return _ENTRIES.say("choose", hypothesis=body["hypothesis"], mistakes=least, m=body["m"], flagged=flagged)


def _say_payment(body: Mapping[str, Any]) -> str:
    statement = body["statement"]
    amount = without_dust(statement["amount"], max(abs(statement.get(key, 0.0)) for key in _AMOUNTS))
    why = statement["why"] and say_reason(statement["why"], {})
    withheld = _ENTRIES.say("withheld", withheld=statement["withheld"], why=why) if why else ""
    key, m = "paid" if amount >= 0 else "pays", statement["contributed"]
    return _ENTRIES.say(key, site=body["site"], amount=abs(amount), m=m, withheld=withheld)


def _say_why(kind: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda body: _ENTRIES.say(kind, **{**body, "why": say_reason(body["code"], body["values"])})


_SAY: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "open": lambda body: _ENTRIES.say("open", name=body["pact"]["name"], k=len(body["pact"]["agents"])),
    "ask": _say_ask,
    "answer": _say_answer,
    "refuse": _say_why("refuse"),
    "gone": _say_why("gone"),
    "plan": _say_plan,
    "choose": _say_choice,
    "settle": lambda body: _ENTRIES.say(
        "settle", rule=body["settlement"]["rule"], spend=without_dust(body["settlement"]["spend"], 1.0)
    ),
    "pay": _say_payment,
    "stop": _say_why("stop"),
    "resume": lambda body: _ENTRIES.say("resume"),
    "approve": lambda body: _ENTRIES.say("approve", budget=body["budget"]),
    "abandon": lambda body: _ENTRIES.say("abandon"),
    "close": lambda body: _ENTRIES.say("close", paid=without_dust(body["paid"], 1.0)),
}


def say_entry(entry: Entry) -> str:
    """Say what an entry records; of one that no run of this version writes, its body, shortened.

    Examples
    --------
    >>> from fedpact.protocol.ledger.entry import make_entry
    >>> body = {"site": "bob", "step": "report", "code": "late", "values": {"seconds": 60.0}}
    >>> say_entry(make_entry(seq=1, at=0.0, run="r", kind="gone", body=body, previous="0" * 64))
    "bob is gone at 'report': no answer within 60 s"
    """
    try:
        said = _SAY[entry.kind](entry.body)
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError):
        said = shorten(entry.body)
    return one_line(said)


def say_time(at: float) -> str:
    """Write a time in UTC; a number that is no time of ours stays a number.

    Examples
    --------
    >>> say_time(1_000_000_000.25), say_time(1e300)
    ('2001-09-09 01:46:40', '1e+300')
    """
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{at:.6g}"


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
    status = _LEDGER.say(f"status.{check.status}")
    return explain_as(
        check,
        headline=_LEDGER.say("headline", entries=check.entries, head=check.head, status=status)
        if check.is_intact
        else _LEDGER.say("headline_broken", why=say_break(check)),
        sentences=() if check.is_intact else (_LEDGER.say("seen", entries=check.entries),),
    )


def explain_books_check(check: BooksCheck) -> Explanation:
    """Explain whether the books add up."""
    unsigned = _BOOKS.say("unsigned", unsigned=check.unsigned) if check.unsigned else ""
    counts = _BOOKS.say("headline", **values_of(check) | {"unsigned": unsigned})
    rows = [(problem.entry, problem.run, say_problem(problem)) for problem in check.problems]
    return explain_as(
        check,
        headline=sentence(say_status(check)),
        sentences=(counts, *(() if check.are_keys_known else (_BOOKS.say("unknown_keys"),))) if check.runs else (),
        tables=(make_table(_BOOKS, "problems", "entry count, run, what", rows),) if rows else (),
    )
