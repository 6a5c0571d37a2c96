"""Rescale costs to ordinary numbers before planning.

The solver's and the search's tolerances are absolute: where a sample costs 1e-8 they would take a dearer plan for
an equally cheap one, and a lower bound could lie above the optimum. Where a sample costs 1e9 the solver gives up;
so if one agent's samples cost more than 1e8 times another's, both ends are moved towards 1.
"""

from __future__ import annotations

from fedpact.describe.costs import scale
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
    return fed.replace(cost=[scale(agent.cost, aim / cheapest) for agent in fed.agents]), cheapest / aim
