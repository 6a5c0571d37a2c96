"""What each part of the pages says: the explanation of its answer, with its charts drawn by Plotly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import fedpact as fp
from fedpact.explain import Explanation
from fedpact.explain.plan import explain_paid_plan
from fedpact.web.charts import CHARTS, Chart
from fedpact.web.view import View

Answer = Mapping[str, Any]


def _plan(answer: Answer) -> Explanation:
    return explain_paid_plan(fp.Plan.from_dict(answer["plan"]), fp.Settlement.from_dict(answer["settlement"]))


EXPLAINED: Mapping[str, Callable[[Answer], Explanation]] = {"plan": _plan}
"""Part -> its answer in words."""


def explain_part(
    view: View, name: str, answer: Answer, beside: Answer | None
) -> tuple[Explanation, tuple[Chart, ...]]:
    """Return what a part says, and its charts."""
    return EXPLAINED[name](answer), CHARTS[name](view, answer, beside)
