"""Lower bounds that are raised to what a plan can cost."""

from fractions import Fraction

import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.cost_units import find_unit, round_up_cost
from oracle import Instance, answer


@pytest.mark.parametrize(
    ("cost", "unit"),
    [
        ([1, 1], 1.0),
        ([0.1, 0.3], 0.1),
        ([0.1, 0.25], None),
        ([{"quadratic": [1, 1]}, 1], None),
        ([{"breakpoints": [2], "slopes": [1, 2]}, 1], None),
    ],
)
def test_the_unit_is_the_cheapest_sample_if_all_are_multiples_of_it(cost, unit):
    assert find_unit(fp.examples.alice_bob().replace(cost=cost)) == unit


@pytest.mark.parametrize(("value", "raised"), [(4.2, 5.0), (5.0, 5.0), (5 - 1e-8, 5.0), (5 + 1e-8, 5 + 1e-8)])
def test_what_a_solver_rounds_is_not_raised_by_a_whole_unit(value, raised):
    assert round_up_cost(value, 1.0) == raised
    assert round_up_cost(np.inf, 1.0) == np.inf


def cheapest_by_trying(fed, instance, most):
    """Cheapest contributions that enumeration in fractions accepts."""
    return min(
        fed.cost_of(np.array(m))
        for m in np.ndindex(most, most)
        if all(answer(instance, m).worst("pac", i) <= instance.delta for i in range(2))
    )


@pytest.mark.parametrize("cost", [[1, 1], [1, 2], [3, 1], [0.5, 2], [1, 1.3]])
def test_the_optimum_is_not_pruned(cost):
    """Alice and Bob, with all labelings of two points."""
    labels, rows = (
        ((0, 0), (0, 1), (1, 0), (1, 1)),
        ((Fraction(4, 5), Fraction(1, 5)), (Fraction(1, 5), Fraction(4, 5))),
    )
    instance = Instance(labels, rows, (Fraction(1, 10),) * 2, Fraction(1, 5))
    fed = fp.examples.alice_bob().replace(cost=cost, delta=0.2)
    found = fp.plan(fed, "exact")
    assert found.status.name == "OPTIMAL"
    assert found.cost == pytest.approx(found.lower_bound) == pytest.approx(cheapest_by_trying(fed, instance, 10))
