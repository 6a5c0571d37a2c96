"""The results of an experiment, with everything that is needed to get them again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fedpact.errors import FederationError
from fedpact.experiments.catalogue import find_experiment
from fedpact.experiments.sweep.experiment import Table
from fedpact.showing.shows import Shows
from fedpact.showing.table import Kind, ShownTable

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class WallTime:
    """Seconds; the only thing in which two runs of an experiment differ."""

    seconds: float
    """Of this call."""
    cells: float
    """Of all cells, one after another, whenever and wherever they were computed."""


def _read(cell: str, kind: Kind) -> Any:
    return kind(cell.replace(",", "")) if kind is not str else cell


def _kind_of(cells: Sequence[str]) -> Kind:
    """Say what a column of printed cells holds.

    Examples
    --------
    >>> [_kind_of(cells) for cells in (["1,024", "2"], ["0.5", "2"], ["2 of 3"])]
    [<class 'int'>, <class 'float'>, <class 'str'>]
    """
    kinds: tuple[Kind, ...] = (int, float)
    for kind in kinds:
        try:
            for cell in cells:
                _read(cell, kind)
        except ValueError:
            continue
        return kind
    return str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reproduction(Shows):
    """What an experiment gave."""

    results: Mapping[str, Any]
    experiment: str
    settings: Mapping[str, Any]
    seeds: int
    """How many: 0, 1, ..., seeds - 1."""
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

    def shown(self) -> ShownTable:
        """Show the first of the tables, and what the results say."""
        table = self.tables[0]
        kinds = [_kind_of(column) for column in zip(*table.rows, strict=True)] or [str] * len(table.columns)
        return ShownTable(
            title=table.title,
            status="; ".join(self.conclusions),
            facts={"experiment": self.experiment, "data": self.data, "tables": len(self.tables)},
            columns=list(zip(table.columns, kinds, strict=True)),
            rows=[tuple(_read(cell, kind) for cell, kind in zip(row, kinds, strict=True)) for row in table.rows],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "experiment": self.experiment,
            "command": self.command,
            "settings": dict(self.settings),
            "seeds": {"first": 0, "count": self.seeds},
            "data": self.data,
            "versions": dict(self.versions),
            "wall_time": asdict(self.wall_time),
            "results": dict(self.results),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Reproduction:
        """Read what :meth:`to_dict` wrote."""
        try:
            own = {"seeds": entry["seeds"]["count"], "wall_time": WallTime(**entry["wall_time"])}
            return cls(**dict(entry) | own)
        except (KeyError, TypeError) as error:
            raise FederationError(f"this is not what an experiment wrote; {error} does not fit") from None
