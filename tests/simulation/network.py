"""The network of a simulated world: it loses, delays, repeats, reorders and changes what it carries.

A site may also speak for another: in its name, in its own to another's request, or for the operator.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from fedpact.protocol.canonical import from_canonical, to_canonical
from fedpact.protocol.keys.signing import SigningKey, sign_value
from fedpact.protocol.messages import MOST_BYTES
from fedpact.protocol.operator.run_state import Ask
from fedpact.protocol.site.site import Site
from simulation.event_queue import EventQueue

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


def forge_answer(said: bytes, ask: Ask, thief: Site, rng: random.Random) -> bytes:
    """Answer what somebody else was asked, in its name or in one's own, with what was just said."""
    value = from_canonical(said, most=MOST_BYTES)
    body = value["body"] if value["step"] == ask.step else {"refused": "it is not worth it"}
    name = rng.choice([ask.site, thief.name])
    rest = {"protocol": value["protocol"], "run": value["run"], "body": body}
    assert thief.key is not None, "every site of a stage has a key"
    return to_canonical(sign_value(thief.key, {**rest, "request": ask.request, "site": name, "step": ask.step}))


def forge_request(data: bytes, stranger: SigningKey) -> bytes:
    """Ask for more than the operator does, under the same name or a new one."""
    value = from_canonical(data, most=MOST_BYTES)
    del value["signature"]
    if value["step"] == "contribute":
        value["body"]["total"] += 3
        value["request"] += "0"
    return to_canonical(sign_value(stranger, value))
