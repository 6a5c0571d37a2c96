"""Plan in a currency in which costs are ordinary numbers.

The solver's and the search's tolerances are absolute: where a sample costs 1e-8 they would take a dearer plan for
an equally cheap one, and a lower bound could lie above the optimum.
"""

from __future__ import annotations

from fedpact.describe.costs import scale
from fedpact.describe.federation import Federation

_ORDINARY = (1e-2, 1e4)


def in_round_currency(fed: Federation) -> tuple[Federation, float]:
    """Return the federation with ordinary costs, and what one unit of them is worth.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> fed, unit = in_round_currency(alice_bob().replace(cost=[1e-8, 3e-8]))
    >>> [round(float(agent.cost(1)), 9) for agent in fed.agents], unit
    ([1.0, 3.0], 1e-08)
    """
    cheapest = min(float(agent.cost(1)) for agent in fed.agents)
    if _ORDINARY[0] <= cheapest <= _ORDINARY[1]:
        return fed, 1.0
    return fed.replace(cost=[scale(agent.cost, 1 / cheapest) for agent in fed.agents]), cheapest
