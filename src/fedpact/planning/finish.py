"""Put a plan together: contributions, certificate, status, and which pairs of hypotheses its cost is there for."""

from __future__ import annotations

import numpy as np

from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.planning.draft import Draft
from fedpact.planning.infeasible import requirement_name
from fedpact.planning.result import BindingPair, Plan, PlanStatus
from fedpact.planning.rounding import least_of
from fedpact.planning.row_generation import Solution

BY_ENGINE = "the exact failure probabilities"
"""Why a plan is enough that the guarantee engine has proved."""
_ROUNDING = 1e-15


def _confidence(fed: Federation) -> float | None:
    return fed.evidence.confidence if isinstance(fed.evidence, Reports) else None


def _chosen(method: str, final: Draft, status: PlanStatus, has_pairs_only: bool) -> str:
    if method != "auto":
        return method
    if status is PlanStatus.OPTIMAL and not has_pairs_only:
        return "exact"
    return "union, trimmed by the guarantee engine" if final.proved_by == BY_ENGINE else "tree"


def _explain(fed: Federation, solution: Solution | None) -> tuple[BindingPair, ...]:
    """Whom every pair that binds is there for, and its share of the cost; rows of one pair are taken together.

    What is contributed already costs nothing more, so only the rest of a row is counted.
    """
    if solution is None:
        return ()
    duals: dict[tuple[int, int, int], tuple[float, float]] = {}
    least = least_of(fed)
    given = np.flatnonzero(least)
    for dual, row in zip(solution.duals.tolist(), solution.rows, strict=True):
        key = (*row.pair, row.requirement)
        before = duals.get(key, (0.0, 0.0))
        duals[key] = before[0] + dual, before[1] + dual * max(0.0, row.b - float(row.a[given] @ least[given]))
    total = sum(worth for _, worth in duals.values())
    pairs = [
        BindingPair(
            target=fed.hypotheses[truth],
            hypothesis=fed.hypotheses[hypothesis],
            agent=requirement_name(fed, requirement),
            dual=dual,
            share=worth / total,
        )
        for (truth, hypothesis, requirement), (dual, worth) in duals.items()
        if worth > 1e-9 * max(total, 1e-300)
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.share))


def plan_nothing(fed: Federation, method: str) -> Plan:
    """Make the plan of no samples, where no hypothesis has to be ruled out."""
    return Plan(
        contributions=dict.fromkeys(fed.names, 0),
        cost=0.0,
        fractional=dict.fromkeys(fed.names, 0.0),
        fractional_cost=0.0,
        lower_bound=0.0,
        lower_bound_by="costs are not negative",
        proved_by="no hypothesis has to be ruled out for anybody",
        duals=(),
        delta_price=0.0,
        status=PlanStatus.NOTHING_NEEDED,
        method=method,
        chosen=method,
        objective=fed.objective,
        guarantee=fed.guarantee,
        federation=fed.fingerprint,
        teacher=fed.teacher,
        confidence=_confidence(fed),
    )


def finish_plan(fed: Federation, method: str, final: Draft, lower: tuple[float, str], status: PlanStatus) -> Plan:
    """Make a plan of a proved vector and a lower bound with its reason; ``status`` unless that proves more."""
    cost, sunk = fed.cost_of(final.m), fed.cost_of(least_of(fed))
    solution = final.solution
    if cost - sunk <= (lower[0] - sunk) * (1 + 1e-9) + _ROUNDING * cost:
        status = PlanStatus.OPTIMAL
    elif _confidence(fed) is not None:
        status = PlanStatus.CONFIDENT
    return Plan(
        contributions=dict(zip(fed.names, final.m.tolist(), strict=True)),
        cost=cost,
        fractional=None if solution is None else dict(zip(fed.names, solution.m.tolist(), strict=True)),
        fractional_cost=None if solution is None else solution.value,
        lower_bound=min(lower[0], cost),
        lower_bound_by=lower[1],
        proved_by=final.proved_by,
        duals=_explain(fed, solution),
        delta_price=None if solution is None or fed.objective != "pac" else float(solution.duals.sum()),
        status=status,
        at_least=None if fed.at_least is None else dict(zip(fed.names, fed.at_least, strict=True)),
        method=method,
        chosen=_chosen(method, final, status, isinstance(fed.evidence, Reports)),
        objective=fed.objective,
        guarantee=fed.guarantee,
        federation=fed.fingerprint,
        teacher=fed.teacher,
        confidence=_confidence(fed),
    )
