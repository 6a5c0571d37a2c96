"""Costs as ordinary numbers, and as multiples of a unit.

The solver's and the search's tolerances are absolute: where a sample costs 1e-8 they would take a dearer plan for
an equally cheap one, and a lower bound could lie above the optimum. Where a sample costs 1e9 the solver gives up;
so if one agent's samples cost more than 1e8 times another's, both ends are moved towards 1.

Where every sample costs a multiple of the same unit, no plan costs something between two multiples: a program over
fractions bounds the optimum by, say, 12.7; if every sample costs 1, no plan costs less than 13.
"""

from __future__ import annotations

import math

from fedpact.describe.costs import Linear
from fedpact.describe.federation import Federation

_ORDINARY = (1e-2, 1e4)
_WIDE = 1e8
_CHEAPEST = 1e-4


def rescale_costs(fed: Federation) -> tuple[Federation, float]:
    """Return the federation with rescaled costs, and what one unit of them is worth.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> fed, unit = rescale_costs(alice_bob().replace(cost=[1e-8, 3e-8]))
    >>> [round(float(agent.cost(1)), 9) for agent in fed.agents], unit
    ([1.0, 3.0], 1e-08)
    """
    prices = [float(agent.cost(1)) for agent in fed.agents]
    cheapest, ratio = min(prices), max(prices) / min(prices)
    if ratio <= _WIDE:
        aim, is_ordinary = 1.0, _ORDINARY[0] <= cheapest <= _ORDINARY[1]
    else:
        aim = max(_CHEAPEST, ratio**-0.5)
        is_ordinary = aim / 2 <= cheapest <= aim * 2
    if is_ordinary:
        return fed, 1.0
    return fed.replace(cost=[agent.cost.scaled(aim / cheapest) for agent in fed.agents]), cheapest / aim


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
