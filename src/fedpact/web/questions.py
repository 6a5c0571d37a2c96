"""The questions that pages ask, and how a worker answers them: each calls the public package.

A question is asked about a federation as it stands in a shared address: the file, and what was changed of its
costs, targets and capacities. Answers are plain values, so that they can be kept, shown and sent as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import fedpact as fp
from fedpact.explain.against import find_costs
from fedpact.mechanism.audit.compare_rules import settle_rules

Answer = dict[str, Any]
Tell = Callable[[float, str], None]
"""Called with the share that is done, and what is being done."""

QUICK_METHODS = ("lp", "union")
DRAFT = "union"
_CURVE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, about which federation; equal questions have equal answers."""

    name: str
    federation: str
    """The federation's key among those that are known."""
    changes: tuple[tuple[str, Any], ...] = ()
    """What differs from the file, as for :meth:`fedpact.Federation.replace`."""
    options: tuple[tuple[str, Any], ...] = ()
    after: Question | None = None
    """What is to be answered first; its answer is handed on."""


def _count(progress: Tell, what: str) -> Callable[[float, float], None]:
    return lambda done, total: progress(done / total, f"{done} of {total} {what}")


def _plan(fed: fp.Federation, _: Answer | None, progress: Tell, *, method: str, seconds: float) -> Answer:
    def follow(low: float, high: float) -> None:
        progress(low / high if high > 0 else 0.0, f"the best plan costs {high:.6g}, none less than {low:.6g}")

    found = fp.plan(fed, method, time_limit=seconds, progress=follow)
    return {"plan": found.to_dict(), "settlement": fp.settle(fed, found, "pwyc").to_dict()}


def _needs_alone(fed: fp.Federation) -> dict[str, int | None]:
    """Find how many samples each agent needs alone; None where so many cannot be had."""
    needs = fp.game.standalone(fed)
    return {
        agent.name: None if need is None or (agent.capacity is not None and need > agent.capacity) else need
        for agent, need in zip(fed.agents, needs.values(), strict=True)
    }


def _against(fed: fp.Federation, planned: Answer | None, progress: Tell, *, order: str) -> Answer:
    """Find what the agents spend alone, and where they end up if each looks after itself."""
    needs = _needs_alone(fed)
    progress(0.5, "everybody responds to everybody")
    played = fp.best_response_dynamics(fed, order=order, rng=np.random.default_rng(0))
    met = fp.verify(fed, played.path[-1]).met
    costs = find_costs(fed.agents, needs)
    return {
        "standalone": needs,
        "costs": costs,
        "cost": None if None in costs.values() else sum(cost for cost in costs.values() if cost is not None),
        "dynamics": played.to_dict(),
        "unmet": [name for name in fed.names if not met[name]],
        "plan": _given(planned),
    }


def _divergence(fed: fp.Federation, _: Answer | None, progress: Tell) -> Answer:
    return fp.planning.divergence(fed).to_dict()


def _frontier(fed: fp.Federation, _: Answer | None, progress: Tell, *, method: str) -> Answer:
    """Plan for tolerated errors from a fourth to four times what the strictest target asks for."""
    strictest = float(fed.epsilon[fed.epsilon > 0].min()) if (fed.epsilon > 0).any() else 0.05
    asked = {float(f"{value:.6g}") for value in [*(strictest * np.geomspace(0.25, 4, _CURVE)), strictest]}
    values, follow = [value for value in asked if value <= 1], _count(progress, "accuracies planned for")
    return fp.frontier(fed, epsilon=values, method=method, progress=follow).to_dict()


def _equilibria(fed: fp.Federation, planned: Answer | None, progress: Tell, *, seconds: float) -> Answer:
    def follow(share: float, _: float) -> None:
        what = "the optimum is looked for" if share >= 1 else f"{share:.0%} of all profiles settled"
        progress(min(share, 0.95), what)

    found = fp.equilibria(fed, time_limit=seconds, progress=follow)
    drafts = {method: _cost_of(fed, method) for method in QUICK_METHODS}
    plans = {**drafts, "plan": _given(planned)}
    return {"equilibria": found.to_dict(), "plans": plans, "curves": _reach_plans(fed, plans)}


