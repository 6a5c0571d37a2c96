"""The loop between an operator and whatever carries its messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from fedpact.protocol.operator.operator import Operator, Outgoing
from fedpact.protocol.operator.run_state import RunState

Watch: TypeAlias = Callable[[RunState, Mapping[str, str]], None]
"""Is shown how a run stands, and for which requests sites wait for what."""


class Transport(Protocol):
    """Carries messages to sites and answers back; it may lose, delay, repeat and reorder them."""

    def send(self, outgoing: Outgoing) -> None:
        """Send a message on its way."""

    def receive(self, until: float) -> list[bytes]:
        """Return answers that have arrived, as soon as there are any, or none when the time has come."""


def drive(
    operator: Operator,
    transport: Transport,
    clock: Callable[[], float],
    watch: Watch | None = None,
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
