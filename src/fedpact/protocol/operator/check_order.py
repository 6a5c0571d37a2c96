"""Whether an entry of a run could stand where it stands.

Nothing is decided while a request waits for an answer, and requests of one step are made together. Everybody
who is left has reported before a plan is made; a candidate is chosen when everybody has given what the last
plan says; then come the evaluation by everybody who is left, the settlement, the statements for all whom it
names, and these are sent. A run that stopped goes on only when it is taken up again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fedpact.coded import Coded, coded
from fedpact.protocol.ledger.entry import Entry
from fedpact.protocol.operator.run_facts import RunFacts

_ANY_TIME = ("refuse", "resume", "answer", "gone")
_BEFORE_CHOICE = ("ask report", "ask contribute", "plan", "stop", "choose")
_AFTER_CHOICE = ("ask evaluate", "ask pay", "settle", "pay", "close")


def name_of(entry: Entry) -> str:
    """Return what an entry is, in a word or two."""
    return f"ask {entry.body['step']}" if entry.kind == "ask" else entry.kind


def _check_plan(facts: RunFacts) -> Iterator[Coded]:
    for site in facts.left:
        if site not in facts.reports:
            yield coded("planned-early", site=site)


def _check_choice(facts: RunFacts) -> Iterator[Coded]:
    if facts.planned is None:
        yield coded("chosen-without-plan")
        return
    if set(facts.planned) != set(facts.parties):
        yield coded("chosen-by-old-plan")
    for site in facts.given:
        if facts.given[site] != facts.planned.get(site, 0):
            yield coded("chosen-early", site=site, given=facts.given[site])


def _check_settlement(facts: RunFacts) -> Iterator[Coded]:
    if facts.settlement is not None:
        yield coded("settled-twice")
    for site in facts.left:
        if not facts.was_asked(site, "evaluate"):
            yield coded("settled-early", site=site)


def _check_sending(facts: RunFacts) -> Iterator[Coded]:
    for site in () if facts.settlement is None else facts.settlement["payments"]:
        if site not in facts.statements:
            yield coded("sent-early", site=site)


def _check_close(facts: RunFacts) -> Iterator[Coded]:
    if facts.settlement is None:
        yield coded("closed-early")
    for site in facts.statements:
        if not facts.was_asked(site, "pay"):
            yield coded("not-sent", site=site)


_CHECKS: Mapping[str, Callable[[RunFacts], Iterator[Coded]]] = {
    "plan": _check_plan,
    "stop": _check_plan,
    "choose": _check_choice,
    "settle": _check_settlement,
    "ask pay": _check_sending,
    "close": _check_close,
}


def check_order(facts: RunFacts, entry: Entry) -> Iterator[Coded]:
    """Say why an entry could not come next."""
    name = name_of(entry)
    if facts.is_stopped and entry.kind not in ("refuse", "resume"):
        yield coded("went-on")
    if name in _ANY_TIME:
        return
    if facts.open and not (entry.kind == "ask" and facts.last == name):
        yield coded("before-answer", what=name, request=next(iter(facts.open)))
    if facts.chosen is not None and name in _BEFORE_CHOICE:
        yield coded("after-choice", what=name)
    if facts.chosen is None and name in _AFTER_CHOICE:
        yield coded("before-choice", what=name)
    if name in _CHECKS:
        yield from _CHECKS[name](facts)