def _reach_plans(fed: fp.Federation, plans: Mapping[str, Answer | None]) -> Answer | None:
    """Return what is enough for two agents, and how they respond, as far as the plans reach; None for more."""
    given = [list(plan["contributions"].values()) for plan in plans.values() if plan is not None]
    if fed.k != 2 or not given:
        return None
    played = fp.best_response_dynamics(fed, start=np.max(given, axis=0)).to_dict()
    return {key: played[key] for key in ("staircase", "responses")}


def _cost_of(fed: fp.Federation, method: str) -> Answer | None:
    try:
        found = fp.plan(fed, method)
    except fp.InfeasibleError:
        return None
    return {"contributions": found.contributions, "cost": found.cost}


def _given(planned: Answer | None) -> Answer | None:
    if planned is None:
        return None
    return {key: planned["plan"][key] for key in ("contributions", "cost", "status", "method")}


def _payments(
    fed: fp.Federation, planned: Answer | None, progress: Tell, *, fee: float | None, ceiling: float | None
) -> Answer:
    """Pay for a plan by every rule; a rule that cannot be applied says why."""
    assert planned is not None, "payments are asked for after a plan"
    plan, follow = fp.Plan.from_dict(planned["plan"]), _count(progress, "rules settled")
    found = settle_rules(fed, plan, fee=fee, ceiling=ceiling, progress=follow)
    return {"plan": planned["plan"], **found.to_dict()}


def _audit(fed: fp.Federation, _: Answer | None, progress: Tell, *, n_misreports: int, seconds: float) -> Answer:
    compare, follow = fp.mechanism.compare_rules, _count(progress, "rules audited")
    return compare(fed, n_misreports=n_misreports, time_limit=seconds, progress=follow).to_dict()


ANSWERS: Mapping[str, Callable[..., Answer]] = {
    "plan": _plan,
    "against": _against,
    "divergence": _divergence,
    "frontier": _frontier,
    "equilibria": _equilibria,
    "payments": _payments,
    "audit": _audit,
}
WITHOUT_PLAN = ("against", "equilibria")
"""Questions that rest on a plan if there is one, and have an answer if none exists."""
_QUICK = ("against", "divergence", "payments")
_SMALL = (40, 20_000)
"""Agents, and agents times hypotheses, up to which a page can wait."""


def is_quick(question: Question, fed: fp.Federation) -> bool:
    """Whether a page can wait for the answer."""
    is_small = fed.k <= _SMALL[0] and fed.k * fed.H <= _SMALL[1]
    is_drafted = question.name == "plan" and dict(question.options)["method"] in QUICK_METHODS
    return is_drafted or (is_small and question.name in _QUICK)


def read_failure(error: fp.FedpactError) -> tuple[tuple[str, ...], bool]:
    """Return what is wrong, and whether it is that no plan exists."""
    problems = error.problems if isinstance(error, fp.FederationError) else (str(error),)
    return problems, isinstance(error, fp.InfeasibleError)


def answer(
    question: Question, base: fp.Federation, earlier: Answer | None = None, progress: Tell | None = None
) -> Answer:
    """Answer a question about a federation.

    Examples
    --------
    >>> asked = Question(name="plan", federation="x", options=(("method", "union"), ("seconds", 1.0)))
    >>> answer(asked, fp.examples.alice_bob())["plan"]["contributions"]
    {'alice': 3, 'bob': 2}
    """
    fed = base.replace(**dict(question.changes)) if question.changes else base
    tell = progress or (lambda share, what: None)
    return ANSWERS[question.name](fed, earlier, tell, **dict(question.options))
