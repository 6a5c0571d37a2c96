"""What the Run page reads in a ledger: steps, how far the last run is, statements. Nothing is ever written.

A ledger may be a stranger's. One whose chain is sound may still hold what no run of this version writes; that is
said in a sentence, like everything else that stands in the way of reading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, ParamSpec, TypeVar

import fedpact as fp
from fedpact.explain.entry import say_entry
from fedpact.explain.reason import say_reason
from fedpact.protocol.operator.outcome import make_outcome

MOST_STEPS = 500
"""That are read at once."""
PATIENCE = 5.0
"""Seconds that a page waits for a ledger."""
SLOW = "the ledger cannot be read: another program holds it, or it is far away; it is tried again"
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError)
_THREADS = 8

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An entry of a ledger, for people."""

    seq: int
    at: float
    """Seconds since the epoch, by the clock of who wrote it."""
    time: str
    """The same, as people write it (UTC)."""
    run: str
    kind: str
    what: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteProgress:
    """How far a site is."""

    site: str
    epsilon: float
    reported: bool
    samples: int
    """That it has labelled."""
    quota: int | None
    """That it is to label; None before there is a plan, and for who is not in it."""
    error: float | None
    """Of the chosen hypothesis on its held-out samples."""
    met: bool | None
    """Whether that meets its target."""
    paid: float | None
    received: bool
    """Whether it has signed for its statement."""
    gone: str | None
    """When and why it was lost."""
    withheld: str | None
    """Why it is not paid."""
    asked: str | None
    """The step for which an answer is waited for."""
    slug: str | None
    """Names its statement in addresses, if it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far the last run of a ledger is."""

    length: int
    """Entries of the ledger."""
    head: str | None
    """Hash of the newest."""
    run: str | None
    """Its name; None if the ledger has no run yet."""
    status: fp.protocol.RunStatus | None
    terms: dict[str, Any]
    """What was agreed on."""
    outcome: dict[str, Any] | None
    """As ``fedpact run --json`` has it."""
    sites: tuple[SiteProgress, ...]


NOTHING_YET = Standing(length=0, head=None, run=None, status=None, terms={}, outcome=None, sites=())
"""How far a run is whose ledger is still to be made."""


@contextmanager
def _opened(where: str) -> Iterator[fp.protocol.Ledger]:
    """Open a ledger to read; whatever cannot be read is a LedgerError."""
    try:
        with fp.protocol.Ledger.open(where) as ledger:
            yield ledger
    except _UNREADABLE as error:
        raise fp.errors.LedgerError(
            f"the ledger holds what no run of fedpact {fp.__version__} writes ({type(error).__name__}); check it"
        ) from error


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


def _say_step(entry: fp.protocol.Entry) -> Step:
    return Step(
        seq=entry.seq,
        at=entry.at,
        time=say_time(entry.at),
        run=entry.run,
        kind=entry.kind,
        what=say_entry(entry),
        hash=entry.hash,
    )


def read_steps(where: str, after: int, most: int = MOST_STEPS) -> list[Step]:
    """Read the entries that follow the one with a number, up to so many."""
    with _opened(where) as ledger:
        return [_say_step(entry) for entry in islice(ledger.entries(after + 1), most)]


def read_newest(where: str, most: int = MOST_STEPS) -> list[Step]:
    """Read the newest entries, the oldest of them first."""
    with _opened(where) as ledger:
        return [_say_step(entry) for entry in ledger.entries(max(len(ledger) - most, 0) + 1)]


def read_on(where: str, last: Step) -> list[Step]:
    """Read what was written since an entry, up to so many, and insist that this one is still there.

    Raises
    ------
    LedgerError
        If it is not: somebody has put another ledger in its place.
    """
    with _opened(where) as ledger:
        steps = [_say_step(entry) for entry in islice(ledger.entries(last.seq), MOST_STEPS + 1)]
    if not steps or steps[0].hash != last.hash:
        raise fp.errors.LedgerError(
            f"entry {last.seq} is not there any more as it was read before: the ledger was replaced"
        )
    return steps[1:]


def _site_progress(state: fp.protocol.RunState, site: str, seen: Any, slug: str | None) -> SiteProgress:
    gone, statement = state.gone.get(site), state.payments.get(site)
    waiting = [ask.step for ask in state.open if ask.site == site]
    return SiteProgress(
        site=site,
        epsilon=state.pact.agent(site).epsilon,
        reported=site in state.reports,
        samples=state.contributed.get(site, 0),
        quota=None if state.plan is None else state.plan.contributions.get(site),
        error=None if seen is None else seen["error"],
        met=None if seen is None else seen["met"],
        paid=None if statement is None else float(statement["amount"]),
        received=site in state.receipts,
        gone=None if gone is None else f"{gone.step}: {say_reason(gone.code, gone.values)}",
        withheld=say_reason(state.withheld[site], {}) if site in state.withheld else None,
        asked=waiting[0] if waiting else None,
        slug=slug,
    )


def _say_terms(pact: fp.protocol.Pact) -> dict[str, Any]:
    kept = ("name", "delta", "objective", "guarantee", "method", "confidence", "rule", "fee", "false_alarm_rate")
    return {name: value for name, value in pact.to_dict().items() if name in kept}


def _read_standing(ledger: fp.protocol.Ledger) -> Standing:
    if ledger.last("open") is None:
        return replace(NOTHING_YET, length=len(ledger), head=ledger.head)
    state = fp.protocol.read_run(ledger)
    outcome = make_outcome(state, ledger.head).to_dict()
    slugs = {one.site: one.slug for one in fp.protocol.statements_of(ledger)} if state.payments else {}
    return Standing(
        length=len(ledger),
        head=ledger.head,
        run=state.run,
        status=state.status,
        terms=_say_terms(state.pact),
        outcome=outcome,
        sites=tuple(
            _site_progress(state, name, outcome["evaluation"][name], slugs.get(name)) for name in state.pact.names
        ),
    )


def read_standing(where: str, known: Standing | None = None) -> Standing:
    """Read how far the last run of a ledger is; what is known is handed back if nothing was written since."""
    with _opened(where) as ledger:
        if known is not None and (known.length, known.head) == (len(ledger), ledger.head):
            return known
        return _read_standing(ledger)


def read_statements(where: str) -> list[fp.protocol.Statement]:
    """Read the statements of the last run; none if there is no run yet."""
    with _opened(where) as ledger:
        return [] if ledger.last("open") is None else fp.protocol.statements_of(ledger)


class Reader:
    """Threads that read ledgers, so that the server never waits for one."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="ledger")

    def begin(self, read: Callable[P, T], *args: P.args, **more: P.kwargs) -> asyncio.Future[T]:
        """Begin to read."""
        return asyncio.get_running_loop().run_in_executor(self._threads, lambda: read(*args, **more))

    async def read(self, read: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """Read, or give up after some seconds.

        Raises
        ------
        LedgerError
            If the ledger cannot be read, or not in time.
        """
        try:
            return await asyncio.wait_for(self.begin(read, *args, **more), PATIENCE)
        except TimeoutError:
            raise fp.errors.LedgerError(SLOW) from None

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
