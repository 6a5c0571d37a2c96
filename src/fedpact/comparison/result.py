"""A comparison: what each way to organise a federation costs and which targets it really meets."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from fedpact.coded import Refusal
from fedpact.describe.names import read_choice
from fedpact.describe.settings import Assumed, Guarantee, Objective
from fedpact.drawing import Figure, draw_bars
from fedpact.planning.result import ratio_of
from fedpact.result import Result
from fedpact.statistics.standalone import Shortfall
from fedpact.statistics.verification import Interval, Verification


class RowStatus(StrEnum):
    """What is known of one way to organise a federation."""

    RULE = "rule"
    """The contributions follow from a rule, whether they are enough or not."""
    OPTIMAL = "optimal"
    """A plan, and none is cheaper."""
    CERTIFIED = "certified"
    """A plan; the ratio says how far the optimum can be at most."""
    INTERRUPTED = "interrupted"
    """A plan; the search for the optimum stopped early."""
    NOTHING_NEEDED = "nothing-needed"
    """A plan without a single sample."""
    ONE_CANDIDATE = "one-candidate"
    """A plan without a single sample, as there is one candidate, or all predict alike."""
    OF_ALL = "of-all"
    """The cheapest, or the most expensive, of all equilibria that meet every target."""
    OF_FOUND = "of-found"
    """The cheapest, or the most expensive, that was found; there may be others."""
    ALL_MISS = "all-miss"
    """Every equilibrium misses a target, as this one does."""
    FOUND_MISS = "found-miss"
    """Every equilibrium that was found misses a target, as this one does."""
    NONE_EXISTS = "none-exists"
    """No pure equilibrium exists."""
    NONE_FOUND = "none-found"
    """The search stopped early and found no equilibrium."""
    UNDECIDED = "undecided"
    """Bounds cannot tell whether there is an equilibrium."""
    REFUSED = "refused"
    """There is no such way; the refusal says why."""


class ComparisonStatus(StrEnum):
    """Whether any way to organise a federation is enough."""

    ENOUGH = "enough"
    """Some row holds the guarantee."""
    NONE_ENOUGH = "none-enough"
    """No row is known to hold it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """One way to organise the federation."""

    DERIVED: ClassVar = ("samples", "ratio", "targets_met")

    method: str
    contributions: dict[str, int | None] = field(default_factory=dict)
    """Samples per agent, None where 2^40 are not enough; empty if the method gives none."""
    cost: float | None = None
    """None if nobody can pay it: the vector is missing, unbounded or beyond a capacity."""
    met: dict[str, bool] = field(default_factory=dict)
    """Whether each target is really met; empty if there are no contributions."""
    is_feasible: bool = field(default=False, metadata={"key": "feasible"})
    """Whether the federation's chosen guarantee holds."""
    lower_bound: float | None = None
    """For plans: no contribution vector that meets the targets costs less; the best bound that any plan has."""
    status: RowStatus
    refusal: Refusal | None = None
    """Why there are no contributions, or whose are beyond a capacity."""
    verification: Verification | None = None
    """The evidence for ``met``; None if the vector cannot be contributed."""

    @property
    def samples(self) -> int | None:
        """All samples together; None where the contributions are missing or unbounded."""
        counts = [count for count in self.contributions.values() if count is not None]
        return sum(counts) if counts and len(counts) == len(self.contributions) else None

    @property
    def ratio(self) -> float | None:
        """Cost over lower bound, for plans: at most this many times the optimum."""
        if self.cost is None or self.lower_bound is None:
            return None
        return ratio_of(self.cost, self.lower_bound)

    @property
    def targets_met(self) -> int | None:
        """How many targets are met; None if there are no contributions."""
        return sum(self.met.values()) if self.met else None

    @property
    def failure(self) -> dict[str, Interval]:
        """Probability of missing each target, or its expected error; empty where it was not verified."""
        return {} if self.verification is None else dict(self.verification.failure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Assumed, Result):
    """Ways to organise one federation, side by side."""

    ROWS: ClassVar = "rows"
    DERIVED: ClassVar = ("best", "status")

    rows: tuple[ComparedRow, ...]
    standalone: dict[str, int | None]
    """What each agent needs alone; None if 2^40 samples are not enough."""
    dependent: dict[str, Shortfall]
    """Agents that cannot meet their targets alone, and why."""
    name: str
    """The federation's."""
    objective: Objective
    guarantee: Guarantee

    @property
    def best(self) -> str | None:
        """Method of the cheapest feasible row, of equally cheap ones the last; None if no row is feasible."""
        costs = {row.method: row.cost for row in reversed(self.rows) if row.is_feasible and row.cost is not None}
        return min(costs, key=costs.__getitem__, default=None)

    @property
    def status(self) -> ComparisonStatus:
        """Whether any row is enough."""
        return ComparisonStatus.NONE_ENOUGH if self.best is None else ComparisonStatus.ENOUGH

    def row(self, method: str) -> ComparedRow:
        """Give the row of that method."""
        rows = {row.method: row for row in self.rows}
        return rows[read_choice(method, "method", rows)]

    def times_best(self, row: ComparedRow) -> float | None:
        """Cost of a row over that of the best; None where one of them has none."""
        least = None if self.best is None else self.row(self.best).cost
        if row.cost is None or least is None:
            return None
        if row.cost == least:
            return 1.0
        return row.cost / least if least > 0 else None

    def plot(self) -> Figure:
        """Draw what each row costs, as a matplotlib figure; needs ``fedpact[plot]``.

        Rows that miss a target are red and hatched; rows without a cost are left out.
        """
        return draw_bars(
            {row.method: row.cost for row in self.rows if row.cost is not None},
            title=self.name,
            axis="cost",
            marked={row.method for row in self.rows if not row.is_feasible},
            meaning="misses a target",
        )
