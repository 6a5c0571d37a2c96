"""The operator's side of a run, without a network: bytes in, bytes out, and every step in the ledger first.

Whatever carries the messages calls :meth:`Operator.advance` with the time and sends what it returns, and hands
every answer to :meth:`Operator.receive`. Nothing is sent before the ledger has it, and nothing that arrives is
used before the ledger has it, so that a process that dies at any point is continued by another from the ledger
alone: it sends open requests again, under the names that they had, and a site that has answered one answers the
same. No request is made twice, hence no sample asked for twice and nobody paid twice.

What is not accepted: an answer that cannot be read, is not signed with the site's key, is about another run or
another site's request, or comes after the site was given up. It is noted (``refuse``), up to a limit, and the
operator goes on waiting for the true one. A site that answers under its own signature what cannot be used, or
that refuses, is *gone*, as is one that lets its time pass.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from fedpact.coded import Coded, coded
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.numbers import check_at_least
from fedpact.describe.report_files import count_candidates
from fedpact.errors import FederationError, LedgerError, MessageError
from fedpact.plain import to_plain
from fedpact.protocol.canonical import digest_of_value, from_canonical
from fedpact.protocol.keys.signing import SigningKey, sign_value
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.messages import (
    MOST_BYTES,
    Answer,
    Contributed,
    Pending,
    Receipt,
    Refused,
    Reported,
    Request,
    read_answer,
    write_request,
)
from fedpact.protocol.operator.decide import Draft, Planner, decide, plan_uncut, request_body
from fedpact.protocol.operator.reasons import NotAcceptedError, Why, cut, reason_of
from fedpact.protocol.operator.run_state import OVER, Ask, RunState, RunStatus, after, parse_report, replay
from fedpact.protocol.pact import Pact, name_run

MOST_CANDIDATES = 5_000
"""In a report, where nobody knows how many there must be."""
_MOST_REFUSALS = 1_000
"""Strangers cannot fill the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message for a site."""

    site: str
    step: str
    data: bytes
    deadline: float


class Operator:
    """Runs the protocol by the ledger; see :func:`start_run` and :func:`resume_run`."""

    def __init__(self, ledger: Ledger, state: RunState, *, key: SigningKey | None = None) -> None:
        self.ledger, self.state, self.key = ledger, state, key
        self.planner: Planner = plan_uncut
        self.pending: dict[str, str] = {}
        """Request -> what its site says it is waiting for."""
        self._sent: dict[str, float] = {}

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to do: the run is finished, or stopped."""
        return self.state.status is not RunStatus.RUNNING

    @property
    def wake_at(self) -> float | None:
        """When :meth:`advance` has to be called again at the latest; None if the run is over."""
        retry = self.state.pact.retry
        times = [min(ask.deadline, self._sent.get(ask.request, 0.0) + retry) for ask in self.state.open]
        return min(times, default=None)

    def advance(self, now: float) -> list[Outgoing]:
        """Give up whoever is late, take every step that can be taken, and return what is to be sent."""
        for ask in self.state.open:
            if ask.deadline <= now:
                self._give_up(ask, coded(Why.LATE, seconds=self.state.pact.patience[ask.step]), now)
        while drafts := decide(self.state, now, planner=self.planner):
            self._write(drafts, now)
        return [self._send(ask, now) for ask in self.state.open if self._is_due(ask, now)]

    def receive(self, data: bytes, now: float) -> None:
        """Take an answer."""
        try:
            answer = read_answer(data, self.state.pact.keys)
            ask = self._find_ask(answer)
        except MessageError as error:
            self.note(reason_of(error, Why.MALFORMED), now)
            return
        digest = digest_of_value(to_plain(answer.body))
        if ask.request in self.state.answered:
            if self.state.answered[ask.request] != digest and not isinstance(answer.body, Pending):
                self.note(coded(Why.ANSWERED_DIFFERENTLY, site=ask.site, request=ask.request), now)
        elif self.state.is_lost(ask):
            self.note(coded(Why.GIVEN_UP, site=ask.site, request=ask.request), now)
        else:
            self._accept(ask, answer, digest, data, now)

    def _accept(self, ask: Ask, answer: Answer, digest: str, data: bytes, now: float) -> None:
        body = answer.body
        if isinstance(body, Pending):
            self.pending[ask.request] = cut(body.why)
            return
        if isinstance(body, Refused):
            self._give_up(ask, coded(Why.REFUSED, detail=cut(body.why)), now)
            return
        try:
            check_body(self.state, ask, body)
        except (FederationError, MessageError) as error:
            self._give_up(ask, reason_of(error, Why.UNUSABLE), now)
            return
        self.pending.pop(ask.request, None)
        signature = from_canonical(data, most=MOST_BYTES).get("signature")  # for an auditor to check
        entry = {"request": ask.request, "digest": digest, "body": to_plain(body), "signature": signature}
        self._write([("answer", entry)], now)

    def _find_ask(self, answer: Answer) -> Ask:
        if answer.run != self.state.run:
            raise NotAcceptedError(Why.OTHER_RUN, site=cut(answer.site))
        ask = self.state.asks.get(answer.request)
        if ask is None or (ask.site, ask.step) != (answer.site, answer.step):
            raise NotAcceptedError(Why.NOT_ASKED, site=cut(answer.site))
        return ask

    def _is_due(self, ask: Ask, now: float) -> bool:
        return now >= self._sent.get(ask.request, float("-inf")) + self.state.pact.retry

    def _send(self, ask: Ask, now: float) -> Outgoing:
        self._sent[ask.request] = now
        body = request_body(self.state, ask)
        request = Request(run=self.state.run, request=ask.request, site=ask.site, step=ask.step, body=body)
        return Outgoing(site=ask.site, step=ask.step, data=write_request(request, self.key), deadline=ask.deadline)

    def _give_up(self, ask: Ask, why: Coded, now: float) -> None:
        self._write([("gone", {"site": ask.site, "step": ask.step, **to_plain(why)})], now)

    def note(self, why: Coded, now: float) -> None:
        """Note what is turned away: an answer, or before it came to that a node that cannot show a site's key."""
        if self.state.refusals < _MOST_REFUSALS:
            self._write([("refuse", to_plain(why))], now)

    def _write(self, drafts: list[Draft], now: float) -> None:
        """Write entries all at once, then believe them."""
        signed = [_sign(draft, self.key) for draft in drafts]
        for entry in self.ledger.append_all(signed, run=self.state.run, at=now):
            self.state = after(self.state, entry)


