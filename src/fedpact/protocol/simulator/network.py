"""The network of a simulated world: it loses, delays, repeats, reorders and changes what it carries."""

from __future__ import annotations

from collections.abc import Callable

from fedpact.protocol.simulator.event_queue import EventQueue

Arrive = Callable[[bytes], None]


class Network:
    """Carries bytes, and loses, delays or repeats them when a fault strikes."""

    def __init__(self, queue: EventQueue) -> None:
        self._queue = queue
        self._seen: list[tuple[bytes, Arrive]] = []

    def carry(self, data: bytes, arrive: Arrive) -> None:
        """Send bytes on their way, and perhaps something that was sent before."""
        queue = self._queue
        self._seen.append((data, arrive))
        if queue.strikes("replay"):
            old, where = queue.rng.choice(self._seen)
            queue.note("   an old message is sent once more")
            queue.after(self._delay(), lambda: where(old))
        if queue.strikes("garbage"):
            data = self._change(data)
        if queue.strikes("loss"):
            queue.note("   lost")
            return
        queue.after(self._delay(), lambda: arrive(data))
        if queue.strikes("duplicate"):
            queue.after(self._delay() + 1.0, lambda: arrive(data))

    def _change(self, data: bytes) -> bytes:
        rng = self._queue.rng
        at = rng.randrange(len(data))
        self._queue.note(f"   byte {at} is changed")
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]

    def _delay(self) -> float:
        is_slow = self._queue.strikes("late")
        return self._queue.rng.expovariate(1 / 60 if is_slow else 1 / 0.5)
