"""The state of a run: what the entries of its ledger say so far, and nothing else.

A run is resumed by reading its entries again. :func:`after` is a pure function, so that whoever reads the same
entries knows the same: who reported, who was asked for which samples and has delivered them, who is gone, what
was planned, chosen, settled and paid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.coded import Coded
from fedpact.describe.report_files import from_bytes
from fedpact.describe.reports import Report
from fedpact.errors import LedgerError
from fedpact.mechanism.payment.settlement import Settlement
from fedpact.planning.result import Plan
from fedpact.protocol.ledger.entry import Entry, well_formed
from fedpact.protocol.messages import Contributed, Evaluated, Receipt, Reported, read_body
from fedpact.protocol.operator.reasons import Why
from fedpact.protocol.pact import Pact


@lru_cache(maxsize=64)
def parse_report(data: bytes) -> Report:
    """Read a report's file, once."""
    return from_bytes(data, "report")


class RunStatus(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    """It goes on, or was cut short."""
    STOPPED = "stopped"
    """There is no plan as things are."""
    FINISHED = "finished"
    """Contributions are verified, and every payment is on the books."""
    DISPUTED = "disputed"
    """It is finished, and one site alone decided, somebody is flagged, or a target is missed or not proved."""
    ABANDONED = "abandoned"
    """The operator gave it up; nothing more happens to it."""


OVER = (RunStatus.FINISHED, RunStatus.ABANDONED)
"""Nothing more happens to a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request to a site, as the ledger has it."""

    request: str
    site: str
    step: str
    body: Mapping[str, Any]
    asked: float
    """When; a run that is resumed changes nothing in that."""
    deadline: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone(Coded):
    """Why a site takes no further part."""

    step: str
    """In which it was lost."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunState:
    """Everything that is known of a run."""

    run: str
    pact: Pact
    opened: float
    """When."""
    status: RunStatus = RunStatus.RUNNING
    why: Coded | None = None
    """Why it stopped, if it did."""
    asks: Mapping[str, Ask] = field(default_factory=dict)
    """Every request that was ever made, by its name."""
    dropped: frozenset[str] = frozenset()
    """Requests for reports that were given up when the run was resumed; their sites are asked anew."""
    answered: Mapping[str, str] = field(default_factory=dict)
    """Request -> digest of what was answered."""
    answered_at: Mapping[str, float] = field(default_factory=dict)
    delivered: Mapping[str, int] = field(default_factory=dict)
    """Request -> samples that were labelled for it."""
    reports: Mapping[str, Report] = field(default_factory=dict)
    pools: Mapping[str, int | None] = field(default_factory=dict)
    contributed: Mapping[str, int] = field(default_factory=dict)
    """Site -> samples that it has labelled."""
    mistakes: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    """Site -> (H,) on how many of its samples each candidate is wrong."""
    exhausted: frozenset[str] = frozenset()
    """Sites that delivered less than they were asked for, and are not asked for more."""
    gone: Mapping[str, Gone] = field(default_factory=dict)
    plan: Plan | None = None
    is_plan_current: bool = False
    """Whether the plan is about the sites that are left."""
    chosen: int | None = None
    """Index of the chosen candidate."""
    hypothesis: str | None = None
    """Its name."""
    checks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Site -> what the check of its contribution found."""
    evaluated: Mapping[str, Evaluated] = field(default_factory=dict)
    disputed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Site -> what would have been chosen without it."""
    unproved: tuple[str, ...] = ()
    """Sites whose targets the samples that count do not prove."""
    budget: float | None = None
    """What the operator has agreed to pay in all at most."""
    settlement: Settlement | None = None
    settled: float | None = None
    """When."""
    withheld: Mapping[str, str] = field(default_factory=dict)
    """Site -> why it is not paid."""
    payments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Site -> its statement."""
    receipts: frozenset[str] = frozenset()
    """Sites that have their statement."""
    unreached: frozenset[str] = frozenset()
    """Sites that could not be given their statement; their payment is due all the same."""
    refusals: int = 0
    """Messages that were not accepted."""

    @property
    def left(self) -> tuple[str, ...]:
        """Sites that are not gone."""
        return tuple(name for name in self.pact.names if name not in self.gone)

    @property
    def covered(self) -> tuple[str, ...]:
        """Sites whose targets a plan has to meet: those that did not leave before it was carried out."""
        lost = {name for name, gone in self.gone.items() if gone.step in ("report", "contribute")}
        return tuple(name for name in self.pact.names if name in self.reports and name not in lost)

    @property
    def open(self) -> tuple[Ask, ...]:
        """Requests that wait for an answer."""
        return tuple(
            ask for ask in self.asks.values() if ask.request not in self.answered and not self.is_lost(ask)
        )

    def is_lost(self, ask: Ask) -> bool:
        """Whether nobody will answer; a site that is gone may still fetch its statement."""
        return ask.request in self.dropped or ask.site in (self.unreached if ask.step == "pay" else self.gone)

    def asked_for(self, site: str, step: str) -> int:
        """How many requests of a step a site has had."""
        return sum(ask.site == site and ask.step == step for ask in self.asks.values())


def _after_ask(state: RunState, entry: Entry) -> RunState:
    ask = Ask(asked=entry.at, **entry.body)
    return replace(state, asks={**state.asks, ask.request: ask})


def _after_answer(state: RunState, entry: Entry) -> RunState:
    ask = state.asks[entry.body["request"]]
    state = replace(
        state,
        answered={**state.answered, ask.request: entry.body["digest"]},
        answered_at={**state.answered_at, ask.request: entry.at},
    )
    body, site = read_body(ask.step, entry.body["body"]), ask.site
    match body:
        case Reported():
            return replace(
                state,
                reports={**state.reports, site: parse_report(body.report)},
                pools={**state.pools, site: body.pool},
            )
        case Contributed():
            before = state.mistakes.get(site, np.zeros(len(body.mistakes), dtype=np.int64))
            is_short = body.m < ask.body["total"] - ask.body["have"]
            return replace(
                state,
                contributed={**state.contributed, site: state.contributed.get(site, 0) + body.m},
                delivered={**state.delivered, ask.request: body.m},
                mistakes={**state.mistakes, site: before + body.mistakes},
                exhausted=state.exhausted | ({site} if is_short else frozenset()),
                is_plan_current=state.is_plan_current and not is_short,
            )
        case Evaluated():
            return replace(state, evaluated={**state.evaluated, site: body})
        case Receipt():
            return replace(state, receipts=state.receipts | {site})
    raise LedgerError(f"entry {entry.seq} records an answer that is none")


def _after_gone(state: RunState, entry: Entry) -> RunState:
    site, step = entry.body["site"], entry.body["step"]
    if step == "pay":
        return replace(state, unreached=state.unreached | {site})
    why = Gone(step=step, code=entry.body["code"], values=entry.body["values"])
    is_current = state.is_plan_current and step not in ("report", "contribute")
    return replace(state, gone={**state.gone, site: why}, is_plan_current=is_current)


def _after_resume(state: RunState, entry: Entry) -> RunState:
    """Give open requests their whole time again; after a stop, also ask who was gone or could give no more."""
    was_stopped = state.status is RunStatus.STOPPED
    gone, exhausted = ({}, frozenset[str]()) if was_stopped else (state.gone, state.exhausted)
    moved = replace(state, gone=gone, exhausted=exhausted, status=RunStatus.RUNNING, why=None)
    if was_stopped and state.pact.choice is not None:  # what a site answered once it says again: ask anew
        refused = [name for name, gone in state.gone.items() if gone.code != Why.LATE]
        over = {ask.request for ask in moved.open if ask.step == "report" and ask.site in refused}
        moved = replace(moved, dropped=state.dropped | over)
    is_open = {ask.request for ask in moved.open}
    asks = {
        name: replace(ask, deadline=entry.at + state.pact.patience[ask.step]) if name in is_open else ask
        for name, ask in state.asks.items()
    }
    return replace(moved, asks=asks, is_plan_current=state.is_plan_current and not was_stopped)


def _after_stop(state: RunState, entry: Entry) -> RunState:
    """Stop; unless it is for the budget, or somebody was asked to label, all are asked to report again later."""
    why = Coded(code=entry.body["code"], values=entry.body["values"])
    stopped = replace(state, status=RunStatus.STOPPED, why=why)
    is_asked_again = why.code != Why.OVER_BUDGET and not any(
        ask.step == "contribute" for ask in state.asks.values()
    )
    return replace(stopped, reports={}, pools={}) if is_asked_again else stopped


def _after_plan(state: RunState, entry: Entry) -> RunState:
    """Take a plan, its sites in the order of the pact: canonical JSON has sorted them."""
    found = Plan.from_dict(entry.body["plan"])
    ordered = {name: found.contributions[name] for name in state.pact.names if name in found.contributions}
    return replace(state, plan=replace(found, contributions=ordered), is_plan_current=True)


_AFTER: Mapping[str, Callable[[RunState, Entry], RunState]] = {
    "ask": _after_ask,
    "answer": _after_answer,
    "refuse": lambda state, entry: replace(state, refusals=state.refusals + 1),
    "gone": _after_gone,
    "plan": _after_plan,
    "choose": lambda state, entry: replace(
        state,
        chosen=entry.body["index"],
        hypothesis=entry.body["hypothesis"],
        checks=entry.body["checks"],
        withheld=entry.body["withheld"],
        disputed=entry.body.get("disputed", {}),
        unproved=tuple(entry.body.get("unproved", ())),
    ),
    "settle": lambda state, entry: replace(
        state, settlement=Settlement.from_dict(entry.body["settlement"]), settled=entry.at
    ),
    "pay": lambda state, entry: replace(
        state, payments={**state.payments, entry.body["site"]: entry.body["statement"]}
    ),
    "stop": _after_stop,
    "resume": _after_resume,
    "approve": lambda state, entry: replace(state, budget=float(entry.body["budget"])),
    "abandon": lambda state, entry: replace(state, status=RunStatus.ABANDONED),
    "close": lambda state, entry: replace(state, status=RunStatus.FINISHED),
}
"""What each kind of entry changes."""


def after(state: RunState, entry: Entry) -> RunState:
    """Return the state after one more entry of its run."""
    if entry.kind not in _AFTER:
        raise LedgerError(f"entry {entry.seq} is of a kind that this version does not know: {entry.kind!r}")
    return _AFTER[entry.kind](state, entry)


def replay(entries: Iterable[Entry]) -> RunState:
    """Return the state of a run from its entries, the first of which opens it; those of others are passed over."""
    listed = iter(entries)
    first = next(listed, None)
    if first is None or first.kind != "open":
        raise LedgerError("a run must begin with its pact; there is no such entry")
    with well_formed(f"entry {first.seq}"):
        pact = Pact.from_dict(first.body["pact"])
        state = RunState(run=first.run, pact=pact, opened=first.at, budget=pact.budget)
    for entry in listed:
        if entry.run == state.run:
            with well_formed(f"entry {entry.seq}"):
                state = after(state, entry)
    return state