def _sign(draft: Draft, key: SigningKey | None) -> Draft:
    """Sign the statement of a payment."""
    kind, body = draft
    if kind != "pay" or key is None:
        return draft
    return kind, {**body, "statement": sign_value(key, body["statement"])}


def check_body(state: RunState, ask: Ask, body: object) -> None:
    """Raise unless what a site says fits what it was asked for and what it said before."""
    match body:
        case Reported():
            _check_report(state, ask.site, body)
        case Contributed():
            H, asked = state.reports[ask.site].H, ask.body["total"] - ask.body["have"]
            if len(body.mistakes) != H:
                raise NotAcceptedError(Why.WRONG_LENGTH, expected=H, found=len(body.mistakes))
            if body.m > asked:
                raise NotAcceptedError(Why.TOO_MANY, m=body.m, asked=asked)
        case Receipt():
            if body.statement != digest_of_value(state.payments[ask.site]):
                raise NotAcceptedError(Why.OTHER_STATEMENT)


def _check_report(state: RunState, site: str, body: Reported) -> None:
    """Raise unless a report is the site's own, and about the candidates of this run, if they are known.

    They are if the pact names them, or a plan was made. Else the reports are compared when all are there: whose
    come first must not decide whose are right.
    """
    candidates, H = _known_candidates(state)
    _check_number(body.report, H)
    report = parse_report(body.report)
    if report.name != site:
        raise NotAcceptedError(Why.REPORT_OF_ANOTHER, name=cut(report.name))
    if body.pool is not None and body.pool > report.n:
        raise NotAcceptedError(Why.POOL_TOO_LARGE, pool=body.pool, n=report.n)
    for why, found, most in (
        (Why.HIDES_TOO_MUCH, report.minimum_count, state.pact.minimum_count),
        (Why.TOO_MANY_CLASSES, report.n_classes, state.pact.n_classes),
    ):
        if most is not None and found > most:
            raise NotAcceptedError(why, found=found, most=most)
    if candidates is not None and report.candidates is not None:
        difference = candidates.difference(report.candidates)
        if difference is not None:
            raise NotAcceptedError(Why.OTHER_CANDIDATES, detail=cut(difference))
    if H is not None and report.H != H:
        raise NotAcceptedError(Why.OTHER_NUMBER, found=report.H, expected=H)


