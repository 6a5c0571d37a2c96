"""A comparison: what each way to organise a federation costs and which targets it really meets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fedpact.describe.names import read_choice
from fedpact.drawing.figures import draw_bars
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable
from fedpact.statistics.verification import Interval, Verification

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """One way to organise the federation; one that gives no contribution vector says why in ``status``."""

    method: str
    title: str
    contributions: dict[str, int | None]
    """Samples per agent, None where 2^40 are not enough; empty if the method gives none."""
    cost: float | None
    """None if nobody can pay it: the vector is missing, unbounded or beyond a capacity."""
    met: dict[str, bool]
    """Whether each target is really met; empty if there are no contributions."""
    is_feasible: bool
    """Whether the federation's chosen guarantee holds."""
    lower_bound: float | None
    """For plans: no contribution vector that meets the targets costs less; the best bound that any plan has."""
    status: str
    verification: Verification | None
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
        if self.cost <= self.lower_bound:
            return 1.0
        return self.cost / self.lower_bound if self.lower_bound > 0 else float("inf")

    @property
    def failure(self) -> dict[str, Interval]:
        """Probability of missing each target, or its expected error; empty where it was not verified."""
        return {} if self.verification is None else dict(self.verification.failure)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        ratio = self.ratio
        return {
            "method": self.method,
            "title": self.title,
            "contributions": dict(self.contributions),
            "samples": self.samples,
            "cost": self.cost,
            "met": dict(self.met),
            "feasible": self.is_feasible,
            "lower_bound": self.lower_bound,
            "ratio": ratio if ratio is not None and np.isfinite(ratio) else None,
            "status": self.status,
            "verification": None if self.verification is None else self.verification.to_dict(),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> ComparedRow:
        """Read what :meth:`to_dict` wrote."""
        seen = entry["verification"]
        return cls(
            method=entry["method"],
            title=entry["title"],
            contributions=dict(entry["contributions"]),
            cost=entry["cost"],
            met=dict(entry["met"]),
            is_feasible=entry["feasible"],
            lower_bound=entry["lower_bound"],
            status=entry["status"],
            verification=None if seen is None else Verification.from_dict(seen),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Shows):
    """Ways to organise one federation, side by side."""

    rows: tuple[ComparedRow, ...]
    standalone: dict[str, int | None]
    """What each agent needs alone; None if 2^40 samples are not enough."""
    name: str
    """The federation's."""
    objective: str
    guarantee: str

    @property
    def best(self) -> str | None:
        """Method of the cheapest feasible row, of equally cheap ones the last; None if no row is feasible."""
        costs = {row.method: row.cost for row in reversed(self.rows) if row.is_feasible and row.cost is not None}
        return min(costs, key=costs.__getitem__, default=None)

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
            {row.title: row.cost for row in self.rows if row.cost is not None},
            title=self.name,
            axis="cost",
            marked={row.title for row in self.rows if not row.is_feasible},
            meaning="misses a target",
        )

    def shown(self) -> ShownTable:
        """Show what each way costs and how many targets it meets."""
        return ShownTable(
            title=f"Ways to organise {self.name}",
            facts={"best": self.best, "agents": len(self.standalone)},
            columns=[
                ("way", str),
                ("samples", int),
                ("cost", float),
                ("times_best", float),
                ("met", int),
                ("is_feasible", bool),
                ("lower_bound", float),
                ("status", str),
            ],
            rows=[
                (
                    row.title,
                    row.samples,
                    row.cost,
                    self.times_best(row),
                    sum(row.met.values()),
                    row.is_feasible,
                    row.lower_bound,
                    row.status,
                )
                for row in self.rows
            ],
            bars="cost",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "rows": [row.to_dict() for row in self.rows],
            "best": self.best,
            "standalone": dict(self.standalone),
            "name": self.name,
            "objective": self.objective,
            "guarantee": self.guarantee,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Comparison:
        """Read what :meth:`to_dict` wrote."""
        return cls(
            rows=tuple(ComparedRow.from_dict(row) for row in entry["rows"]),
            standalone=dict(entry["standalone"]),
            name=entry["name"],
            objective=entry["objective"],
            guarantee=entry["guarantee"],
        )
