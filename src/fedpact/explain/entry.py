"""What an entry of a run's ledger says, in one line for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.explain.reason import say_reason
from fedpact.explain.words import words_of
from fedpact.protocol.operator.money import without_dust

if TYPE_CHECKING:
    from fedpact.protocol.ledger.entry import Entry

_WORDS = words_of("entry")
_AMOUNTS = ("labelling", "fee", "withheld", "amount")


def _say_ask(body: Mapping[str, Any]) -> str:
    site, step, asked = body["site"], body["step"], body["body"]
    first = asked["have"] + 1 if step == "contribute" else None
    return _WORDS.say(f"ask.{step}", site=site, first=first, last=asked.get("total"))


def _say_answer(body: Mapping[str, Any]) -> str:
    step, _, rest = body["request"].partition("/")
    return _WORDS.say(f"answer.{step}", **{**body["body"], "site": rest.rpartition("/")[0]})


def _say_plan(body: Mapping[str, Any]) -> str:
    given = [(site, count) for site, count in body["plan"]["contributions"].items() if count]
    said = ", ".join(_WORDS.say("plan_count", site=site, count=count) for site, count in given)
    return _WORDS.say("plan", cost=body["plan"]["cost"], counts=said or _WORDS.say("plan_nobody"))


def _say_choice(body: Mapping[str, Any]) -> str:
    withheld, least = list(body["withheld"]), body["mistakes"][body["index"]]
    flagged = _WORDS.say("flagged", sites=", ".join(withheld)) if withheld else ""
    return _WORDS.say("choose", hypothesis=body["hypothesis"], mistakes=least, m=body["m"], flagged=flagged)


def _say_payment(body: Mapping[str, Any]) -> str:
    statement = body["statement"]
    amount = without_dust(statement["amount"], max(abs(statement.get(key, 0.0)) for key in _AMOUNTS))
    why = statement["why"] and say_reason(statement["why"], {})
    withheld = _WORDS.say("withheld", withheld=statement["withheld"], why=why) if why else ""
    key, m = "paid" if amount >= 0 else "pays", statement["contributed"]
    return _WORDS.say(key, site=body["site"], amount=abs(amount), m=m, withheld=withheld)


def _say_why(kind: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda body: _WORDS.say(kind, **{**body, "why": say_reason(body["code"], body["values"])})


_SAY: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "open": lambda body: _WORDS.say("open", name=body["pact"]["name"], k=len(body["pact"]["agents"])),
    "ask": _say_ask,
    "answer": _say_answer,
    "refuse": _say_why("refuse"),
    "gone": _say_why("gone"),
    "plan": _say_plan,
    "choose": _say_choice,
    "settle": lambda body: _WORDS.say(
        "settle", rule=body["settlement"]["rule"], spend=without_dust(body["settlement"]["spend"], 1.0)
    ),
    "pay": _say_payment,
    "stop": _say_why("stop"),
    "resume": lambda body: _WORDS.say("resume"),
    "close": lambda body: _WORDS.say("close", paid=without_dust(body["paid"], 1.0)),
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