def _known_candidates(state: RunState) -> tuple[CandidateList | None, int | None]:
    """Return which candidates are compared, and how many; None where that is not settled."""
    if state.pact.candidates is not None:
        return state.pact.candidates, state.pact.candidates.H
    if state.plan is None:
        return None, None
    listed = (one.candidates for one in state.reports.values() if one.candidates is not None)
    return next(listed, None), next(iter(state.reports.values())).H


def _check_number(data: bytes, expected: int | None) -> None:
    """Raise if a report is about more candidates than are compared, before it is read: that would take long."""
    found = count_candidates(data)
    if expected is not None and found > expected:
        raise NotAcceptedError(Why.OTHER_NUMBER, found=found, expected=expected)
    if found > max(MOST_CANDIDATES, expected or 0):
        raise NotAcceptedError(Why.TOO_MANY_CANDIDATES, found=found, most=MOST_CANDIDATES)


def start_run(ledger: Ledger, pact: Pact, *, now: float, key: SigningKey | None = None) -> Operator:
    """Open a run in a ledger: the pact is its first entry.

    Raises
    ------
    LedgerError
        If the ledger has a run that is not finished.
    """
    last = ledger.last("open")
    if last is not None and read_run(ledger).status not in OVER:
        raise LedgerError(
            f"run {last.run!r} of this ledger is not finished; resume it, abandon it, or take another ledger"
        )
    _check_key(pact, key)
    run = name_run(pact.to_dict(), previous=ledger.head, at=float(now))
    opened = ledger.append("open", {"pact": pact.to_dict()}, run=run, at=now)
    return Operator(ledger, replay([opened]), key=key)


def read_run(ledger: Ledger) -> RunState:
    """Return how far the last run of a ledger is."""
    last = ledger.last("open")
    if last is None:
        raise LedgerError("the ledger has no run to resume; start one")
    return replay(ledger.entries(start=last.seq))


def resume_run(ledger: Ledger, *, now: float, key: SigningKey | None = None) -> Operator:
    """Continue the last run of a ledger; one that is finished stays so."""
    state = read_run(ledger)
    _check_key(state.pact, key)
    if state.status not in OVER:
        resumed = ledger.append("resume", {}, run=state.run, at=now)
        state = after(state, resumed)
    return Operator(ledger, state, key=key)


def approve(ledger: Ledger, budget: float, *, now: float) -> None:
    """Let the last run of a ledger cost so much in all; resume it to go on."""
    state, amount = _read_unfinished(ledger), check_at_least(budget, "budget", 0)
    ledger.append("approve", {"budget": amount}, run=state.run, at=now)


def abandon(ledger: Ledger, *, now: float) -> None:
    """Give the last run of a ledger up for good, so that another can be begun in it.

    Raises
    ------
    LedgerError
        If it is over already, or somebody has labelled for it: who labelled is to be paid.
    """
    state = _read_unfinished(ledger)
    if any(state.contributed.values()):
        raise LedgerError(f"sites have labelled for run {state.run!r}, and are to be paid; resume it")
    ledger.append("abandon", {}, run=state.run, at=now)


def _read_unfinished(ledger: Ledger) -> RunState:
    state = read_run(ledger)
    if state.status in OVER:
        raise LedgerError(f"run {state.run!r} is over")
    return state


def continue_or_start(ledger: Ledger, pact: Pact, *, entries: int, key: SigningKey | None = None) -> Operator:
    """Continue the ledger's run, or open one if the last was finished among the first ``entries``.

    A run that was opened later is the one that is wanted; finished, it stays so.
    """
    last = ledger.last("open")
    state = None if last is None else read_run(ledger)
    if last is None or state is None or (last.seq <= entries and state.status in OVER):
        return start_run(ledger, pact, now=time.time(), key=key)
    if state.pact.to_dict() != pact.to_dict():
        raise LedgerError(f"run {last.run!r} of this ledger is of another pact; take another ledger")
    return resume_run(ledger, now=time.time(), key=key)


def _check_key(pact: Pact, key: SigningKey | None) -> None:
    if pact.operator is not None and (key is None or key.public != pact.operator):
        raise LedgerError("the operator's key is not the one that the pact names; give the key of that pact")
