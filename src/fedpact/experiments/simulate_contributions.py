"""Honest and lying sites, simulated, against what the check of contributions promises.

An honest site reported its own D_i and draws its m samples from it. A lying one reported D_i but draws from
(1 - s) D_i + s D_j, where j is the agent whose rates differ most from its own: s is the share of samples that are
not what it said. Every site is judged by the critical counts that :func:`fedpact.check_contribution` uses.

Honest sites must be flagged with at most the chance ``level``; false alarms are counted and bounded by Clopper
and Pearson. Lying sites are flagged at least as often as their most telling pair is suspicious, which is computed
exactly beside the simulated share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from scipy.special import betaincinv

from fedpact.describe.federation import Federation
from fedpact.describe.numbers import read_chance, read_number, read_whole_number
from fedpact.describe.progress import Progress
from fedpact.errors import FederationError
from fedpact.experiments.contribution_check_page import draw
from fedpact.experiments.simulated_sites import SimulatedSites, simulate_sites
from fedpact.mechanism.sample_checks.critical_counts import CriticalCounts, find_critical_counts, gather_rates
from fedpact.mechanism.sample_checks.power import read_quotas
from fedpact.result import Result

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

QUOTAS = (10, 30, 100)
LIES = tuple(step / 10 for step in range(1, 11))
SITES = 10_000
LYING_SITES = 1_000
CONFIDENCE = 0.99


class SimulationStatus(StrEnum):
    """How the false alarms compare with the level."""

    WITHIN = "within"
    """So say the upper confidence limits of all rows at once."""
    NOT_ABOVE = "not-above"
    """No row has more false alarms than the level allows."""
    ABOVE = "above"
    """Some row has more false alarms than the level allows: the check does not keep its promise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HonestSites:
    """Honest sites of one agent at one quota."""

    agent: str
    m: int
    sites: int
    flagged: int
    low: float
    """Lower confidence limit of the chance of being flagged."""
    high: float
    """Upper confidence limit of the chance of being flagged."""
    false_alarm: float
    """What is certified of that chance: at most this, which is at most the level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LyingSites:
    """Sites that reported one agent's data and mixed in another's, at one quota."""

    agent: str
    other: str
    m: int
    lie: float
    """Share of the samples that come from the other's data."""
    sites: int
    flagged: int
    caught: float
    """Chance, at least, of being caught: the exact one of the most telling pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributionSimulation(Result):
    """How often simulated sites were flagged, honest and lying."""

    ROWS: ClassVar = "lying"

    honest: tuple[HonestSites, ...]
    lying: tuple[LyingSites, ...]
    status: SimulationStatus
    federation: str
    level: float
    confidence: float
    """With which the limits of all honest rows hold at once."""
    version: str
    """Of fedpact."""

    def plot(self) -> Figure:
        """Draw the share of lying sites caught, of all agents, beside the exact bound; needs ``fedpact[plot]``."""
        return draw(self.to_dict())


Row = TypeVar("Row", HonestSites, LyingSites)


def _limits(flagged: int, sites: int, error: float) -> tuple[float, float]:
    """Clopper and Pearson's limits, wrong with probability at most ``error``.

    Examples
    --------
    >>> low, high = _limits(0, 100, 0.05)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    low = float(betaincinv(flagged, sites - flagged + 1, error / 2)) if flagged else 0.0
    high = float(betaincinv(flagged + 1, sites - flagged, 1 - error / 2)) if flagged < sites else 1.0
    return low, high


def _judge(rows: Sequence[HonestSites], level: float) -> SimulationStatus:
    if any(row.low > level for row in rows):
        return SimulationStatus.ABOVE
    is_within = all(row.high <= level for row in rows)
    return SimulationStatus.WITHIN if is_within else SimulationStatus.NOT_ABOVE


def _judge_honest(sites: SimulatedSites, agent: int, found: CriticalCounts, size: int) -> HonestSites:
    return HonestSites(
        agent=sites.names[agent],
        m=found.m,
        sites=size,
        flagged=sites.count_flagged(found, sites.mass[agent], size),
        low=0.0,
        high=1.0,
        false_alarm=found.false_alarm,
    )


def _judge_lying(sites: SimulatedSites, agent: int, found: CriticalCounts, lie: float, size: int) -> LyingSites:
    other = sites.find_farthest(agent)
    mass, rates = ((1 - lie) * values[agent] + lie * values[other] for values in (sites.mass, sites.rates))
    return LyingSites(
        agent=sites.names[agent],
        other=sites.names[other],
        m=found.m,
        lie=lie,
        sites=size,
        flagged=sites.count_flagged(found, mass, size),
        caught=float(found.catch(np.clip(rates, 0.0, 1.0)).max()),
    )


