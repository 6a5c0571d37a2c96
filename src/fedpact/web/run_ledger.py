"""What the Run page reads in a ledger, once or as it is written. Nothing is ever written here.

A ledger may be a stranger's. One whose chain is sound may still hold what no run of this version writes; that is
said in a sentence, like everything else that stands in the way of reading.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, ParamSpec, TypeVar

import fedpact as fp
from fedpact.explain.ledger import say_entry, say_time
from fedpact.explain.phrases import say_reason
from fedpact.protocol.ledger.entry import well_formed
from fedpact.protocol.operator.outcome import make_outcome
from fedpact.web.models import SiteView, Standing, StepView

MOST_STEPS = 500
"""That are read at once."""
PATIENCE = 5.0
"""Seconds that a page waits for a ledger."""
SLOW = "the ledger cannot be read: another program holds it, or it is far away; it is tried again"
_THREADS = 8
_TERMS = ("name", "delta", "objective", "guarantee", "method", "confidence", "rule", "fee", "false_alarm_rate")

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def _opened(where: str) -> Iterator[fp.protocol.Ledger]:
    """Open a ledger to read; whatever cannot be read is a LedgerError."""
    with fp.protocol.Ledger.open(where) as ledger, well_formed("the ledger"):
        yield ledger


def _say_step(entry: fp.protocol.Entry) -> StepView:
    kept = {name: getattr(entry, name) for name in ("seq", "at", "run", "kind", "hash")}
    return StepView(**kept, time=say_time(entry.at), what=say_entry(entry))


def read_steps(where: str, after: int | None, known: str | None = None) -> list[StepView]:
    """Read the entries that follow the one with a number, or the newest; insist on that one's hash if it is known.

    Raises
    ------
    LedgerError
        If it has another: somebody has put another ledger in its place.
    """
    with _opened(where) as ledger:
        if known is not None and known not in [entry.hash for entry in islice(ledger.entries(after or 1), 1)]:
            raise fp.errors.LedgerError(
                f"entry {after} is not there any more as it was read before: the ledger was replaced"
            )
        start = max(len(ledger) - MOST_STEPS, 0) if after is None else after
        return [_say_step(entry) for entry in islice(ledger.entries(start + 1), MOST_STEPS)]


def _read_site(state: fp.protocol.RunState, site: str, seen: Any, slug: str | None) -> SiteView:
    """Read how far a site is; its statement is named by its slug, for an address."""
    gone, statement = state.gone.get(site), state.payments.get(site)
    return SiteView(
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
        asked=next((ask.step for ask in state.open if ask.site == site), None),
        statement=slug,
    )


def read_standing(where: str) -> Standing:
    """Read how far the last run of a ledger is."""
    with _opened(where) as ledger:
        if ledger.last("open") is None:
            return Standing(length=len(ledger), head=ledger.head)
        state = fp.protocol.read_run(ledger)
        outcome, terms = make_outcome(state, ledger.head).to_dict(), state.pact.to_dict()
        slugs = {one.site: one.slug for one in fp.protocol.statements_of(ledger)} if state.payments else {}
        seen = outcome["evaluation"]
        return Standing(
            length=len(ledger),
            head=ledger.head,
            run=state.run,
            status=state.status,
            terms={name: terms[name] for name in _TERMS if name in terms},
            outcome=outcome,
            sites=[_read_site(state, name, seen[name], slugs.get(name)) for name in state.pact.names],
        )


def read_statements(where: str) -> list[fp.protocol.Statement]:
    """Read the statements of the last run; none if there is no run yet."""
    with _opened(where) as ledger:
        return [] if ledger.last("open") is None else fp.protocol.statements_of(ledger)


class Reader:
    """Threads that read ledgers, so that the server never waits for one."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="ledger")
        self._shared: dict[Hashable, tuple[float, asyncio.Future[Any]]] = {}

    async def read(self, read: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """Read, or give up after some seconds.

        Raises
        ------
        LedgerError
            If the ledger cannot be read, or not in time.
        """
        try:
            reading = asyncio.get_running_loop().run_in_executor(self._threads, partial(read, *args, **more))
            return await asyncio.wait_for(reading, PATIENCE)
        except TimeoutError:
            raise fp.errors.LedgerError(SLOW) from None

    async def read_once(self, seconds: float, read: Callable[..., T], *args: Any, given: Hashable) -> T:
        """Read for all who ask the same within some seconds while something is given: many cost what one does."""
        now, key = time.monotonic(), (read, args, given)
        self._shared = {asked: held for asked, held in self._shared.items() if held[0] > now}
        if key not in self._shared:
            reading = asyncio.ensure_future(self.read(read, *args))
            reading.add_done_callback(
                lambda done: done.cancelled() or done.exception()
            )  # whoever asked may be gone
            self._shared[key] = now + seconds, reading
        found: T = await asyncio.shield(self._shared[key][1])
        return found

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
