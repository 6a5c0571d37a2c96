"""What an entry of a run's ledger says, in one line for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fedpact.describe.numbers import shorten
from fedpact.describe.parsing import one_line
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.operator.money import without_dust


def _say_samples(count: int) -> str:
    return f"{count} sample{'' if count == 1 else 's'}"


def _say_counts(counts: Mapping[str, int]) -> str:
    given = [f"{name} {count}" for name, count in counts.items() if count]
    return ", ".join(given) or "nobody anything"


def _say_ask(body: Mapping[str, Any]) -> str:
    site, asked = body["site"], body["body"]
    match body["step"]:
        case "report":
            return f"{site} is asked for its report"
        case "contribute":
            return f"{site} is asked for samples {asked['have'] + 1} to {asked['total']}"
        case "train":
            return f"{site} is asked to train, round {asked['round']}"
        case "evaluate":
            return f"{site} is asked how the outcome does on its held-out samples"
        case "pay":
            return f"{site} is sent its statement"
    raise KeyError(body["step"])


def _say_answer(body: Mapping[str, Any]) -> str:
    step, _, rest = body["request"].partition("/")
    site, said = rest.rpartition("/")[0], body["body"]
    match step:
        case "report":
            return f"{site} reports"
        case "contribute":
            return f"{site} contributes {_say_samples(said['m'])}"
        case "train":
            return f"{site} has trained"
        case "evaluate":
            return f"{site} evaluates: {said['mistakes']} of {said['n']} wrong"
        case "pay":
            return f"{site} has its statement"
    raise KeyError(step)


def _say_choice(body: Mapping[str, Any]) -> str:
    flagged = f"; flagged: {', '.join(body['withheld'])}" if body["withheld"] else ""
    least = body["mistakes"][body["index"]]
    return f"{body['hypothesis']!r} is chosen, wrong on {least} of {_say_samples(body['m'])}{flagged}"


def _say_payment(body: Mapping[str, Any]) -> str:
    statement = body["statement"]
    withheld = f", {statement['withheld']:g} withheld: {statement['why']}" if statement["why"] else ""
    total = max(abs(statement.get(key, 0.0)) for key in ("labelling", "fee", "withheld", "amount"))
    amount, given = without_dust(statement["amount"], total), _say_samples(statement["contributed"])
    paid = f"is paid {amount:g}" if amount >= 0 else f"pays {-amount:g}"
    return f"{body['site']} {paid} for {given}{withheld}"


def _say_sum(amount: float) -> str:
    """Say what all payments come to; what rounding leaves of shares that cancel is nothing."""
    return f"{without_dust(amount, 1.0):g}"


_SAY: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "open": lambda body: f"{body['pact']['name']}: {len(body['pact']['agents'])} sites agree on a run",
    "ask": _say_ask,
    "answer": _say_answer,
    "refuse": lambda body: f"not accepted: {body['why']}",
    "gone": lambda body: f"{body['site']} is gone at {body['step']!r}: {body['why']}",
    "plan": lambda body: f"planned, for {body['plan']['cost']:g}: {_say_counts(body['plan']['contributions'])}",
    "choose": _say_choice,
    "train": lambda body: f"weights after round {body['round']}",
    "settle": lambda body: (
        f"settled by {body['settlement']['rule']}: spend {_say_sum(body['settlement']['spend'])}"
    ),
    "pay": _say_payment,
    "stop": lambda body: f"stopped: {body['why']}",
    "resume": lambda body: "taken up again",
    "close": lambda body: f"finished: {_say_sum(body['paid'])} paid in all",
}


def say_entry(entry: Entry) -> str:
    """Say what an entry records; of one that no run of this version writes, its body, shortened.

    Examples
    --------
    >>> from fedpact.protocol.ledger.entry import make_entry
    >>> body = {"site": "bob", "step": "report", "why": "no answer within 60 s"}
    >>> say_entry(make_entry(seq=1, at=0.0, run="r", kind="gone", body=body, previous="0" * 64))
    "bob is gone at 'report': no answer within 60 s"
    """
    try:
        said = _SAY[entry.kind](entry.body)
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError):
        said = shorten(entry.body)
    return one_line(said)
