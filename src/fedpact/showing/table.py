"""What a result shows of itself: a headline, a few facts, and rows with typed columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Kind: TypeAlias = type[int] | type[float] | type[bool] | type[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTable:
    """A table to look at, or to compute with."""

    title: str
    """What it is."""
    status: str = ""
    """What is known of it, in a sentence."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The few numbers that matter, by their names; None is left out."""
    columns: Sequence[tuple[str, Kind]]
    """Name and kind of every column."""
    rows: Sequence[Sequence[Any]]
    """A value for every column; None where there is none."""
    bars: str | None = None
    """Column of non-negative numbers that are drawn beside it."""


def rows_by_name(first: Mapping[str, Any], *others: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """One row for every name of the first mapping: the name, its value, and its values in the others, if any.

    Examples
    --------
    >>> rows_by_name({"alice": 3, "bob": 2}, {"alice": 14})
    [('alice', 3, 14), ('bob', 2, None)]
    """
    return [(name, value, *(other.get(name) for other in others)) for name, value in first.items()]
