"""Sites that draw samples, many at once: only how often each pair of hypotheses differs is kept of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.condensed import to_condensed
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.errors import FederationError
from fedpact.mechanism.sample_checks.critical_counts import CriticalCounts, Floats
from fedpact.statistics.disagreement import disagreement
from fedpact.statistics.domain import find_domain

_BLOCK = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedSites:
    """What the sites of a federation draw from, and where hypotheses differ."""

    names: tuple[str, ...]
    """The k agents."""
    mass: Floats
    """(k, n + 1) every agent's mass on every point, and on all points where no hypotheses differ."""
    differ: NDArray[np.float32]
    """(n + 1, P) 1 where the two hypotheses of a pair differ."""
    rates: Floats
    """(k, P) how often they differ."""
    rng: np.random.Generator

    def find_farthest(self, agent: int) -> int:
        """Return the agent whose rates differ most from this one's."""
        return int(np.abs(self.rates - self.rates[agent]).max(axis=1).argmax())

    def draw_counts(self, mass: Floats, m: int, sites: int) -> NDArray[np.float32]:
        """(sites, P) on how many of m samples, drawn from ``mass`` (n + 1,), each pair of each site differs."""
        draws = self.rng.multinomial(m, mass / mass.sum(), size=sites)
        return np.asarray(draws.astype(np.float32) @ self.differ)

    def count_flagged(self, found: CriticalCounts, mass: Floats, sites: int) -> int:
        """Draw sites in blocks of bounded memory and count those that have a suspicious pair."""
        flagged, step = 0, max(1, _BLOCK // self.differ.shape[1])
        for start in range(0, sites, step):
            counts = self.draw_counts(mass, found.m, min(step, sites - start))
            flagged += int(found.are_suspicious(counts).any(axis=1).sum())
        return flagged


def simulate_sites(fed: Federation, rng: np.random.Generator) -> SimulatedSites:
    """Prepare to draw sites of a federation whose points are known.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> drawn = simulate_sites(alice_bob(), np.random.default_rng(0))
    >>> counts = drawn.draw_counts(drawn.mass[0], m=1000, sites=2)
    >>> counts.shape, (abs(counts / 1000 - drawn.rates[0]) < 0.05).all()
    ((2, 6), np.True_)
    """
    if isinstance(fed.evidence, Reports):
        raise FederationError("fed must be given by a table or by predictions, to draw from; it is by reports")
    if fed.H < 2:
        raise FederationError("fed must have at least two hypotheses that differ; it has 1")
    domain = find_domain(fed)
    rest = np.maximum(1 - domain.mass.sum(axis=1, keepdims=True), 0.0)
    h, g = np.triu_indices(fed.H, k=1)
    differ = np.vstack([(domain.labels[h] != domain.labels[g]).T, np.zeros((1, len(h)), dtype=bool)])
    rates = np.array([to_condensed(square) for square in disagreement(fed)])
    return SimulatedSites(
        names=fed.names,
        mass=np.hstack([domain.mass, rest]),
        differ=differ.astype(np.float32),
        rates=np.clip(rates, 0.0, 1.0),
        rng=rng,
    )
