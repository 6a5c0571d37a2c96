"""What the entries of a run have said so far, as an auditor notes it; no code that runs the protocol is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Cost
from fedpact.describe.federation import Federation
from fedpact.describe.reports import Report
from fedpact.mechanism.sample_checks.power import LARGEST_QUOTA
from fedpact.protocol.messages import Evaluated

_TOL = 1e-9


def is_near(found: Any, wanted: float) -> bool:
    """Whether two numbers are the same but for rounding."""
    is_number = type(found) in (int, float)
    return is_number and bool(abs(float(found) - wanted) <= _TOL * max(1.0, abs(wanted)))


@dataclass(slots=True, kw_only=True)
class RunFacts:
    """What was agreed on, asked, answered, planned, chosen, settled and paid so far."""

    pact: Mapping[str, Any] = field(default_factory=dict)
    opened: float = 0.0
    costs: dict[str, Cost] = field(default_factory=dict)
    """Site -> what its samples cost; every site of the pact, in its order."""
    asks: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    asked_at: dict[str, float] = field(default_factory=dict)
    deadlines: dict[str, float] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)
    """Request that waits for an answer -> its site."""
    answered_at: dict[str, float] = field(default_factory=dict)
    delivered: dict[str, int] = field(default_factory=dict)
    """Request -> samples that were labelled for it."""
    reports: dict[str, Report] = field(default_factory=dict)
    pools: dict[str, int | None] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    """Site -> samples that it has labelled; every site of the pact."""
    mistakes: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    """Site -> (H,) on how many of its samples each candidate is wrong."""
    short: set[str] = field(default_factory=set)
    """Sites that delivered less than they were asked for."""
    gone: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Site -> the step in which it was lost, and why."""
    planned: Mapping[str, int] | None = None
    chosen: Mapping[str, Any] | None = None
    """What was written when a candidate was chosen."""
    evaluated: dict[str, Evaluated] = field(default_factory=dict)
    settlement: Mapping[str, Any] | None = None
    settled: float = 0.0
    """When."""
    statements: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    is_stopped: bool = False
    is_closed: bool = False
    last: str = ""
    """The entry before, in a word or two."""

    @property
    def left(self) -> tuple[str, ...]:
        """Sites that are not gone."""
        return tuple(site for site in self.given if site not in self.gone)

    @property
    def withheld(self) -> Mapping[str, str]:
        """Site -> why it is not paid."""
        return {} if self.chosen is None else self.chosen["withheld"]

    def has_left(self, site: str) -> bool:
        """Whether a site left before its target was met; then it has no part, and bears none of the cost."""
        return site in self.gone and self.gone[site]["step"] in ("report", "contribute")

    @property
    def parties(self) -> tuple[str, ...]:
        """Sites that a plan is about: who has reported and has not left, and who gave samples before it left."""
        return tuple(
            site
            for site, count in self.given.items()
            if site in self.reports and (count or not self.has_left(site))
        )

    def was_asked(self, site: str, step: str) -> bool:
        """Whether a site had a request of a step."""
        return any((ask["site"], ask["step"]) == (site, step) for ask in self.asks.values())

    def asks_for_samples(self, site: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Go through the requests for samples that a site had."""
        for name, ask in self.asks.items():
            if (ask["site"], ask["step"]) == (site, "contribute"):
                yield name, ask["body"]

    def cost_of(self, site: str) -> float:
        """Return what a site's samples cost it."""
        return float(self.costs[site](self.given[site]))

    def capacity(self, site: str) -> int:
        """Return how many samples may be asked of a site, by the pact and by its pool."""
        agreed = next(agent["capacity"] for agent in self.pact["agents"] if agent["name"] == site)
        return min(limit for limit in (agreed, self.pools[site], LARGEST_QUOTA) if limit is not None)

    def federation(self) -> Federation:
        """Return the federation of the parties, as they have reported; who has left has no target."""
        epsilon = {agent["name"]: agent["epsilon"] for agent in self.pact["agents"]}
        listed, parties = self.pact["candidates"], self.parties
        return Federation.from_reports(
            [self.reports[site] for site in parties],
            epsilon=[1.0 if self.has_left(site) else epsilon[site] for site in parties],
            delta=self.pact["delta"],
            cost=[self.costs[site] for site in parties],
            capacity=[self.capacity(site) for site in parties],
            objective=self.pact["objective"],
            guarantee=self.pact["guarantee"],
            hypotheses=None if listed is None else listed["names"],
        )
