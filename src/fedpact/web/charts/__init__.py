"""Charts as Plotly figures in plain values, each with a sentence and a table that say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fedpact.web.charts.bars import draw_against, draw_audit, draw_payments, draw_plan
from fedpact.web.charts.chart import Answer, Chart
from fedpact.web.charts.frontier import draw_frontier
from fedpact.web.charts.game import draw_equilibria, draw_game
from fedpact.web.charts.maps import draw_divergence

__all__ = ["CHARTS", "Answer", "Chart"]

CHARTS: Mapping[str, Callable[[Answer, Answer | None], tuple[Chart, ...]]] = {
    "divergence": draw_divergence,
    "plan": draw_plan,
    "against": draw_against,
    "frontier": draw_frontier,
    "dynamics": draw_game,
    "equilibria": draw_equilibria,
    "payments": draw_payments,
    "audit": draw_audit,
}
"""Part -> what draws it, from its own answer and that of the part beside it, if that is there."""
