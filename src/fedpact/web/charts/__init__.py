"""What each part of the pages says and draws: its answer in words, and Plotly figures in plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fedpact.explain import Explanation
from fedpact.web.charts.bars import show_against, show_audit, show_payments, show_plan
from fedpact.web.charts.chart import Answer, Chart
from fedpact.web.charts.frontier import show_frontier
from fedpact.web.charts.game import show_equilibria, show_game
from fedpact.web.charts.maps import show_divergence

__all__ = ["EXPLAINED", "Answer", "Chart"]

EXPLAINED: Mapping[str, Callable[[Answer, Answer | None], Explanation]] = {
    "divergence": show_divergence,
    "plan": show_plan,
    "against": show_against,
    "frontier": show_frontier,
    "dynamics": show_game,
    "equilibria": show_equilibria,
    "payments": show_payments,
    "audit": show_audit,
}
"""Part -> its answer in words, with every chart drawn; it may rest on the answer of the part beside it."""
