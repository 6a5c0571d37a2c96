"""The results of an experiment, with everything that is needed to get them again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fedpact.errors import FederationError
from fedpact.experiments.catalogue import find_experiment
from fedpact.experiments.sweep.experiment import Table
from fedpact.explain import Column, Explanation, to_html, to_text
from fedpact.explain import Table as ShownTable
from fedpact.result import Record

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class WallTime:
    """Seconds; the only thing in which two runs of an experiment differ."""

    seconds: float
    """Of this call."""
    cells: float
    """Of all cells, one after another, whenever and wherever they were computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeds:
    """Which seeds: ``first``, ``first`` + 1, ..., so many."""

    first: int = 0
    count: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reproduction(Record):
    """What an experiment gave."""

    results: Mapping[str, Any]
    experiment: str
    settings: Mapping[str, Any]
    seeds: Seeds
    data: str
    """Where the data come from."""
    versions: Mapping[str, str]
    wall_time: WallTime
    command: str | None = None
    """That gives the same to anybody who has the data, where results were written with one."""

    @property
    def tables(self) -> list[Table]:
        """What to print."""
        return find_experiment(self.experiment).tabulate(self.results)

    @property
    def conclusions(self) -> list[str]:
        """What the results say, a sentence each."""
        said = find_experiment(self.experiment).conclude(self.results)
        left_out = self.settings.get("leaves_out")
        return [*said, f"quick: leaves out {left_out}"] if left_out else said

    def plot(self) -> Figure:
        """Draw the results; needs ``fedpact[plot]``."""
        draw = find_experiment(self.experiment).draw
        if draw is None:
            raise FederationError(f"{self.experiment} has no figure; leave out plot")
        return draw(self.results)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the results as JSON, for :meth:`from_dict`."""
        try:
            Path(path).write_text(json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n", encoding="utf-8")
        except OSError as error:
            raise FederationError(f"results cannot be written to {str(path)!r}: {error.strerror}") from None

    def explain(self) -> Explanation:
        """Say what the results say, and show their tables."""
        tables = [
            ShownTable(
                name=f"table-{place}",
                title=table.title,
                columns=tuple(
                    Column(name, "text" if at < table.left else "number") for at, name in enumerate(table.columns)
                ),
                rows=tuple(map(tuple, table.rows)),
            )
            for place, table in enumerate(self.tables)
        ]
        data = [] if self.data == "none" else [f"Data: {self.data}"]
        return Explanation(
            kind=self.kind,
            title=self.experiment,
            headline="",
            tables=tuple(tables),
            sentences=(*(f"- {said}" for said in self.conclusions), *data),
        )

    def __str__(self) -> str:
        return to_text(self.explain())

    def _repr_html_(self) -> str:
        return to_html(self.explain())
