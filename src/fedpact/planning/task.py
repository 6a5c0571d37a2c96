"""What a planner is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedpact.describe.arrays import Floats, Ints
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import check_at_least
from fedpact.describe.progress import Progress
from fedpact.planning.result import BoundBy, PlanStatus, Proof

if TYPE_CHECKING:
    from fedpact.planning.lower_bound import LowerBound
    from fedpact.planning.row_generation import Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Boxes and seconds of a search, None for what the planner usually takes; and whom it tells of itself."""

    max_nodes: int | None = None
    time_limit: float | None = None
    progress: Progress | None = None
    """Called with the lower bound and the cost of the incumbent."""

    def __post_init__(self) -> None:
        for field in ("max_nodes", "time_limit"):
            if getattr(self, field) is not None:
                check_at_least(getattr(self, field), field, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is known from a federation that asks for less: no plan here is cheaper than that one's bound."""

    fractional: Floats | None = None
    lower_bound: float = 0.0
    lower_bound_by: BoundBy = BoundBy.COSTS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task:
    """A federation to plan for: its costs are ordinary numbers, and some sample is needed."""

    fed: Federation
    method: str
    """What was asked for."""
    below: LowerBound
    """The program that every plan satisfies."""
    start: Start
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draft:
    """A proved integer vector, with what is known of it."""

    m: Ints
    """(k,)"""
    proved_by: Proof
    solution: Solution | None = None
    """The fractional solution that it came from."""
    lower: tuple[float, BoundBy] | None = None
    """A cost that no plan undercuts, if the planner knows one beside the program over single pairs."""
    status: PlanStatus = PlanStatus.CERTIFIED
    """What is known unless the lower bound proves more."""
