"""Charts as Plotly figures in plain values, each with a sentence and a table that say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fedpact.web.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A figure, and what it says in words and numbers."""

    name: str
    title: str
    description: str
    """What the figure shows, for those who do not see it."""
    figure: Mapping[str, Any]
    """Data and layout for Plotly."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


CHARTS: Mapping[str, Callable[[View, Mapping[str, Any]], tuple[Chart, ...]]] = {
    name: lambda view, answer: ()
    for name in ("divergence", "plan", "against", "frontier", "dynamics", "equilibria", "payments", "audit")
}
