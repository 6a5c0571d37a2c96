"""What a whole plan can cost: where every sample costs a multiple of the same unit, nothing between two multiples.

A program over fractions bounds the optimum by, say, 12.7; if every sample costs 1, no plan costs less than 13.
"""

from __future__ import annotations

import math

from fedpact.describe.costs import Linear
from fedpact.describe.federation import Federation

# A solver's value is off by this much at most, so one that is just above a multiple may stand for it.
_SOLVER = 1e-6
_SAME = 1e-12


def find_unit(fed: Federation) -> float | None:
    """Find the cheapest sample's cost if all others cost whole multiples of it, else None.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> find_unit(alice_bob().replace(cost=[2, 6])), find_unit(alice_bob().replace(cost=[2, 3]))
    (2.0, None)
    """
    costs = [agent.cost for agent in fed.agents]
    if not all(isinstance(cost, Linear) for cost in costs):
        return None
    rates = [float(cost(1)) for cost in costs]
    unit = min(rates)
    is_whole = all(abs(rate / unit - round(rate / unit)) <= _SAME * rate / unit for rate in rates)
    return unit if is_whole else None


def round_up_cost(value: float, unit: float | None) -> float:
    """Raise a lower bound to the least cost that a plan can have.

    Examples
    --------
    >>> round_up_cost(12.7, 1.0), round_up_cost(12.7, None), round_up_cost(13.0 + 1e-9, 1.0)
    (13.0, 12.7, 13.000000001)
    """
    if unit is None or not math.isfinite(value):
        return value
    return max(value, unit * math.ceil(value / unit * (1 - _SOLVER) - _SOLVER))
