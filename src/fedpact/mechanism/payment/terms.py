"""Terms: what the operator announces before any report is taken, so that no report can change it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import read_number, read_whole_number
from fedpact.describe.settings import read_per_agent
from fedpact.errors import FederationError, Problems, RuleError

PIVOTS = ("none", "clarke")
OWNERS = {
    "fee": ("pwyc",),
    "cost_recovery": ("pwyc",),
    "min_standalone": ("pwyc",),
    "pivot": ("vcg", "vcg-verified"),
    "ceiling": ("threshold",),
}
"""Which rules each term belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Terms:
    """A payment rule and the constants that go with it."""

    rule: str
    fee: NDArray[np.float64]
    """(k,) what each agent pays for taking part, under ``pwyc``; negative is a subsidy."""
    cost_recovery: float
    """Share of what the others need without an agent that all fees ask for, under ``pwyc``."""
    min_standalone: NDArray[np.int64] | None
    """(k,) samples that each agent is publicly known to need alone at the least; they bound its fee."""
    pivot: str
    """ "none" or "clarke", for the VCG rules."""
    ceiling: NDArray[np.float64] | None
    """(k,) the most that a sample of each agent may cost, under ``threshold``; None if nothing was declared."""

    @property
    def has_fees(self) -> bool:
        """Whether anybody is charged."""
        return bool(self.fee.any()) or self.cost_recovery > 0

    def for_twin_of(self, agent: int) -> Terms:
        """Terms of a federation in which a second name of ``agent`` stands last."""
        return replace(
            self,
            fee=np.append(self.fee, self.fee[agent]),
            min_standalone=None
            if self.min_standalone is None
            else np.append(self.min_standalone, self.min_standalone[agent]),
            ceiling=None if self.ceiling is None else np.append(self.ceiling, self.ceiling[agent]),
        )


def _read(fed: Federation, value: Any, field: str, read: Callable[[Any], Any]) -> NDArray[Any]:
    problems = Problems()
    given = read_per_agent(fed.names, value, field, read, problems)
    problems.raise_if_any()
    return np.array(given)


def _read_ceiling(fed: Federation, ceiling: Any) -> NDArray[np.float64]:
    limits = _read(fed, ceiling, "ceiling", lambda value: read_number(value, "ceiling"))
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
    given = {
        "fee": fee is not None,
        "cost_recovery": cost_recovery is not None,
        "min_standalone": min_standalone is not None,
        "pivot": pivot != "none",
        "ceiling": ceiling is not None,
    }
    for field, owners in OWNERS.items():
        if given[field] and rule not in owners:
            raise FederationError(f"{field} belongs to rule {' or '.join(owners)}; the rule is {rule!r}")
    if given["fee"] and given["cost_recovery"]:
        raise FederationError(
            "fee and cost_recovery cannot both be given: a fee is fixed, cost_recovery sets it; give one"
        )
    if given["min_standalone"] and not given["cost_recovery"]:
        raise FederationError("min_standalone bounds the fees that cost_recovery sets; give cost_recovery as well")
    read_choice(pivot, "pivot", PIVOTS)
    share = 0.0 if cost_recovery is None else read_number(cost_recovery, "cost_recovery")
    if not 0 <= share <= 1:
        raise FederationError(f"cost_recovery must be a share between 0 and 1; it is {share:g}")
    return Terms(
        rule=rule,
        fee=np.zeros(fed.k) if fee is None else _read(fed, fee, "fee", lambda value: read_number(value, "fee")),
        cost_recovery=share,
        min_standalone=None
        if min_standalone is None
        else _read(
            fed, min_standalone, "min_standalone", lambda value: read_whole_number(value, "min_standalone")
        ),
        pivot=pivot,
        ceiling=None if ceiling is None else _read_ceiling(fed, ceiling),
    )
