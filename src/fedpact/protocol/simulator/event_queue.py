"""The event queue of a simulated world: time, chance, and a log of what struck when.

Everything that happens is an event at a simulated time, and everything that is left to chance asks one generator,
in one order, so that a seed that fails fails again in just the same way. After a while faults stop: nothing
goes wrong any more, and whatever was begun must come to its end.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable

from fedpact.errors import ProtocolError
from fedpact.protocol.simulator.faults import NO_FAULTS, Faults

START, STORM = 1000.0, 400.0
"""When the world begins, and seconds after which nothing goes wrong any more."""


class Crash(BaseException):
    """A process died; nothing may catch this but the world that it died in."""


class StuckError(ProtocolError):
    """A run that does not come to an end although nothing goes wrong any more."""


class EventQueue:
    """Time, chance and what came of them."""

    def __init__(self, rng: random.Random, faults: Faults) -> None:
        self.rng, self.faults, self.now = rng, faults, START
        self.log: list[str] = []
        self.tally: Counter[str] = Counter()
        """How often each fault has struck."""
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()

    def strikes(self, fault: str, times: float = 1.0) -> bool:
        """Draw whether a fault happens now, and count it."""
        is_struck: bool = self.rng.random() < getattr(self.faults, fault) * times
        self.tally[fault] += is_struck
        return is_struck

    def note(self, text: str) -> None:
        """Write a line of the log."""
        self.log.append(f"{self.now:9.3f} {text}")

    def after(self, delay: float, happen: Callable[[], None]) -> None:
        """Let something happen after some seconds."""
        heapq.heappush(self._events, (self.now + max(delay, 0.0), next(self._order), happen))

    def go_on(self) -> bool:
        """Let the next thing happen; whether there was any."""
        if not self._events:
            return False
        self.now, _, happen = heapq.heappop(self._events)
        if self.now > START + STORM and self.faults is not NO_FAULTS:
            self.faults = NO_FAULTS
            self.note("faults stop")
        happen()
        return True
