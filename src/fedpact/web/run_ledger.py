"""What the Run page reads in a ledger, once or as it is written. Nothing is ever written here.

A ledger may be a stranger's. One whose chain is sound may still hold what no run of this version writes; that is
said in a sentence, like everything else that stands in the way of reading. However many follow a ledger, one task
looks for new entries, and none when nobody does; the newest steps are kept, so that who follows reads the ledger
only to catch up.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any, ParamSpec, TypeVar

import fedpact as fp
from fedpact.explain.ledger import say_entry
from fedpact.explain.phrases import say_reason
from fedpact.protocol.operator.outcome import make_outcome
from fedpact.web.models import SiteView, Standing, StepView

MOST_STEPS = 500
"""That are read at once."""
PATIENCE = 5.0
"""Seconds that a page waits for a ledger."""
SLOW = "the ledger cannot be read: another program holds it, or it is far away; it is tried again"
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError)
_THREADS = 8
_TERMS = ("name", "delta", "objective", "guarantee", "method", "confidence", "rule", "fee", "false_alarm_rate")

P = ParamSpec("P")
T = TypeVar("T")


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


def _say_step(entry: fp.protocol.Entry) -> StepView:
    kept = {name: getattr(entry, name) for name in ("seq", "at", "run", "kind", "hash")}
    return StepView(**kept, time=say_time(entry.at), what=say_entry(entry))


def read_steps(where: str, after: int, most: int = MOST_STEPS) -> list[StepView]:
    """Read the entries that follow the one with a number, up to so many."""
    with _opened(where) as ledger:
        return [_say_step(entry) for entry in islice(ledger.entries(after + 1), most)]


def read_newest(where: str, most: int = MOST_STEPS) -> list[StepView]:
    """Read the newest entries, the oldest of them first."""
    with _opened(where) as ledger:
        return [_say_step(entry) for entry in ledger.entries(max(len(ledger) - most, 0) + 1)]


def read_on(where: str, last: StepView) -> list[StepView]:
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


def _read_standing(ledger: fp.protocol.Ledger) -> Standing:
    if ledger.last("open") is None:
        return Standing(length=len(ledger), head=ledger.head)
    state = fp.protocol.read_run(ledger)
    outcome, terms = make_outcome(state, ledger.head).to_dict(), state.pact.to_dict()
    slugs = {one.site: one.slug for one in fp.protocol.statements_of(ledger)} if state.payments else {}
    return Standing(
        length=len(ledger),
        head=ledger.head,
        run=state.run,
        status=state.status,
        terms={name: terms[name] for name in _TERMS if name in terms},
        outcome=outcome,
        sites=[_read_site(state, name, outcome["evaluation"][name], slugs.get(name)) for name in state.pact.names],
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


_BETWEEN = 0.2
"""Seconds between two looks at a file."""
_BETWEEN_FAR = 1.0
"""Seconds between two looks at a database, which means a connection each time."""
_KEPT = 1_000


class Feed:
    """A ledger that somebody may listen to.

    Parameters
    ----------
    where
        Path or URL of the ledger.
    reader
        The threads that read it.
    is_there
        Whether there is something to read; if not, that is no trouble until somebody says that there is.
    """

    def __init__(self, where: str, reader: Reader, *, is_there: bool = True) -> None:
        self.where, self.is_there = where, is_there
        self.trouble: str | None = None
        """Why the ledger could not be read the last time."""
        self.change = asyncio.Event()
        self.has_ended = False
        """Whether nobody is to listen any more, because the server ends."""
        self._reader = reader
        self._recent: deque[StepView] = deque(maxlen=_KEPT)
        self.listeners = 0
        self._looking: asyncio.Task[None] | None = None
        self._one_looks, self._one_reads = asyncio.Lock(), asyncio.Lock()
        self._standing: Standing | None = None

    @property
    def length(self) -> int:
        """How many entries are known."""
        return self._recent[-1].seq if self._recent else 0

    def tell(self) -> None:
        """Let everybody look who listens."""
        self.change.set()
        self.change = asyncio.Event()

    def end(self) -> None:
        """Let everybody leave who listens."""
        self.has_ended = True
        self.tell()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Look for new entries meanwhile."""
        self.listeners += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_again_and_again())
        try:
            yield
        finally:
            self.listeners -= 1
            if not self.listeners and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    async def _look_again_and_again(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(_BETWEEN_FAR if "://" in self.where else _BETWEEN)

    async def look(self) -> None:
        """Look for new entries, once."""
        async with self._one_looks:
            while await self._look():
                pass

    async def _look(self) -> bool:
        """Read some more; returns whether there may be more still."""
        if not self.is_there:
            return False
        last = self._recent[-1] if self._recent else None
        begin = self._reader.begin
        pending = begin(read_newest, self.where) if last is None else begin(read_on, self.where, last)
        done, _ = await asyncio.wait([pending], timeout=PATIENCE)
        if not done:
            self._note(SLOW)
        try:
            steps = await pending
        except (fp.FedpactError, OSError) as error:
            self._note(str(error))
            return False
        self._recent.extend(steps)
        if steps or self.trouble is not None:
            self.trouble = None
            self.tell()
        return len(steps) >= MOST_STEPS and last is not None

    def _note(self, trouble: str) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            self.tell()

    async def since(self, after: int) -> list[StepView]:
        """Return known steps after a number, not necessarily all at once.

        Raises
        ------
        LedgerError
            If they have to be read from the ledger again, and cannot be.
        """
        if after >= self.length:
            return []
        if self._recent[0].seq <= after + 1:
            return [step for step in self._recent if step.seq > after]
        return await self._reader.read(read_steps, self.where, after)

    async def standing(self) -> Standing:
        """Return how far the last run is.

        Raises
        ------
        LedgerError
            If the ledger cannot be read.
        """
        if not self.is_there:
            return Standing()
        try:
            async with asyncio.timeout(PATIENCE), self._one_reads:
                self._standing = await self._reader.begin(read_standing, self.where, self._standing)
        except TimeoutError:
            raise fp.errors.LedgerError(SLOW) from None
        return self._standing
