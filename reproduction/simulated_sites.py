"""Sites that draw samples, many at once: only how often each pair of hypotheses differs is kept of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp

_BLOCK = 8_000_000
Floats = NDArray[np.float64]


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

    def count_flagged(self, are_suspicious: Callable[[Any], Any], mass: Floats, m: int, sites: int) -> int:
        """Draw sites in blocks of bounded memory and count those that have a suspicious pair."""
        flagged, step = 0, max(1, _BLOCK // self.differ.shape[1])
        for start in range(0, sites, step):
            counts = self.draw_counts(mass, m, min(step, sites - start))
            flagged += int(are_suspicious(counts).any(axis=1).sum())
        return flagged


def _find_points(fed: fp.Federation) -> tuple[NDArray[Any], Floats]:
    """(H, n) labels and (k, n) masses of the points at which hypotheses differ, those that split alike merged."""
    seen: Any = fed.evidence
    if hasattr(seen, "distributions"):
        labels, mass = seen.labels, seen.distributions
    elif hasattr(seen, "predictions"):
        owner = np.repeat(np.arange(fed.k), [array.shape[1] for array in seen.predictions])
        mass = (owner == np.arange(fed.k)[:, None]) / np.bincount(owner, minlength=fed.k)[:, None]
        labels = np.concatenate(seen.predictions, axis=1)
    else:
        raise fp.FederationError("fed must be given by a table or by predictions, to draw from; it is by reports")
    labels = np.asarray(labels)[fed.distinct]
    first = (labels[:, None] == labels[None]).argmax(axis=0)  # only equality matters: the first with that label
    useful = first.any(axis=0) & (mass > 0).any(axis=0)
    columns, inverse = np.unique(first[:, useful], axis=1, return_inverse=True)
    merged = np.zeros((fed.k, columns.shape[1]))
    for row, masses in zip(merged, mass[:, useful], strict=True):
        np.add.at(row, inverse.ravel(), masses)
    return columns, merged


def simulate_sites(fed: fp.Federation, rng: np.random.Generator) -> SimulatedSites:
    """Prepare to draw sites of a federation whose points are known.

    Examples
    --------
    >>>     >>> drawn = simulate_sites(alice_bob(), np.random.default_rng(0))
    >>> counts = drawn.draw_counts(drawn.mass[0], m=1000, sites=2)
    >>> counts.shape, (abs(counts / 1000 - drawn.rates[0]) < 0.05).all()
    ((2, 6), np.True_)
    """
    if fed.H < 2:
        raise fp.FederationError("fed must have at least two hypotheses that differ; it has 1")
    labels, mass = _find_points(fed)
    rest = np.maximum(1 - mass.sum(axis=1, keepdims=True), 0.0)
    h, g = np.triu_indices(fed.H, k=1)
    differ = np.vstack([(labels[h] != labels[g]).T, np.zeros((1, len(h)), dtype=bool)])
    return SimulatedSites(
        names=fed.names,
        mass=np.hstack([mass, rest]),
        differ=differ.astype(np.float32),
        rates=np.clip(fp.planning.disagreement(fed)[:, h, g], 0.0, 1.0),
        rng=rng,
    )
