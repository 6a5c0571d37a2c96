"""The sliders of the plan: where each stands, how far it goes, and which field of the address it sets.

A slider has whole steps on a logarithmic scale; one for a cost multiplies what the file says, by up to four or
down to a quarter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import fedpact as fp
from fedpact.describe.costs import Cost
from fedpact.explain.numbers import format_field, format_number
from fedpact.web.view import View

STEPS = 200
_FACTOR = 4.0
_COUNTS = 2.0 ** np.arange(21)
"""Samples for which costs are compared; by powers of two nothing is rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """One slider."""

    kind: str
    """"epsilon", "delta" or "cost"."""
    field: str
    """As in the address."""
    title: str
    low: float
    high: float
    now: float
    """The value, or for a cost what it is multiplied by."""
    shown: str
    """The value as it stands beside the slider."""
    base: str = ""
    """For a cost what is multiplied, as a field has it; for others what the file says."""
    scaled: str = ""
    """For a cost a multiple of the base: the numbers that differ are those that a factor multiplies."""
    is_file: bool = True
    """Whether that is what the file says."""

    @property
    def place(self) -> int:
        """Where the slider stands, in steps from its lower end."""
        if self.now <= self.low:
            return 0
        share = math.log(self.now / self.low) / math.log(self.high / self.low)
        return min(round(STEPS * share), STEPS)


def _find_factor(before: Cost, after: Cost) -> float | None:
    """Return what a cost was multiplied by; None if it is another one altogether.

    Examples
    --------
    >>> agent = fp.examples.alice_bob().agents[0]
    >>> _find_factor(agent.cost, agent.cost.scaled(2.0))
    2.0
    """
    old, new = before(_COUNTS), after(_COUNTS)
    factor = float(new[-1] / old[-1])
    is_same = type(before) is type(after) and np.allclose(old * factor, new, rtol=1e-6, atol=0)
    return factor if is_same else None


def _make_cost(before: fp.Agent, after: fp.Agent) -> Slider:
    now, factor = after.cost.to_plain(), _find_factor(before.cost, after.cost)
    base, times = (after.cost, 1.0) if factor is None else (before.cost, factor)
    return Slider(
        kind="cost",
        field=f"cost[{after.name}]",
        title=after.name,
        low=1 / _FACTOR,
        high=_FACTOR,
        now=times,
        shown=f"× {format_number(times)}" if isinstance(now, dict) else format_number(now),
        base=format_field(base.to_plain()),
        scaled=format_field(base.scaled(0.5 if base(1) > 1 else 2.0).to_plain()),  # within what a cost may be
        is_file=factor is not None,
    )


def _make_number(
    view: View, field: str, title: str, ends: tuple[float, float], times: float, limit: float
) -> Slider:
    """Make the slider of a number: between two ends or, up to a limit, some times as far as the value."""
    file, now = (np.atleast_1d(getattr(fed, field)) for fed in (view.known.federation, view.fed))
    low, high = float(now.min()), float(now.max())
    return Slider(
        kind=field,
        field=field,
        title=title,
        low=min(ends[0], low / 4) if low > 0 else ends[0],
        high=max(ends[1], min(limit, times * high)),
        now=low,
        shown=format_number(low) if low == high else f"{format_number(low)} to {format_number(high)}",
        base=format_field(float(file[0])) if file.min() == file.max() else "",
    )


def list_sliders(view: View) -> list[Slider]:
    """Return the sliders: the error, its chance unless it does not matter, and everybody's cost."""
    numbers = [_make_number(view, "epsilon", "Tolerated error, epsilon", (0.01, 0.5), times=2.0, limit=0.99)]
    if view.fed.objective != "expected":
        ends = (0.001, 0.9)
        numbers.append(_make_number(view, "delta", "Chance to miss it, delta", ends, times=1.02, limit=0.999))
    costs = [_make_cost(*pair) for pair in zip(view.known.federation.agents, view.fed.agents, strict=True)]
    return [*numbers, *costs]
