"""``frontier``: what accuracy, certainty, or labels that are seldom wrong cost or save.

One plan per value of epsilon (the same for all agents), of delta, or of the noise of labels. A federation that
asks for less is easier: a bound from below on its cost holds for every stricter one, and a plan for a stricter one
is enough for it. So the curve is walked from the loosest value to the strictest, each plan starting from the
fractional solution and the lower bound of the one before, and then back, so that a looser value never costs more
than a stricter one.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np

from fedpact.coded import Refusal, refusal_of
from fedpact.describe.any_federation import takes_federation
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number, read_number
from fedpact.describe.progress import Progress, count_done, on_interrupt
from fedpact.describe.settings import Assumed, read_assumption
from fedpact.drawing import Figure, draw_curves
from fedpact.errors import FederationError, InfeasibleError
from fedpact.planning.plan import plan_from
from fedpact.planning.result import BoundBy, Plan, PlanStatus
from fedpact.planning.task import Budget, Start
from fedpact.result import Result
from fedpact.statistics.request import ask

AXES = ("epsilon", "delta", "noise")


class FrontierStatus(StrEnum):
    """Whether there are plans."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    """For some values no plan exists, or none was found."""
    NO_PLAN = "no-plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPoint:
    """A value of epsilon, delta or noise and the plan for it."""

    value: float
    plan: Plan | None
    """None if no plan exists within the capacities."""
    refusal: Refusal | None = None
    """Why there is no plan."""
    planned_at: float | None = None
    """The stricter value that the plan was made for, where that was cheaper than a plan for this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier(Assumed, Result):
    """Cost against epsilon, delta or noise; the cost never rises along the curve.

    Where the curve is over noise its points say which noise their plans assume.
    """

    ROWS: ClassVar = "points"
    DERIVED: ClassVar = ("status",)

    points: tuple[FrontierPoint, ...]
    """Strictest value first."""
    axis: Annotated[str, AXES]
    """"epsilon", "delta" or "noise"."""
    method: str
    name: str
    """The federation's."""
    today: float | None
    """The value that the federation has; None if its agents have different ones."""

    @property
    def status(self) -> FrontierStatus:
        """Whether there is a plan for every value, for some, or for none."""
        planned = [point.plan is not None for point in self.points]
        if all(planned):
            return FrontierStatus.COMPLETE
        return FrontierStatus.PARTIAL if any(planned) else FrontierStatus.NO_PLAN

    @property
    def values(self) -> list[float]:
        """Epsilon, delta or noise at every point, strictest first."""
        return [point.value for point in self.points]

    @property
    def costs(self) -> list[float | None]:
        """Cost at every point, None where no plan exists."""
        return [None if point.plan is None else point.plan.cost for point in self.points]

    def plot(self) -> Figure:
        """Draw the cost and its lower bound over the axis, as a matplotlib figure; needs ``fedpact[plot]``."""
        planned = {point.value: point.plan for point in self.points if point.plan is not None}
        return draw_curves(
            list(planned),
            {
                "cost": [found.cost for found in planned.values()],
                "lower bound": [found.lower_bound for found in planned.values()],
            },
            title=f"{self.name}: cost against {self.axis}",
            x_axis=self.axis,
            y_axis="cost",
            crosses={"no plan": [point.value for point in self.points if point.plan is None]},
        )


