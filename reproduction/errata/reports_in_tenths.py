"""All reports of the two agents of ``pwyc-not-dominant`` in tenths, weighed in fractions.

Two hypotheses differ at x2 alone, so an agent's distribution is its mass p there, and a plan fails an agent with
p > epsilon if and only if (1 - p_1)^m_1 (1 - p_2)^m_2 > delta. Masses 0, 1/10, ..., 1 make all true
profiles and all claimed ones; a planner answers each claim, and utilities follow exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import fedpact as fp
from reproduction.errata.finding import as_exact

Profile = tuple[Fraction, Fraction]
Counts = tuple[int, int]
Payment = Callable[[int, Counts, Sequence[Fraction]], Fraction]
"""(agent, plan, costs of a sample) -> payment."""

TENTHS = tuple(Fraction(count, 10) for count in range(11))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenths:
    """The instance in fractions, the planner, and what each agent is paid for a plan."""

    costs: Sequence[Fraction]
    """What a sample of each agent costs."""
    epsilon: Fraction
    delta: Fraction
    plan: Callable[[Profile], Counts]
    """What is planned for a claim."""
    pay: Payment

    @classmethod
    def of(cls, fed: fp.Federation, method: str, pay: Payment) -> Tenths:
        """Take costs and targets from a federation."""
        costs = tuple(as_exact(float(agent.cost(1))) for agent in fed.agents)
        targets: dict[str, Any] = {"epsilon": as_exact(float(fed.epsilon[0])), "delta": as_exact(fed.delta)}

        @cache
        def plan_for(claim: Profile) -> Counts:
            masses = [[1 - p, p] for p in claim]
            claimed = fp.Federation.from_table([[0, 0], [0, 1]], masses, cost=costs, **targets)
            first, second = fp.plan(claimed, method).m.tolist()
            return first, second

        return cls(costs=costs, **targets, plan=plan_for, pay=pay)

    def utility(self, agent: int, truth: Profile, m: Counts) -> Fraction:
        """Tell what a plan leaves an agent with: 1 if its target is met in truth, less its cost, plus its pay."""
        missed = (1 - truth[0]) ** m[0] * (1 - truth[1]) ** m[1]
        is_met = truth[agent] <= self.epsilon or missed <= self.delta
        return is_met - self.costs[agent] * m[agent] + self.pay(agent, m, self.costs)

    def count(self, *, others_lie: bool) -> tuple[int, int]:
        """Count reports that pay more than the truth, and all that are tried, the true one among them.

        The other agent is truthful, or says anything at all.
        """
        paying = tried = 0
        for truth, agent in product(product(TENTHS, repeat=2), (0, 1)):
            for other in TENTHS if others_lie else (truth[1 - agent],):
                gains = self._gains(agent, (truth[0], truth[1]), other)
                paying, tried = paying + sum(gain > 0 for gain in gains), tried + len(gains)
        return paying, tried

    def _gains(self, agent: int, truth: Profile, other: Fraction) -> list[Fraction]:
        """Tell what every report gains over the true one, given the other's."""
        claims = {own: (own, other) if agent == 0 else (other, own) for own in TENTHS}
        worth = {own: self.utility(agent, truth, self.plan(claim)) for own, claim in claims.items()}
        return [value - worth[truth[agent]] for value in worth.values()]


def pay_contribution(agent: int, m: Counts, costs: Sequence[Fraction]) -> Fraction:
    """Pay what you contribute."""
    return costs[agent] * m[agent]


def pay_others_worth(agent: int, m: Counts, costs: Sequence[Fraction]) -> Fraction:
    """Pay by VCG as printed: the others' worth as if their targets were met, less their costs."""
    return 1 - costs[1 - agent] * m[1 - agent]
