"""The cost game: what a group of agents pays to meet its targets with its own data.

    v(S) = min sum_{j in S} c_j(m_j)   such that the samples of S alone meet the targets of every i in S

and v(S) is infinite where the capacities or a zero tolerance leave S no plan. The paper has no coalitions; this
is the question of a consortium that nobody outside pays for.

**v is subadditive**, v(S u T) <= v(S) + v(T), for the expected objective and the per-agent guarantee. Take optimal
plans a of S and b of T, zero outside, and m = max(a, b) entry by entry. Samples never hurt, so whoever is met by a
or by b is met by m; m keeps the capacities; and c_j(max(a_j, b_j)) <= c_j(a_j) + c_j(b_j). For the joint guarantee
it can fail: two groups that each miss with probability delta may together miss with more.

**Its core is empty only because of whole samples, curved regions or the joint guarantee.** Suppose that samples
were divisible and that the vectors that meet a target formed a convex set, as they do in the union program. For
weights w_S >= 0 with sum_{S: i in S} w_S = 1 for every i, the vector sum_S w_S m_S meets every target (for i it is
at least an average of plans that do), keeps the capacities and costs at most sum_S w_S v(S); by Bondareva and
Shapley the core has a point.

v is not monotone: a group may pay less with another agent than without, because it gains that agent's data.

A value has a cost, that of a plan that exists, and a lower bound that no plan of the group undercuts. For the
bound alone there is no need to plan: the program over single pairs (:mod:`fedpact.planning.lower_bound`) takes
milliseconds and rules out most groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from fedpact.describe.arrays import Floats
from fedpact.describe.federation import Federation
from fedpact.describe.progress import on_interrupt
from fedpact.errors import InfeasibleError, NoPlanFoundError
from fedpact.planning.lower_bound import bound_below
from fedpact.planning.plan import plan, plan_from
from fedpact.planning.result import Plan
from fedpact.planning.task import Budget, Start

TOL = 1e-7
"""Amounts of money that differ by less, relative to v(N), count as equal."""
# Up to this many agents ``auto`` looks for the optimum of every group.
_FEW_AGENTS = 8
_GROUP_SECONDS = 1.0

Tell: TypeAlias = Callable[[int], None]
Members: TypeAlias = tuple[int, ...]
"""Places of a group's agents in the federation, rising."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What a group pays by itself."""

    cost: float
    """Of the plan; infinite if there is none, or none was found."""
    lower_bound: float
    """No plan of the group costs less; infinite if it is proved to have none."""
    plan: Plan | None
    reason: str | None = None
    """Why there is no plan."""

    @property
    def is_proved(self) -> bool:
        """Whether the cost is known to be the least."""
        return self.cost <= self.lower_bound * (1 + 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Split:
    """Who bears how much of v(N)."""

    x: Floats
    """(k,)"""
    e: float | None = None
    """Of the least core; None if e has no lower end, or it was not asked for."""
    standard_error: Floats | None = None
    """(k,) of a mean over drawn orders; None if the split is exact."""


def share_of(x: Floats, group: Iterable[int]) -> float:
    """Sum what a group pays in the split ``x`` (k,)."""
    return float(x[list(group)].sum())


class CostGame:
    """v(S) for every group S, worked out when asked for and kept.

    All agents together are planned for as :func:`fedpact.plan` does. A smaller group is too, but its search ends
    after a second, and with more than eight agents in the federation ``auto`` is ``union`` for it, unless it is
    one agent alone.
    """

    def __init__(
        self, fed: Federation, method: str = "auto", *, time_limit: float | None = None, tell: Tell | None = None
    ) -> None:
        self.fed, self.method, self.time_limit = fed, method, time_limit
        self.everyone: Members = tuple(range(fed.k))
        self._tell = tell
        self._values: dict[Members, Value] = {}
        self._bounds: dict[Members, float] = {}

    @property
    def planned(self) -> int:
        """Number of groups that were planned for."""
        return len(self._values)

    @property
    def looked_at(self) -> int:
        """Number of groups that were planned for or bounded."""
        return len(self._values.keys() | self._bounds.keys())

    @property
    def is_proved(self) -> bool:
        """Whether every plan so far is known to be the cheapest of its group."""
        return all(value.is_proved for value in self._values.values())

    @property
    def total(self) -> float:
        """v(N)."""
        return self.value(self.everyone).cost

    @property
    def tol(self) -> float:
        """Amount of money that counts as nothing."""
        return TOL * self.total

    def names(self, group: Members) -> tuple[str, ...]:
        """Names of a group's agents."""
        return tuple(self.fed.agents[place].name for place in group)

    def has_planned(self, group: Members) -> bool:
        """Whether the group's value is known already."""
        return group in self._values

    def value(self, group: Members) -> Value:
        """Plan for a group; all agents together must have a plan.

        Raises
        ------
        InfeasibleError
            If all agents together have no plan.
        """
        if group not in self._values:
            self._values[group] = self._plan_everyone() if group == self.everyone else self._plan_group(group)
            if self._tell is not None:
                self._tell(self.planned)
        return self._values[group]

    def lower_bound(self, group: Members) -> float:
        """Cost that no plan of the group undercuts, from its plan if there is one already."""
        if group in self._values:
            return self._values[group].lower_bound
        if group not in self._bounds:
            self._bounds[group] = bound_below(self.fed.restrict(self.names(group)))
        return self._bounds[group]

    def excess(self, x: Floats, group: Members) -> float:
        """Return what the group would save by leaving the split ``x`` (k,); negative if it would lose."""
        return share_of(x, group) - self.value(group).cost

    def gap(self, x: Floats, group: Members) -> float:
        """Return what the group could save at most by leaving the split ``x`` (k,)."""
        return share_of(x, group) - self.lower_bound(group)

    def _plan_everyone(self) -> Value:
        found = plan(self.fed, self.method, time_limit=self.time_limit)
        return Value(cost=found.cost, lower_bound=found.lower_bound, plan=found)

    def _plan_group(self, group: Members) -> Value:
        is_quick = self.method == "auto" and self.fed.k > _FEW_AGENTS and len(group) > 1
        method = "union" if is_quick else self.method
        seconds = _GROUP_SECONDS if self.time_limit is None else self.time_limit
        try:
            fed = self.fed.restrict(self.names(group))
            with on_interrupt("raise"):
                found = plan_from(fed, method, Start(), Budget(time_limit=seconds))
        except NoPlanFoundError as error:
            return Value(cost=math.inf, lower_bound=self.lower_bound(group), plan=None, reason=str(error))
        except InfeasibleError as error:
            return Value(cost=math.inf, lower_bound=math.inf, plan=None, reason=str(error))
        return Value(cost=found.cost, lower_bound=found.lower_bound, plan=found)
