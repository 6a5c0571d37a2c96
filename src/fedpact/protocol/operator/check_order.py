"""Whether an entry of a run could stand where it stands.

Nothing is decided while a request waits for an answer, and requests of one step are made together. Everybody
who is left has reported before a plan is made; a candidate is chosen when everybody has given what the last
plan says; then come the rounds of training, if they were agreed on, the evaluation by everybody who is left,
the settlement, the statements for all whom it names, and these are sent. A run that stopped goes on only when
it is taken up again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.operator.run_facts import RunFacts

_ANY_TIME = ("refuse", "resume", "answer", "gone")
_BEFORE_CHOICE = ("ask report", "ask contribute", "plan", "stop", "choose")
_AFTER_CHOICE = ("ask train", "ask evaluate", "ask pay", "train", "settle", "pay", "close")


def name_of(entry: Entry) -> str:
    """Return what an entry is, in a word or two."""
    return f"ask {entry.body['step']}" if entry.kind == "ask" else entry.kind


def _check_plan(facts: RunFacts) -> Iterator[str]:
    for site in facts.left:
        if site not in facts.reports:
            yield f"planned before {site!r} had reported"


def _check_choice(facts: RunFacts) -> Iterator[str]:
    if facts.planned is None:
        yield "a candidate was chosen, and nothing was planned"
        return
    if set(facts.planned) != set(facts.parties):
        yield "a candidate was chosen, and the plan is not about those who are left"
    for site in facts.given:
        if facts.given[site] != facts.planned.get(site, 0):
            yield f"a candidate was chosen when {site!r} had given {facts.given[site]}, not what was planned"


def _check_round(facts: RunFacts) -> Iterator[str]:
    for site in facts.left if facts.weights is not None else ():
        if facts.given[site] and not facts.was_asked(site, "train", round=facts.round + 1):
            yield f"{site!r} was not asked to train in round {facts.round + 1}"


def _check_settlement(facts: RunFacts) -> Iterator[str]:
    if facts.settlement is not None:
        yield "settled twice"
    for site in facts.left:
        if not facts.was_asked(site, "evaluate"):
            yield f"settled before {site!r} was asked for its evaluation"


def _check_training_is_over(facts: RunFacts) -> Iterator[str]:
    terms = facts.pact["training"]
    if terms is not None and facts.round < terms["rounds"]:
        yield f"went on after {facts.round} rounds of training; {terms['rounds']} were agreed on"


def _check_sending(facts: RunFacts) -> Iterator[str]:
    for site in () if facts.settlement is None else facts.settlement["payments"]:
        if site not in facts.statements:
            yield f"statements were sent before there was one for {site!r}"


def _check_close(facts: RunFacts) -> Iterator[str]:
    if facts.settlement is None:
        yield "the run was closed, and nothing was settled"
    for site in facts.statements:
        if not facts.was_asked(site, "pay"):
            yield f"{site!r} was not sent its statement"


_CHECKS: Mapping[str, Callable[[RunFacts], Iterator[str]]] = {
    "plan": _check_plan,
    "stop": _check_plan,
    "choose": _check_choice,
    "train": _check_round,
    "ask evaluate": _check_training_is_over,
    "settle": _check_settlement,
    "ask pay": _check_sending,
    "close": _check_close,
}


def check_order(facts: RunFacts, entry: Entry) -> Iterator[str]:
    """Say why an entry could not come next."""
    name = name_of(entry)
    if facts.is_stopped and entry.kind not in ("refuse", "resume"):
        yield "the run had stopped, and went on without being taken up again"
    if name in _ANY_TIME:
        return
    if facts.open and not (entry.kind == "ask" and facts.last == name):
        yield f"{name!r} comes before {next(iter(facts.open))} was answered or given up"
    if facts.chosen is not None and name in _BEFORE_CHOICE:
        yield f"{name!r} comes after a candidate was chosen"
    if facts.chosen is None and name in _AFTER_CHOICE:
        yield f"{name!r} comes before a candidate was chosen"
    if name in _CHECKS:
        yield from _CHECKS[name](facts)
