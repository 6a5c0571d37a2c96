"""The operator's processes in a simulated world: one dies and another takes over, or two are alive at once.

A process opens the ledger, and a moment later begins to work by it; meanwhile one that was thought dead may have
gone on writing. Each has a clock of its own. One whose write fails may end, or go on and try again. Answers reach
any process that is up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fedpact.errors import LedgerError
from fedpact.protocol.ledger.store import Ledger
from fedpact.protocol.operator.operator import Operator, Outgoing
from fedpact.protocol.operator.run_state import RunStatus
from simulation.disk import Disk
from simulation.event_queue import Crash, EventQueue

Begin = Callable[[Ledger, float], Operator]
_MOMENT, _SOON, _A_WHILE = 1e-6, 5.0, 20.0
"""Seconds: more than rounding makes of a time; until a failed write is tried again; until a server is replaced."""


@dataclass(slots=True, eq=False)
class Server:
    """A process of the operator's."""

    number: int
    skew: float
    """Seconds by which its clock is wrong."""
    operator: Operator | None = None
    is_up: bool = True
    alarm: int = 0
    """Number of the last time at which it wants to be woken; earlier ones do not count."""


class Servers:
    """Keeps the operator running: starts a process, and another when that one is dead or seems to be."""

    def __init__(
        self,
        queue: EventQueue,
        disk: Disk,
        *,
        begin: Begin,
        send: Callable[[Outgoing], None],
        over: Callable[[RunStatus], None],
    ) -> None:
        self._queue, self._disk = queue, disk
        self._begin, self._send, self._over = begin, send, over
        self._all: list[Server] = []

    @property
    def working(self) -> list[Server]:
        """Processes that are up and at work."""
        return [server for server in self._all if server.is_up and server.operator is not None]

    def boot(self) -> None:
        """Start a process."""
        before = self._all[-1].skew if self._all else 0.0
        server = Server(number=len(self._all) + 1, skew=before + self._step_of_clock(1.0))
        self._all.append(server)
        ledger = self._disk.open()
        self._queue.note(f"server {server.number} starts, its clock off by {server.skew:.1f} s")
        self._queue.after(self._queue.rng.expovariate(1.0), lambda: self._enter(server, ledger))

    def hear(self, data: bytes) -> None:
        """Let an answer arrive at one of the processes that are up."""
        if not self.working:
            self._queue.note("   no server is there to hear it")
            return
        server = self._queue.rng.choice(self.working)
        operator = server.operator
        assert operator is not None, "it is at work"
        self._survive(server, lambda: operator.receive(data, self._time(server)))
        self._tick(server)

    def _time(self, server: Server) -> float:
        return self._queue.now + server.skew

    def _step_of_clock(self, times: float) -> float:
        return self._queue.rng.gauss(0.0, 30.0) if self._queue.strikes("clock", times) else 0.0

    def _enter(self, server: Server, ledger: Ledger) -> None:
        def work() -> None:
            server.operator = self._begin(ledger, self._time(server))

        self._survive(server, work)
        self._tick(server)

    def _survive(self, server: Server, work: Callable[[], None]) -> None:
        """Let a process do something, and die of it perhaps."""
        self._disk.is_calm = False
        try:
            work()
        except Crash as crash:
            self._end(server, f"dies {crash}")
        except LedgerError as error:
            is_stubborn = server.operator is not None and self._queue.rng.random() < 0.5
            if is_stubborn:
                self._queue.note(f"server {server.number} goes on after this: {error}")
            else:
                self._end(server, f"gives up: {error}")
        finally:
            self._disk.is_calm = True

    def _end(self, server: Server, why: str) -> None:
        self._queue.note(f"server {server.number} {why}")
        self._queue.tally["server_ends"] += 1
        server.is_up = False
        self._queue.after(self._queue.rng.expovariate(1 / _A_WHILE), lambda: self._replace(server))

    def _replace(self, server: Server) -> None:
        """Start another process, unless that was done already."""
        if self._all[-1] is server:
            self.boot()

    def _tick(self, server: Server) -> None:
        if not server.is_up or server.operator is None:
            return
        if server is self._all[-1] and self._queue.strikes("zombie"):
            self._queue.note(f"server {server.number} is thought dead, and is not")
            self.boot()
        server.skew += self._step_of_clock(0.1)
        self._survive(server, lambda: self._advance(server))
        if server.is_up:
            self._wait(server)

    def _advance(self, server: Server) -> None:
        assert server.operator is not None, "only who is at work ticks"
        for outgoing in server.operator.advance(self._time(server)):
            self._send(outgoing)
            if self._queue.strikes("server_crash"):
                raise Crash("after a send")

    def _wait(self, server: Server) -> None:
        """Go to sleep until the operator wants to be woken; or end, if its run is over."""
        assert server.operator is not None, "only who is at work ticks"
        if server.operator.is_over:
            server.is_up = False
            if self._all[-1] is server:
                self._over(server.operator.state.status)
            return
        wake_at, server.alarm = server.operator.wake_at, server.alarm + 1
        delay, alarm = _SOON if wake_at is None else wake_at - self._time(server), server.alarm
        self._queue.after(max(delay, 0.0) + _MOMENT, lambda: self._wake(server, alarm))

    def _wake(self, server: Server, alarm: int) -> None:
        if alarm == server.alarm:
            self._tick(server)
