"""Charts as Plotly figures in plain values, each with a sentence and a table that say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fedpact.web.charts.against import draw_against
from fedpact.web.charts.audit import draw_audit
from fedpact.web.charts.chart import Chart
from fedpact.web.charts.divergence import draw_divergence
from fedpact.web.charts.equilibria import draw_equilibria
from fedpact.web.charts.frontier import draw_frontier
from fedpact.web.charts.game import draw_game
from fedpact.web.charts.payments import draw_payments
from fedpact.web.charts.plan import draw_plan
from fedpact.web.view import View

__all__ = ["CHARTS", "Answer", "Chart"]

Answer = Mapping[str, Any]
CHARTS: Mapping[str, Callable[[View, Answer, Answer | None], tuple[Chart, ...]]] = {
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
