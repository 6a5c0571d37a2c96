"""What is true in a simulated world, whatever anybody says: distributions, costs, and honest sites' samples."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from fedpact.describe.federation import Federation
from fedpact.describe.report_files import to_bytes
from fedpact.protocol.site.pool import draw
from fedpact.protocol.site.site import Site, make_site_report
from fedpact.statistics.verification import verify

Enough = dict[tuple[tuple[str, ...], tuple[int, ...]], bool]


class Truth:
    """Knows what the operator can only be told.

    Parameters
    ----------
    fed
        The federation by its true distributions.
    sites, honest
        The sites, and the names of those that say what they see.
    enough
        Where it is kept which contributions are enough for whom; many worlds ask for the same.
    """

    def __init__(
        self, fed: Federation, sites: Mapping[str, Site], honest: Collection[str], enough: Enough
    ) -> None:
        self._fed, self._sites, self.honest, self._enough = fed, sites, frozenset(honest), enough

    @property
    def names(self) -> tuple[str, ...]:
        """The sites."""
        return self._fed.names

    @property
    def H(self) -> int:
        """How many candidates there are."""
        return len(self._fed.evidence.hypotheses)

    def cost(self, site: str, m: int) -> float:
        """Return what m samples cost a site."""
        return float(self._fed.agents[self.names.index(site)].cost(m))

    def is_limited(self, site: str) -> bool:
        """Whether there are samples that a site cannot give, or of which it says so."""
        agent, own = self._fed.agents[self.names.index(site)], self._sites[site]
        return agent.capacity is not None or own.pool.size is not None

    def is_enough(self, covered: tuple[str, ...], m: tuple[int, ...]) -> bool:
        """Whether contributions meet the targets of some sites, by the exact engine."""
        if (covered, m) not in self._enough:
            asked = {agent.name: agent.epsilon if agent.name in covered else 1.0 for agent in self._fed.agents}
            self._enough[covered, m] = verify(self._fed.replace(epsilon=asked), list(m)).is_feasible
        return self._enough[covered, m]

    def is_own_report(self, site: str, body: Mapping[str, Any]) -> bool:
        """Whether a report is what the site would say if it is honest."""
        if site not in self.honest:
            return True
        return base64.b64decode(body["report"]) == to_bytes(make_site_report(self._sites[site]))

    def are_own_mistakes(self, site: str, asked: Mapping[str, int], body: Mapping[str, Any]) -> bool:
        """Whether mistakes are those of just the samples that were asked for, if the site is honest."""
        if site not in self.honest:
            return True
        own, start, stop = self._sites[site], asked["have"], asked["total"]
        stop = max(start, stop if own.most is None else min(stop, own.most))
        assert own.seed is not None, "made-up sites draw by a seed"
        places = draw(own.pool, start, stop, seed=own.seed)
        wrong = (own.pool.predicted.labels[:, places] != np.asarray(own.labeller(places))).sum(axis=1)
        return bool(body["m"] == len(places) and body["mistakes"] == wrong.tolist())
