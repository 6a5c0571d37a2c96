"""Noise that a site added to its counts before it sent them, described so that plans can allow for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fedpact.describe.names import read_choice
from fedpact.describe.numbers import read_chance, read_number
from fedpact.errors import FederationError

MECHANISMS = ("discrete-gaussian",)
_SLACK = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Independent noise on every count, and the differential privacy that it gives.

    Examples
    --------
    >>> Noise(scale=10.0, privacy_epsilon=1.0, privacy_delta=1e-6).reach(0.001)
    37
    """

    mechanism: str = "discrete-gaussian"
    scale: float
    """Noise z has a chance in proportion to exp(-z^2 / 2 scale^2); its standard deviation is at most this."""
    privacy_epsilon: float
    privacy_delta: float
    """The report is (epsilon, delta)-differentially private if one point is exchanged for another."""

    def __post_init__(self) -> None:
        read_choice(self.mechanism, "noise: mechanism", MECHANISMS)
        for field in ("scale", "privacy_epsilon"):
            value = read_number(getattr(self, field), f"noise: {field}")
            if not value > 0:
                raise FederationError(f"noise: {field} must be above 0; it is {value:g}")
            object.__setattr__(self, field, value)
        object.__setattr__(self, "privacy_delta", read_chance(self.privacy_delta, "noise: privacy_delta"))

    def reach(self, risk: float) -> int:
        """Whole number that the noise of one count exceeds, in a given direction, with at most this chance.

        A discrete Gaussian Z is subgaussian as the continuous one is, E exp(a Z) <= exp(a^2 scale^2 / 2)
        (Canonne, Kamath and Steinke 2020), so that Pr[Z >= t] <= exp(-t^2 / 2 scale^2). To exceed the reach is
        to be at least the reach + 1. For a small scale the bound is nearly an equality, hence the slack for
        rounding.
        """
        tail = self.scale * math.sqrt(2 * math.log(1 / risk)) * (1 + _SLACK)
        return max(0, math.ceil(tail) - 1)
