"""Pure equilibria, and what they cost against the optimum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from fedpact.describe.settings import Assumed, Guarantee, Objective
from fedpact.drawing import Figure, draw_bars
from fedpact.result import Result
from fedpact.rows import Column
from fedpact.statistics.standalone import Shortfall
from fedpact.statistics.verification import Interval

_MOST_DRAWN = 20
# Profiles of up to so many agents are written out.
_FEW_AGENTS = 6


class EquilibriaStatus(StrEnum):
    """What a search for pure equilibria found."""

    ALL = "all"
    """These are all pure equilibria."""
    NONE_EXISTS = "none-exists"
    """No pure equilibrium exists: every profile was searched."""
    CUT = "cut"
    """There may be more, but none that meets every target is cheaper or more expensive than these."""
    STOPPED = "stopped"
    """The search stopped early: there may be others, also cheaper and more expensive ones."""
    UNDECIDED = "undecided"
    """Bounds cannot tell of some profiles whether they are equilibria; but for them these are all."""
    NONE_FOUND = "none-found"
    """The search stopped early and found no equilibrium; whether one exists is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedEquilibrium:
    """One equilibrium, seen against the optimum."""

    contributions: dict[str, int]
    cost: float
    excess: dict[str, float]
    """What each agent spends more than in the best known plan; empty if no plan is known.

    In an equilibrium whoever contributes does so for its own target, so these are the targets that make it dear.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Equilibria(Assumed, Result):
    """Pure equilibria of a federation in which everyone looks after itself.

    A price compares equilibria in which every target is met with the cheapest plan that meets every target.
    """

    DERIVED: ClassVar = ("price_of_stability", "price_of_anarchy")

    equilibria: tuple[dict[str, int], ...]
    """Who contributes how much, in lexicographic order."""
    costs: tuple[float, ...]
    best: PricedEquilibrium | None
    """The cheapest equilibrium found that meets every target."""
    worst: PricedEquilibrium | None
    """The most expensive equilibrium found that meets every target."""
    unmet: tuple[tuple[str, ...], ...]
    """For every equilibrium, whose targets it misses."""
    stability: Interval | None
    """Cost of the best equilibrium over the optimum; None if no equilibrium found meets every target."""
    anarchy: Interval | None
    """Cost of the worst equilibrium over the optimum; None if no equilibrium found meets every target."""
    optimum: Interval | None
    """Cost of the cheapest plan that meets every target; None if it is proved that there is none."""
    is_complete: bool
    """Whether these are all pure equilibria."""
    share_searched: float
    """Share of all profiles that the search has settled."""
    undecided: int
    """How many profiles bounds cannot tell of whether they are equilibria."""
    standalone: dict[str, int | None]
    """What each agent needs alone; None if 2^40 samples are not enough."""
    dependent: dict[str, Shortfall]
    """Agents that cannot meet their targets alone, and why."""
    status: EquilibriaStatus
    name: str
    """The federation's."""
    names: tuple[str, ...]
    objective: Objective
    guarantee: Guarantee
    """The federation's; game and optimum are about each agent's own target in any case."""

    @property
    def profiles(self) -> tuple[tuple[int, ...], ...]:
        """The equilibria as contribution vectors."""
        return tuple(tuple(m.values()) for m in self.equilibria)

    @property
    def price_of_stability(self) -> float | None:
        """Cost of the best equilibrium over the optimum; None where it is not known exactly."""
        return None if self.stability is None else self.stability.value

    @property
    def price_of_anarchy(self) -> float | None:
        """Cost of the worst equilibrium over the optimum; None where it is not known exactly."""
        return None if self.anarchy is None else self.anarchy.value

    def plot(self) -> Figure:
        """Draw what the equilibria cost beside the optimum, as a matplotlib figure; needs ``fedpact[plot]``.

        Beyond twenty equilibria the cheapest and the most expensive ten are drawn.
        """
        order = sorted(range(len(self.costs)), key=self.costs.__getitem__)
        if len(order) > _MOST_DRAWN:
            order = order[: _MOST_DRAWN // 2] + order[-_MOST_DRAWN // 2 :]
        is_short = len(self.names) <= _FEW_AGENTS
        profiles = self.profiles
        labels = {place: str(profiles[place]) if is_short else f"no. {place + 1}" for place in order}
        known = math.inf if self.optimum is None else self.optimum.high
        bars = {"best plan": known} if known < math.inf else {}
        return draw_bars(
            bars | {labels[place]: self.costs[place] for place in order},
            title=f"{len(order)} of {len(self.costs)} equilibria",
            axis="cost",
            marked={labels[place] for place in order if self.unmet[place]},
            meaning="misses a target",
        )

    def own_columns(self) -> list[Column]:
        """Give a row for every equilibrium, with what each agent contributes."""
        return [
            Column("cost", float, self.costs),
            Column("unmet", str, tuple(map(", ".join, self.unmet))),
            *(Column(name, int, tuple(m[name] for m in self.equilibria)) for name in self.names),
        ]