def _tests(sites: SimulatedSites, quotas: Sequence[int], level: float) -> Iterator[tuple[int, CriticalCounts]]:
    """Every agent with the critical counts of every quota."""
    for agent, rates in enumerate(sites.rates):
        claim = gather_rates(rates, 0.0)
        yield from ((agent, find_critical_counts(claim, m, level)) for m in quotas)


def read_lies(lies: Sequence[Any]) -> list[float]:
    """Read shares of samples that are not what was reported."""
    shares = [read_number(lie, "a lie") for lie in lies]
    for share in shares:
        if not 0 <= share <= 1:
            raise FederationError(f"lies must be shares between 0 and 1; one is {share:g}")
    return shares


def _gather(rows: Iterable[Row], key: Callable[[Row], Any]) -> list[Row]:
    """Add up the sites of rows that are about the same."""
    groups: dict[Any, Row] = {}
    for row in rows:
        known = groups.get(key(row))
        if known is None:
            groups[key(row)] = row
        else:
            groups[key(row)] = replace(row, sites=known.sites + row.sites, flagged=known.flagged + row.flagged)
    return list(groups.values())


def combine_simulations(
    parts: Sequence[ContributionSimulation], *, confidence: float = CONFIDENCE
) -> ContributionSimulation:
    """Put simulations of one federation at one level together: what is about the same is added up.

    Parameters
    ----------
    parts
        At least one.
    confidence
        With which the limits of all honest rows hold at once.
    """
    honest = _gather((row for part in parts for row in part.honest), lambda row: (row.agent, row.m))
    lying = _gather((row for part in parts for row in part.lying), lambda row: (row.agent, row.m, row.lie))
    error = (1 - confidence) / len(honest)
    limits = [_limits(row.flagged, row.sites, error) for row in honest]
    bounded = [replace(row, low=low, high=high) for row, (low, high) in zip(honest, limits, strict=True)]
    return replace(
        parts[0],
        honest=tuple(bounded),
        lying=tuple(lying),
        status=_judge(bounded, parts[0].level),
        confidence=confidence,
    )


def simulate_contributions(
    fed: Federation,
    *,
    quotas: Sequence[Any] = QUOTAS,
    lies: Sequence[Any] = LIES,
    level: float | str = 0.01,
    sites: int = SITES,
    lying_sites: int = LYING_SITES,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> ContributionSimulation:
    """Simulate honest and lying sites of every agent at every quota, and count who is flagged.

    Parameters
    ----------
    fed
        Given by a table or predictions.
    quotas
        Numbers of samples.
    lies
        Shares of a lying site's samples that come from another agent's data.
    level
        An honest site may be flagged with at most this chance.
    sites, lying_sites
        How many sites are drawn for each agent and quota, and for each agent, quota and lie.
    rng
        ``numpy.random.default_rng(0)`` if not given.
    progress
        Called with the number of agents and quotas done and their total.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> seen = simulate_contributions(alice_bob(), quotas=[30], lies=[1.0], sites=2000)
    >>> [row.flagged / row.sites <= 0.01 for row in seen.honest]
    [True, True]
    >>> [row.flagged / row.sites > 0.95 for row in seen.lying]
    [True, True]
    """
    counts, shares = read_quotas(quotas), read_lies(lies)
    if fed.k < 2 and shares:
        raise FederationError("fed must have at least two agents, to lie with another's data; or give lies=[]")
    sites = read_whole_number(sites, "sites", least=1)
    lying_sites = read_whole_number(lying_sites, "lying_sites", least=1)
    level = read_chance(level, "level")
    drawn = simulate_sites(fed, np.random.default_rng(0) if rng is None else rng)
    honest: list[HonestSites] = []
    lying: list[LyingSites] = []
    for agent, found in _tests(drawn, counts, level):
        honest.append(_judge_honest(drawn, agent, found, sites))
        lying += [_judge_lying(drawn, agent, found, lie, lying_sites) for lie in shares]
        if progress is not None:
            progress(len(honest), fed.k * len(counts))
    counted = ContributionSimulation(
        honest=tuple(honest),
        lying=tuple(lying),
        status=SimulationStatus.NOT_ABOVE,
        federation=fed.name,
        level=level,
        confidence=CONFIDENCE,
        version=version("fedpact"),
    )
    return combine_simulations([counted])
