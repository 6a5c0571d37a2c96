"""A witness: the misreport that shows that a payment rule rewards one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fedpact.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness(Result):
    """A profitable misreport, with everything that is needed to check it."""

    DERIVED: ClassVar = ("gain",)

    deviation: str
    """How it was made: "mixed", "scaled", "moved", "guided", "grid", "random", "pair" or "split"."""
    agents: tuple[str, ...]
    """Who lies for the gain."""
    reports: dict[str, dict[str, float]]
    """What they report instead of the truth; "NAME (2)", or the next free number, is an agent's second name."""
    given: dict[str, dict[str, float]]
    """What others misreport both before and after; only where the others are not truthful."""
    contributions_truthful: dict[str, int]
    contributions_lying: dict[str, int]
    met_truthful: dict[str, bool]
    """Whose target is met in truth when the agents report the truth."""
    met_lying: dict[str, bool]
    utility_truthful: float
    """Of those who lie together, when they report the truth."""
    utility_lying: float

    @property
    def gain(self) -> float:
        """What the misreport brings."""
        return self.utility_lying - self.utility_truthful
