"""A witness: the lie that shows that a payment rule rewards lying, whether an audit or a theorem found it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable, rows_by_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness(Shows):
    """A profitable lie, with everything that is needed to check it."""

    kind: str
    """How the lie was made.

    An audit makes it "mixed", "scaled", "moved", "guided", "grid", "random", "pair" or "split"; what refutes a
    payment is a "neighbour", the report that leads to a neighbouring plan.
    """
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
        """What the lie brings."""
        return self.utility_lying - self.utility_truthful

    def shown(self) -> ShownTable:
        """Show what the lie changes for each agent."""
        return ShownTable(
            title=f"A lie of {', '.join(self.agents)} that pays",
            facts={
                "gain": self.gain,
                "utility by the truth": self.utility_truthful,
                "by the lie": self.utility_lying,
            },
            columns=[
                ("agent", str),
                ("samples_truthful", int),
                ("samples_lying", int),
                ("met_truthful", bool),
                ("met_lying", bool),
            ],
            rows=rows_by_name(
                self.contributions_truthful, self.contributions_lying, self.met_truthful, self.met_lying
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"agents": list(self.agents), "gain": self.gain}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Witness:
        """Read what :meth:`to_dict` wrote."""
        values = {key: value for key, value in entry.items() if key != "gain"}
        return cls(**values | {"agents": tuple(entry["agents"])})
