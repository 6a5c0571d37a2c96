"""The network of a simulated world: it loses, delays, repeats, reorders and changes what it carries."""

from __future__ import annotations

from collections.abc import Callable

from fedpact.protocol.simulator.weather import Weather

Arrive = Callable[[bytes], None]


class Network:
    """Carries bytes, as the weather has it."""

    def __init__(self, weather: Weather) -> None:
        self._weather = weather
        self._seen: list[tuple[bytes, Arrive]] = []

    def carry(self, data: bytes, arrive: Arrive) -> None:
        """Send bytes on their way, and perhaps something that was sent before."""
        weather = self._weather
        self._seen.append((data, arrive))
        if weather.strikes("replay"):
            old, where = weather.rng.choice(self._seen)
            weather.note("   an old message is sent once more")
            weather.after(self._delay(), lambda: where(old))
        if weather.strikes("garbage"):
            data = self._change(data)
        if weather.strikes("loss"):
            weather.note("   lost")
            return
        weather.after(self._delay(), lambda: arrive(data))
        if weather.strikes("duplicate"):
            weather.after(self._delay() + 1.0, lambda: arrive(data))

    def _change(self, data: bytes) -> bytes:
        rng = self._weather.rng
        at = rng.randrange(len(data))
        self._weather.note(f"   byte {at} is changed")
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]

    def _delay(self) -> float:
        is_slow = self._weather.strikes("late")
        return self._weather.rng.expovariate(1 / 60 if is_slow else 1 / 0.5)
