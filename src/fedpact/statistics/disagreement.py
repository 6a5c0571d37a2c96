"""Pairwise disagreement rates p_i(h, g) = D_i{x : h(x) != g(x)}, and by how much the agents' rates differ.

d(i, j) = max over pairs (h, g) of |p_i(h, g) - p_j(h, g)|, half the H-Delta-H divergence of Ben-David et al.
(2010). It is zero if and only if both agents would send the same report, and never above the total variation
distance of their distributions: only differences that some pair of hypotheses shows count. Of reports it is about
the rates as they were sent: where counts are hidden or noisy, not about the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Floats, Places, slices
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.result import Result
from fedpact.rows import Column
from fedpact.statistics.domain import find_domain, rates_against
from fedpact.statistics.rates import rates_of


@takes_federation
def disagreement(fed: Federation) -> NDArray[np.float64]:
    """(k, H, H) how often any two of the H different hypotheses disagree on each agent's data.

    Of reports it is what they say: where counts are estimates, hidden or noisy, not the truth.

    Examples
    --------
    >>> from fedpact.describe.federation import Federation
    >>> fed = Federation.from_table([[0, 0], [0, 1]], [[0.75, 0.25]], epsilon=0.1, delta=0.1)
    >>> disagreement(fed).tolist()
    [[[0.0, 0.25], [0.25, 0.0]]]
    """
    return _rates(_as_said(fed), np.arange(fed.H))


def take_for_truth(evidence: Reports) -> Reports:
    """Return the reports with their counts taken for the truth, hidden or noisy as they may be."""
    sites = tuple(replace(site, minimum_count=0, noise=None) for site in evidence.reports)
    return replace(evidence, reports=sites, confidence=None)


def _as_said(fed: Federation) -> Federation:
    if not isinstance(fed.evidence, Reports) or fed.evidence.is_exact:
        return fed
    return replace(fed, evidence=take_for_truth(fed.evidence))


def _rates(fed: Federation, rows: Places) -> Floats:
    """(k, t, H) rates between some hypotheses and all."""
    return rates_of(fed).rows(rows) if fed.evidence.IS_COUNTED else rates_against(find_domain(fed), rows)


_BLOCK = 2**22
"""Rates that are held at once."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Divergence(Result):
    """How much every two agents differ."""

    DERIVED: ClassVar = ("largest", "agents")

    values: Floats
    """(k, k) the largest difference of two agents' rates of disagreement."""
    pair: tuple[str, str] | None
    """The hypotheses that show the largest difference of all; None if there is none."""
    names: tuple[str, ...]

    @property
    def largest(self) -> float:
        """The largest difference."""
        return float(self.values.max())

    @property
    def agents(self) -> tuple[str, str] | None:
        """The agents that differ most; None if all are alike."""
        if not self.largest > 0:
            return None
        i, j = np.unravel_index(int(self.values.argmax()), self.values.shape)
        return self.names[int(i)], self.names[int(j)]

    def own_columns(self) -> list[Column]:
        """List the largest difference of every two agents' rates: a column for each agent."""
        rows = zip(self.names, self.values.tolist(), strict=True)
        return [Column("agent", str, self.names), *(Column(name, float, tuple(row)) for name, row in rows)]


@takes_federation
def divergence(fed: Federation) -> Divergence:
    """Find how much every two agents' data differ, as far as the hypotheses can tell.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> found = divergence(alice_bob())
    >>> found.values.round(9).tolist(), found.agents, found.pair
    ([[0.0, 0.6], [0.6, 0.0]], ('alice', 'bob'), ('nowhere', 'xB'))
    """
    values = np.zeros((fed.k, fed.k))
    largest, pair, said = 0.0, None, _as_said(fed)
    for block in slices(fed.H, _BLOCK // (fed.k * fed.H)):
        rates = _rates(said, np.arange(block.start, block.stop))
        for agent in range(fed.k - 1):
            gaps = np.abs(rates[agent + 1 :] - rates[agent])
            values[agent, agent + 1 :] = np.maximum(values[agent, agent + 1 :], gaps.max(axis=(1, 2)))
            if gaps.max() > largest:
                _, h, g = np.unravel_index(gaps.argmax(), gaps.shape)
                largest, pair = float(gaps.max()), (fed.hypotheses[block.start + int(h)], fed.hypotheses[int(g)])
    values = np.maximum(values, values.T)
    values.flags.writeable = False
    return Divergence(values=values, pair=pair, names=fed.names)
