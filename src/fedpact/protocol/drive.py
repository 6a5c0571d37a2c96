"""The loop between an operator and whatever carries its messages, and what carries them within one process."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeAlias

from fedpact.describe.parsing import one_line
from fedpact.errors import FedpactError
from fedpact.protocol.operator.operator import Operator, Outgoing
from fedpact.protocol.operator.run_state import RunState
from fedpact.protocol.site.site import Site

LOG = logging.getLogger(__name__)
Watch: TypeAlias = Callable[[RunState, Mapping[str, str]], None]
"""Is shown how a run stands, and for which requests sites wait for what."""


class Transport(Protocol):
    """Carries messages to sites and answers back; it may lose, delay, repeat and reorder them."""

    def send(self, outgoing: Outgoing) -> None:
        """Send a message on its way."""

    def receive(self, until: float) -> list[bytes]:
        """Return answers that have arrived, as soon as there are any, or none when the time has come."""


def drive(
    operator: Operator, transport: Transport, clock: Callable[[], float], watch: Watch | None = None
) -> RunState:
    """Run until the run is over; ``watch`` is called whenever something may have changed."""
    while True:
        for outgoing in operator.advance(clock()):
            transport.send(outgoing)
        if watch is not None:
            watch(operator.state, operator.pending)
        if operator.is_over:
            return operator.state
        for data in transport.receive(until=operator.wake_at or clock()):
            operator.receive(data, clock())


class InProcess:
    """Carries messages between an operator and sites of the same process, each of which answers in a thread.

    An answer that takes too long is waited for no longer than the operator says. What goes wrong at a site is
    logged once, kept in ``notes``, and otherwise like a site that does not answer.
    """

    def __init__(self, sites: Mapping[str, Site], clock: Callable[[], float] = time.time) -> None:
        self.sites, self.clock = dict(sites), clock
        self.notes: list[str] = []
        self._pool = ThreadPoolExecutor(max_workers=max(1, len(self.sites)), thread_name_prefix="site")
        self._busy: dict[Future[bytes], Outgoing] = {}

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def send(self, outgoing: Outgoing) -> None:
        """Let the site answer, unless it is busy with the same request."""
        site = self.sites.get(outgoing.site)
        if site is not None and outgoing not in self._busy.values():
            self._busy[self._pool.submit(site.answer, outgoing.data)] = outgoing

    def receive(self, until: float) -> list[bytes]:
        """Return what the sites have answered."""
        done, _ = wait(self._busy, timeout=max(0.0, until - self.clock()), return_when=FIRST_COMPLETED)
        if not self._busy:
            time.sleep(max(0.0, min(0.1, until - self.clock())))
        answers = []
        for future in done:
            outgoing, error = self._busy.pop(future), future.exception()
            if error is None:
                answers.append(future.result())
            else:
                self._note(f"site {outgoing.site!r} fails at {outgoing.step!r}: {_say(error)}")
        return answers

    def _note(self, line: str) -> None:
        if line not in self.notes:
            self.notes.append(line)
            LOG.error(line)


def _say(error: BaseException) -> str:
    """Say what went wrong on one line; errors that are not fedpact's may make no sense without their names."""
    named = str(error) if isinstance(error, FedpactError) else f"{type(error).__name__}: {error}"
    return one_line(named)
