"""What agents claim, and the federation that follows from it.

What a claim is depends on what is private: the masses of a distribution (a table; predictions are one too, on
the points that tell hypotheses apart), the disagreement rates of a report, or the cost of a sample. A claim is
an array; whatever is not claimed is as it is in truth.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Linear
from fedpact.describe.evidence import Reports, Table
from fedpact.describe.federation import Federation, with_evidence
from fedpact.describe.hypothesis_class import number_names
from fedpact.describe.names import read_choice
from fedpact.describe.reports import Report, hide_counts
from fedpact.errors import FederationError
from fedpact.mechanism.payment.rule import check_linear_costs
from fedpact.statistics.domain import find_domain

PRIVATE = ("data", "costs")
Claim: TypeAlias = NDArray[np.float64]
ELSEWHERE = "all agree"
_MOST_LETTERS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims(ABC):
    """What is private in a federation, and how to make the federation that the agents claim to be."""

    truth: Federation

    @abstractmethod
    def of(self, agent: int) -> Claim:
        """Return the true claim."""

    @abstractmethod
    def federation(self, claims: Mapping[int, Claim]) -> Federation:
        """Return the federation in which some agents claim something else."""

    @abstractmethod
    def describe(self, agent: int, claim: Claim) -> dict[str, float]:
        """Return a claim in words that can be printed."""

    @final
    def with_twin(self, claim: Mapping[int, Claim], second: Claim) -> Federation:
        """Return the federation in which the one agent that claims takes part under two names, the second last."""
        (agent,) = claim
        return replace(self, truth=_add_twin(self.truth, agent)).federation({**claim, self.truth.k: second})


def second_name(fed: Federation, agent: int) -> str:
    """Name under which an agent takes part once more, one that nobody has."""
    tries = (f"{fed.names[agent]} ({number})" for number in itertools.count(2))
    return next(name for name in tries if name not in fed.names)


def _add_twin(fed: Federation, agent: int) -> Federation:
    """Let one agent take part under a second name too, with its own data and half of its capacity."""
    own = fed.agents[agent]
    first, twin = own, replace(own, name=second_name(fed, agent))
    if own.capacity is not None:
        half = own.capacity // 2
        first, twin = replace(own, capacity=own.capacity - half), replace(twin, capacity=half)
    evidence = _own_evidence(fed).restrict([*range(fed.k), agent])
    agents = (*fed.agents[:agent], first, *fed.agents[agent + 1 :], twin)
    return with_evidence(replace(fed, agents=agents), evidence)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MassClaims(Claims):
    """Agents claim distributions over the points of a table."""

    @property
    def table(self) -> Table:
        """The true masses and the class."""
        return table_of(self.truth, "another report")

    def of(self, agent: int) -> Claim:
        """Return the true masses (n,)."""
        return np.asarray(self.table.distributions[agent])

    def federation(self, claims: Mapping[int, Claim]) -> Federation:
        """Return the federation with some rows of the table replaced."""
        rows = self.table.distributions.copy()
        for agent, claim in claims.items():
            rows[agent] = claim
        return with_evidence(self.truth, replace(self.table, distributions=rows))

    def describe(self, agent: int, claim: Claim) -> dict[str, float]:
        """Mass of every point that has some."""
        return {point: float(mass) for point, mass in zip(self.table.points, claim, strict=True) if mass}


def table_of(fed: Federation, what: str) -> Table:
    """Return the table of a federation, or say that ``what`` needs one."""
    if not isinstance(fed.evidence, Table):
        raise FederationError(
            f"{what} needs a federation given as a table, so that other distributions can be put in its place; "
            f"{fed.name!r} is given otherwise"
        )
    return fed.evidence


def with_distributions(fed: Federation, distributions: NDArray[np.float64]) -> Federation:
    """Return the federation with the same class, targets and costs, and other distributions (k, n)."""
    return MassClaims(truth=fed).federation(dict(enumerate(distributions)))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RateClaims(Claims):
    """Agents claim disagreement rates of pairs, rounded to counts on as many points as they really have."""

    @property
    def evidence(self) -> Reports:
        """The true reports."""
        assert isinstance(self.truth.evidence, Reports), "made for no others"
        return self.truth.evidence

    def of(self, agent: int) -> Claim:
        """Return the true rates (H(H-1)/2,)."""
        report = self.evidence.reports[agent]
        return report.counts / report.n

    def federation(self, claims: Mapping[int, Claim]) -> Federation:
        """Return the federation with some reports replaced."""
        reports = list(self.evidence.reports)
        for agent, claim in claims.items():
            reports[agent] = _report(reports[agent], claim)
        return with_evidence(self.truth, replace(self.evidence, reports=tuple(reports)))

    def describe(self, agent: int, claim: Claim) -> dict[str, float]:
        """Rate of every pair of hypotheses, as it is sent."""
        names, sent = self.evidence.hypotheses, _report(self.evidence.reports[agent], claim)
        pairs = zip(*np.triu_indices(len(names), k=1), sent.counts / sent.n, strict=True)
        return {f"({names[h]}, {names[g]})": float(rate) for h, g, rate in pairs}


def _report(true: Report, claim: Claim) -> Report:
    counts = np.rint(np.clip(claim, 0, 1) * true.n).astype(np.int64)
    return replace(true, counts=hide_counts(counts, true.n, true.minimum_count))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CostClaims(Claims):
    """Agents claim a cost per sample; their data are known."""

    def of(self, agent: int) -> Claim:
        """Return the true cost (1,)."""
        return np.array([float(self.truth.agents[agent].cost(1))])

    def federation(self, claims: Mapping[int, Claim]) -> Federation:
        """Return the federation with some costs replaced."""
        costs = [agent.cost for agent in self.truth.agents]
        for agent, claim in claims.items():
            costs[agent] = Linear(float(claim[0]))
        return self.truth.replace(cost=costs)

    def describe(self, agent: int, claim: Claim) -> dict[str, float]:
        """Cost per sample."""
        return {"cost": float(claim[0])}


def _name_points(labels: NDArray[np.int32]) -> tuple[str, ...]:
    """Name points by who agrees with whom, "aba" where the first and the third hypothesis do; or number them.

    Examples
    --------
    >>> _name_points(np.array([[0, 0], [1, 0], [0, 2]], dtype=np.int32))
    ('aba', 'aac')
    """
    H, n = labels.shape
    if H > _MOST_LETTERS:
        return number_names("x", n)
    return tuple("".join(chr(ord("a") + label) for label in column) for column in labels.T.tolist())


def _as_table(fed: Federation) -> Table:
    """Points that tell hypotheses apart, merged, and one more on which all agree."""
    domain = find_domain(fed)
    labels = np.hstack([domain.labels, np.zeros((fed.H, 1), dtype=domain.labels.dtype)])
    rest = np.clip(1 - domain.mass.sum(axis=1, keepdims=True), 0, 1)
    return Table(
        labels=labels,
        distributions=np.hstack([domain.mass, rest]),
        points=(*_name_points(domain.labels), ELSEWHERE),
        hypotheses=fed.hypotheses,
    )


def _own_evidence(fed: Federation) -> Table | Reports:
    """Return what is known of the agents' data, predictions as a table."""
    return fed.evidence if isinstance(fed.evidence, Table | Reports) else _as_table(fed)


def claims_of(fed: Federation, private: str) -> Claims:
    """Say what agents can claim where "data" or "costs" are private."""
    if read_choice(private, "private", PRIVATE) == "costs":
        check_linear_costs(fed, "private costs")
        return CostClaims(truth=fed)
    if isinstance(fed.evidence, Reports):
        return RateClaims(truth=fed)
    is_table = isinstance(fed.evidence, Table)
    return MassClaims(truth=fed if is_table else with_evidence(fed, _as_table(fed)))
