"""Pairwise disagreement rates p_i(h, g) = D_i{x : h(x) != g(x)}, and by how much the agents' rates differ.

d(i, j) = max over pairs (h, g) of |p_i(h, g) - p_j(h, g)|, half the H-Delta-H divergence of Ben-David et al.
(2010). It is zero if and only if both agents would send the same report, and never above the total variation
distance of their distributions: only differences that some pair of hypotheses shows count. Of reports it is about
the rates as they were sent: where counts are hidden or noisy, not about the truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Floats
from fedpact.describe.condensed import pair_at
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
    if not fed.evidence.IS_COUNTED:
        return rates_against(find_domain(fed), np.arange(fed.H))
    if isinstance(fed.evidence, Reports):
        some = np.ix_(fed.distinct, fed.distinct)
        return np.stack([report.square()[some] / report.n for report in fed.evidence.reports])
    return rates_of(fed).rows(slice(None))


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


def _read_only(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


def _blocks(fed: Federation) -> Iterator[tuple[Floats, int]]:
    """Yield rates (k, n) of some pairs at a time, and which pairs: the place of the first, in a row or in all."""
    if isinstance(fed.evidence, Reports):
        reports = fed.evidence.reports
        step = max(1, _BLOCK // fed.k)
        for start in range(0, len(reports[0].counts), step):
            yield np.stack([report.counts[start : start + step] / report.n for report in reports]), start
        return
    step = max(1, _BLOCK // (fed.k * fed.H))
    for start in range(0, fed.H, step):
        rows = np.arange(start, min(start + step, fed.H))
        is_counted = fed.evidence.IS_COUNTED
        rates = rates_of(fed).rows(rows) if is_counted else rates_against(find_domain(fed), rows)
        yield rates.reshape(fed.k, -1), start * fed.H


def _name_pair(fed: Federation, place: int) -> tuple[str, str]:
    if isinstance(fed.evidence, Reports):
        h, g = pair_at(place, fed.evidence.reports[0].H)
        return fed.evidence.hypotheses[h], fed.evidence.hypotheses[g]
    return fed.hypotheses[place // fed.H], fed.hypotheses[place % fed.H]


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
    largest, place = 0.0, None
    for rates, start in _blocks(fed):
        for agent in range(fed.k - 1):
            gaps = np.abs(rates[agent + 1 :] - rates[agent])
            most = gaps.max(axis=1)
            values[agent, agent + 1 :] = np.maximum(values[agent, agent + 1 :], most)
            if most.max() > largest:
                largest, place = float(most.max()), start + int(gaps[most.argmax()].argmax())
    return Divergence(
        values=_read_only(np.maximum(values, values.T)),
        pair=None if place is None else _name_pair(fed, place),
        names=fed.names,
    )
