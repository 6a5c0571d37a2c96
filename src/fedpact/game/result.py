"""Pure equilibria, and what they cost against the optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from fedpact.drawing.figures import draw_bars
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable
from fedpact.statistics.verification import Interval

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

_MOST_DRAWN = 20
# Profiles of up to so many agents are written out.
_FEW_AGENTS = 6


class EquilibriaStatus(Enum):
    """What a search for pure equilibria found, in words a user can act on."""

    ALL = "these are all pure equilibria"
    NONE_EXISTS = "no pure equilibrium exists: every profile was searched"
    CUT = "there are or may be more equilibria, but none that meets every target is cheaper or dearer than these"
    STOPPED = "the search stopped early: there may be other equilibria, also cheaper and dearer ones"
    UNDECIDED = "bounds cannot tell of some profiles whether they are equilibria; but for them these are all"
    NONE_FOUND = "the search stopped early and found no equilibrium; whether one exists is not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedEquilibrium:
    """One equilibrium, seen against the optimum."""

    contributions: dict[str, int]
    cost: float
    excess: dict[str, float]
    """What each agent spends more than in the best known plan; empty if no plan is known.

    In an equilibrium whoever contributes does so for its own target, so these are the targets that make it dear.
    """

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "contributions": dict(self.contributions),
            "cost": self.cost,
            "excess": dict(self.excess),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> PricedEquilibrium:
        """Read what :meth:`to_dict` wrote."""
        return cls(**entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class Equilibria(Shows):
    """Pure equilibria of a federation in which everyone looks after itself.

    A price compares equilibria in which every target is met with the cheapest plan that meets every target.
    """

    profiles: tuple[tuple[int, ...], ...]
    """The equilibria, in lexicographic order."""
    costs: tuple[float, ...]
    best: PricedEquilibrium | None
    """The cheapest equilibrium found that meets every target."""
    worst: PricedEquilibrium | None
    """The dearest equilibrium found that meets every target."""
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
    dependent: dict[str, str]
    """Agents that cannot meet their targets alone, and why."""
    status: EquilibriaStatus
    names: tuple[str, ...]
    objective: str
    guarantee: str
    """The federation's; game and optimum are about each agent's own target in any case."""

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

        Beyond twenty equilibria the cheapest and the dearest ten are drawn.
        """
        order = sorted(range(len(self.costs)), key=self.costs.__getitem__)
        if len(order) > _MOST_DRAWN:
            order = order[: _MOST_DRAWN // 2] + order[-_MOST_DRAWN // 2 :]
        is_short = len(self.names) <= _FEW_AGENTS
        labels = {place: str(self.profiles[place]) if is_short else f"no. {place + 1}" for place in order}
        known = math.inf if self.optimum is None else self.optimum.high
        bars = {"best plan": known} if known < math.inf else {}
        return draw_bars(
            bars | {labels[place]: self.costs[place] for place in order},
            title=self.status.value
            if len(order) == len(self.costs)
            else f"{len(order)} of {len(self.costs)} equilibria",
            axis="cost",
            marked={labels[place] for place in order if self.unmet[place]},
            meaning="misses a target",
        )

    def shown(self) -> ShownTable:
        """Show every equilibrium, with what each agent contributes."""
        return ShownTable(
            title="Pure equilibria",
            status=self.status.value,
            facts={
                "found": len(self.profiles),
                "optimum": self.optimum,
                "price of stability": self.stability,
                "price of anarchy": self.anarchy,
            },
            columns=[("cost", float), ("unmet", str), *((name, int) for name in self.names)],
            rows=[
                (cost, ", ".join(unmet), *m)
                for cost, unmet, m in zip(self.costs, self.unmet, self.profiles, strict=True)
            ],
            bars="cost",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "equilibria": [dict(zip(self.names, m, strict=True)) for m in self.profiles],
            "costs": list(self.costs),
            "best": None if self.best is None else self.best.to_dict(),
            "worst": None if self.worst is None else self.worst.to_dict(),
            "unmet": [list(names) for names in self.unmet],
            "price_of_stability": self.price_of_stability,
            "price_of_anarchy": self.price_of_anarchy,
            "stability": None if self.stability is None else self.stability.to_plain(),
            "anarchy": None if self.anarchy is None else self.anarchy.to_plain(),
            "optimum": None if self.optimum is None else self.optimum.to_plain(),
            "is_complete": self.is_complete,
            "share_searched": self.share_searched,
            "undecided": self.undecided,
            "standalone": dict(self.standalone),
            "dependent": dict(self.dependent),
            "status": self.status.value,
            "names": list(self.names),
            "objective": self.objective,
            "guarantee": self.guarantee,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Equilibria:
        """Read what :meth:`to_dict` wrote."""
        outcome, bounds = (
            _or_none(PricedEquilibrium.from_dict),
            _or_none(lambda entry: Interval.from_plain(entry, "equilibria")),
        )
        return cls(
            profiles=tuple(tuple(m[name] for name in entry["names"]) for m in entry["equilibria"]),
            costs=tuple(entry["costs"]),
            best=outcome(entry["best"]),
            worst=outcome(entry["worst"]),
            unmet=tuple(tuple(names) for names in entry["unmet"]),
            stability=bounds(entry["stability"]),
            anarchy=bounds(entry["anarchy"]),
            optimum=bounds(entry["optimum"]),
            is_complete=entry["is_complete"],
            share_searched=entry["share_searched"],
            undecided=entry["undecided"],
            standalone=dict(entry["standalone"]),
            dependent=dict(entry["dependent"]),
            status=EquilibriaStatus(entry["status"]),
            names=tuple(entry["names"]),
            objective=entry["objective"],
            guarantee=entry["guarantee"],
        )


def _or_none(read: Any) -> Any:
    """Let None pass."""
    return lambda entry: None if entry is None else read(entry)
