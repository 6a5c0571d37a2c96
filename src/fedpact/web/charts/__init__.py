"""What each part of the pages says and draws: its answer in words, and Plotly figures in plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import fedpact as fp
from fedpact.explain import Explanation, explain
from fedpact.explain.against import explain_against
from fedpact.explain.dynamics import explain_play
from fedpact.explain.equilibria import explain_beside_plans
from fedpact.explain.plan import explain_paid_plan
from fedpact.explain.rule_comparison import explain_audits, explain_payments
from fedpact.web.charts.bars import draw_against, draw_audit, draw_payments, draw_plan, read_against, read_payments
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


def _untabled(said: Explanation) -> Explanation:
    return replace(said, tables=())  # the chart has the same table


EXPLAINED: Mapping[str, Callable[[Answer], Explanation]] = {
    "divergence": lambda answer: _untabled(explain(fp.planning.Divergence.from_dict(answer))),
    "frontier": lambda answer: _untabled(explain(fp.Frontier.from_dict(answer))),
    "plan": lambda answer: explain_paid_plan(
        fp.Plan.from_dict(answer["plan"]), fp.Settlement.from_dict(answer["settlement"])
    ),
    "against": lambda answer: explain_against(read_against(answer)),
    "dynamics": lambda answer: explain_play(fp.game.Dynamics.from_dict(answer["dynamics"]), answer["unmet"]),
    "equilibria": lambda answer: explain_beside_plans(
        fp.Equilibria.from_dict(answer["equilibria"]), answer["plans"]
    ),
    "payments": lambda answer: explain_payments(read_payments(answer)),
    "audit": lambda answer: explain_audits(fp.mechanism.RuleComparison.from_dict(answer)),
}
"""Part -> its answer in words."""


def explain_part(name: str, answer: Answer, beside: Answer | None) -> tuple[Explanation, tuple[Chart, ...]]:
    """Return what a part says, and its charts."""
    return EXPLAINED[name](answer), CHARTS[name](answer, beside)
