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
    given, now = before.cost.to_plain(), after.cost.to_plain()
    factor = _find_factor(before.cost, after.cost)
    base, times = (now, 1.0) if factor is None else (given, factor)
    return Slider(
        kind="cost",
        field=f"cost[{after.name}]",
        title=after.name,
        low=1 / _FACTOR,
        high=_FACTOR,
        now=times,
        shown=f"× {format_number(times)}" if isinstance(now, dict) else format_number(now),
        base=format_field(base),
        is_file=factor is not None,
    )


_NUMBERS = {
    "epsilon": ("Tolerated error, epsilon", (0.01, 0.5), (2.0, 0.99)),
    "delta": ("Chance to miss it, delta", (0.001, 0.9), (1.02, 0.999)),
}
"""Field -> its title, the ends of its slider, and how far beyond the value the upper one goes, up to what."""


def _make_number(field: str, view: View) -> Slider:
    title, (least, most), (factor, limit) = _NUMBERS[field]
    file, now = (np.atleast_1d(getattr(fed, field)) for fed in (view.known.federation, view.fed))
    low, high = float(now.min()), float(now.max())
    return Slider(
        kind=field,
        field=field,
        title=title,
        low=min(least, low / 4) if low > 0 else least,
        high=max(most, min(limit, factor * high)),
        now=low,
        shown=format_number(low) if low == high else f"{format_number(low)} to {format_number(high)}",
        base=format_field(float(file[0])) if file.min() == file.max() else "",
    )


def list_sliders(view: View) -> list[Slider]:
    """Return the sliders: the error, its chance unless it does not matter, and everybody's cost."""
    fields = ["epsilon"] if view.fed.objective == "expected" else ["epsilon", "delta"]
    costs = [_make_cost(*pair) for pair in zip(view.known.federation.agents, view.fed.agents, strict=True)]
    return [*(_make_number(field, view) for field in fields), *costs]