@takes_federation
@on_interrupt("raise")
def frontier(
    fed: Federation,
    *,
    epsilon: Sequence[Number] | None = None,
    delta: Sequence[Number] | None = None,
    noise: Number | Sequence[Number] | None = None,
    method: str = "auto",
    teacher: str | None = None,
    assume: str | None = None,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Plan for every value of ``epsilon`` (for all agents), of ``delta`` or of ``noise``.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    epsilon, delta, noise
        Values to plan for, of exactly one of the three; the answer has the strictest first. A single number for
        noise is assumed for every point.
    method, teacher, assume, max_nodes, time_limit
        As for :func:`fedpact.plan`, for every point.
    progress
        Called with the number of points done and their total.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> curve = frontier(alice_bob(), delta=[0.4, 0.1, 0.02])
    >>> dict(zip(curve.values, curve.costs))
    {0.02: 6.0, 0.1: 4.0, 0.4: 2.0}
    >>> curve = frontier(alice_bob(), noise=[0, 0.05, 0.2])
    >>> dict(zip(curve.values, curve.costs))
    {0.2: 22.0, 0.05: 8.0, 0.0: 5.0}
    """
    levels = None if noise is None or isinstance(noise, str | int | float | Fraction) else noise
    known = noise if isinstance(noise, str | int | float | Fraction) else None
    if levels is not None and assume not in (None, "noisy"):
        raise FederationError(
            f"a curve over noise assumes 'noisy'; with assume {assume!r} give values of epsilon or delta"
        )
    fed = ask(fed, teacher=teacher, assume=assume if levels is None else None, noise=known)
    axis, values = _read_axis(fed, {"epsilon": epsilon, "delta": delta, "noise": levels})
    today = _find_today(fed, axis)
    points: list[FrontierPoint] = []
    start, budget = Start(), Budget(max_nodes=max_nodes, time_limit=time_limit)
    for value in count_done(sorted(values, reverse=axis != "noise"), progress):
        asked = fed.replace(**{axis: value})  # type: ignore[arg-type]
        try:
            found = plan_from(asked, method, start, budget)
        except InfeasibleError as error:
            points.append(FrontierPoint(value=value, plan=None, refusal=refusal_of(error)))
            continue
        points.append(FrontierPoint(value=value, plan=found))
        fractional = None if found.fractional is None else np.array(list(found.fractional.values()))
        start = Start(fractional=fractional, lower_bound=found.lower_bound, lower_bound_by=found.lower_bound_by)
    points = _carry_stricter_plans(points[::-1], axis)
    return Frontier(
        points=tuple(points),
        axis=axis,
        method=method,
        name=fed.name,
        today=today,
        assume="noisy" if axis == "noise" else fed.assume,
        noise=None if axis == "noise" else fed.noise,
    )


def _find_today(fed: Federation, axis: str) -> float | None:
    if axis == "noise":
        return None if fed.assume == "agnostic" else fed.noise or 0.0
    values = {agent.epsilon for agent in fed.agents} if axis == "epsilon" else {fed.delta}
    return values.pop() if len(values) == 1 else None


def _read_axis(fed: Federation, lists: Mapping[str, Any]) -> tuple[str, list[float]]:
    given = [(axis, values) for axis, values in lists.items() if values is not None]
    if len(given) != 1:
        raise FederationError("frontier needs a list of values of epsilon, of delta or of noise, one of the three")
    axis, values = given[0]
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
        raise FederationError(f"{axis} must be a list of at least one number")
    if axis == "delta" and fed.objective == "expected":
        raise FederationError("the expected objective has no delta; give values of epsilon")
    return axis, sorted({read_number(value, axis) for value in values})


def _carry_stricter_plans(points: list[FrontierPoint], axis: str) -> list[FrontierPoint]:
    """Where a stricter value, which comes first, costs less, take its plan."""
    for stricter, looser in itertools.pairwise(range(len(points))):
        better, found = points[stricter].plan, points[looser].plan
        if better is not None and (found is None or found.cost > better.cost):
            stricter_value, value = points[stricter].planned_at or points[stricter].value, points[looser].value
            adopted = _adopt(found, better)
            if axis == "noise":
                assume, level = read_assumption(None, value)
                adopted = replace(adopted, assume=assume, noise=level)
            points[looser] = FrontierPoint(value=value, plan=adopted, planned_at=stricter_value)
    return points


def _adopt(found: Plan | None, better: Plan) -> Plan:
    """Plan of the looser value with the contributions of the stricter one."""
    base = replace(better, lower_bound=0.0, lower_bound_by=BoundBy.COSTS) if found is None else found
    is_optimal = better.cost <= base.lower_bound * (1 + 1e-9)
    return replace(
        base,
        contributions=better.contributions,
        cost=better.cost,
        costs=better.costs,
        proved_by=better.proved_by,
        status=PlanStatus.OPTIMAL if is_optimal else PlanStatus.CERTIFIED,
    )
