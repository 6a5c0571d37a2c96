"""The one table of payment rules: everything that lists them reads it.

To add a rule, write its class (:mod:`fedpact.mechanism.payment.rule`), enter it here, and give it words in
``explain/words/rule.toml``. What agent i is paid under each stands with its class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import read_number, read_whole_number
from fedpact.describe.settings import read_per_agent
from fedpact.errors import FederationError, RuleError
from fedpact.mechanism.payment.pwyc import PayWhatYouContribute
from fedpact.mechanism.payment.rule import Rule, Terms
from fedpact.mechanism.payment.splits import EqualSplit, NoPayment, ProportionalSplit
from fedpact.mechanism.payment.threshold import Threshold
from fedpact.mechanism.payment.vcg import Vcg

RULES: dict[str, Rule] = {
    "pwyc": PayWhatYouContribute(),
    "vcg": Vcg(is_verified=False),
    "vcg-verified": Vcg(is_verified=True),
    "threshold": Threshold(),
    "none": NoPayment(),
    "equal-split": EqualSplit(),
    "proportional": ProportionalSplit(),
}
OWN = "own"
"""How results call a function of the user's own."""
CODES = (*RULES, OWN)
PIVOTS = ("none", "clarke")
VARIANTS: tuple[tuple[str, str | None], ...] = tuple(
    (name, pivot) for name, rule in RULES.items() for pivot in (PIVOTS if "pivot" in rule.terms else (None,))
)
"""Every rule with each of its pivots, in the order in which they are shown."""
TERMS = ("fee", "cost_recovery", "min_standalone", "pivot", "ceiling")
OWNERS = {term: tuple(name for name, rule in RULES.items() if term in rule.terms) for term in TERMS}
"""Which rules each term belongs to."""


def find_rule(name: str, fed: Federation) -> Rule:
    """Look up a rule, and raise where it says nothing about the federation."""
    rule = RULES[read_choice(name, "rule", RULES)]
    if rule.needs_optimum and fed.guarantee == "joint" and fed.objective == "pac":
        raise RuleError(
            f"rule {name!r} pays for welfare, in which every target counts by itself, and the joint guarantee "
            f"asks for more than that; use guarantee 'per-agent' or rule 'pwyc'",
            code="joint-guarantee",
        )
    return rule


def _read(fed: Federation, value: Any, field: str, read: Callable[[Any, str], Any]) -> NDArray[Any]:
    """(k,) one number for every agent."""
    return np.array(read_per_agent(fed.names, value, field, lambda one: read(one, field)))


def _read_ceiling(fed: Federation, ceiling: Any) -> NDArray[np.float64]:
    limits = _read(fed, ceiling, "ceiling", read_number)
    for agent, limit in zip(fed.agents, limits.tolist(), strict=True):
        if float(agent.cost(1)) > limit:
            raise RuleError(
                f"ceiling must be at least every agent's cost per sample; agent {agent.name!r} has "
                f"{float(agent.cost(1)):g}, above {limit:g}; raise the ceiling",
                code="ceiling-too-low",
                agents=(agent.name,),
                cost=float(agent.cost(1)),
                ceiling=float(limit),
            )
    return limits


def read_terms(
    fed: Federation,
    rule: str,
    *,
    fee: Any = None,
    cost_recovery: Any = None,
    min_standalone: Any = None,
    pivot: str = "none",
    ceiling: Any = None,
) -> Terms:
    """Check what the operator announces."""
    read_choice(pivot, "pivot", PIVOTS)
    values = (fee, cost_recovery, min_standalone, None if pivot == "none" else pivot, ceiling)
    given = {term for term, value in zip(TERMS, values, strict=True) if value is not None}
    for term, owners in OWNERS.items():
        if term in given and rule not in owners:
            raise FederationError(f"{term} belongs to rule {' or '.join(owners)}; the rule is {rule!r}")
    if {"fee", "cost_recovery"} <= given:
        raise FederationError(
            "fee and cost_recovery cannot both be given: a fee is fixed, cost_recovery sets it; give one"
        )
    if "min_standalone" in given and "cost_recovery" not in given:
        raise FederationError("min_standalone bounds the fees that cost_recovery sets; give cost_recovery as well")
    share = 0.0 if cost_recovery is None else read_number(cost_recovery, "cost_recovery")
    if not 0 <= share <= 1:
        raise FederationError(f"cost_recovery must be a share between 0 and 1; it is {share:g}")
    least = None if min_standalone is None else _read(fed, min_standalone, "min_standalone", read_whole_number)
    return Terms(
        rule=rule,
        fee=np.zeros(fed.k) if fee is None else _read(fed, fee, "fee", read_number),
        cost_recovery=share,
        min_standalone=least,
        pivot=pivot,
        ceiling=None if ceiling is None else _read_ceiling(fed, ceiling),
    )
