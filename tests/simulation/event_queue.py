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
from dataclasses import dataclass, fields

from fedpact.errors import ProtocolError

START, STORM = 1000.0, 400.0
"""When the world begins, and seconds after which nothing goes wrong any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Chances of everything that can go wrong; the seed of a world draws the actual ones up to these."""

    loss: float = 0.3
    """Of a message being lost."""
    duplicate: float = 0.3
    """Of a message arriving once more, later."""
    late: float = 0.3
    """Of a message taking far longer than others."""
    garbage: float = 0.4
    """Of a byte of a message being changed on its way."""
    impersonation: float = 0.4
    """Of somebody else answering in a site's name, or asking in the operator's."""
    replay: float = 0.4
    """Of an old message of anybody's being sent once more."""
    server_crash: float = 0.1
    """Of the operator's process dying at a given write or send: before a write, after it, or after a send."""
    full_disk: float = 0.05
    """Of a write of the operator's being refused by the disk."""
    unknown_write: float = 0.05
    """Of a write of the operator's going through without its being told so."""
    zombie: float = 0.1
    """Of the operator's process being thought dead, so that another is started, while it goes on."""
    confusion: float = 0.3
    """Of somebody trying to open a new run at a restart, while there is one that is not finished."""
    clock: float = 0.3
    """Of the operator's clock being set to another time at a restart; a tenth as often while it runs."""
    site_crash: float = 0.4
    """Of a site's process dying at a given request, before or after it has saved its answer."""
    death: float = 0.8
    """Of a site's process not coming back from such a crash by itself."""
    lie: float = 1.0
    """Above 0 in a world in which one site makes up its mistake counts."""
    folly: float = 1.0
    """Of an answer of one site, in one step of every run, being nonsense under its own signature."""
    short: float = 1.0
    """Above 0 in a world in which one site can label only a few samples, and finds out when it is asked."""


NO_FAULTS = Faults(**{field.name: 0.0 for field in fields(Faults)})


def draw_faults(most: Faults, rng: random.Random) -> Faults:
    """Draw the chances of one world: half of all faults do not happen at all, so that worlds differ."""
    return Faults(
        **{
            field.name: getattr(most, field.name) * (rng.random() if rng.random() < 0.5 else 0.0)
            for field in fields(Faults)
        }
    )


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
