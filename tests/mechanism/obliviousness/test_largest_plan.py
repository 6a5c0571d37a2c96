"""No reports lead beyond the bounds; the construction comes close to them."""

import math

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.claims import with_distributions
from fedpact.mechanism.obliviousness.largest_plan import find_enough, find_largest_cost, find_largest_plan


def test_what_is_enough_of_everybody_is_that_of_the_errata():
    fed = fp.examples.singletons(epsilon=0.01)
    assert find_enough(fed).sum() == pytest.approx(713.1, abs=0.05)
    expected = fed.replace(objective="expected", epsilon=0.1)
    assert find_enough(expected) == pytest.approx([math.log(18) / -math.log(0.95)] * 2)
    assert find_enough(fed.replace(epsilon=1)).tolist() == [1, 1]


def hard_reports(rng, n, epsilon):
    """Masses close to epsilon on some points, where much is asked for."""
    row = np.zeros(n)
    some = rng.choice(n, size=rng.integers(1, 4), replace=False)
    row[some] = epsilon * rng.choice([0.5, 0.9, 1.01, 1.05, 1.5, 3], size=len(some))
    heap = rng.integers(n)
    row[heap] += 1 - row.sum()
    return row


@pytest.mark.parametrize("objective", ["pac", "expected"])
@pytest.mark.parametrize("cost", [(1, 1), (1, 4)])
def test_no_reports_lead_beyond(objective, cost):
    rng = np.random.default_rng(1)
    fed = fp.examples.singletons(6, epsilon=0.05).replace(cost=cost, objective=objective, epsilon=[0.05, 0.08])
    s, largest = find_enough(fed), find_largest_plan(fed)
    others = (np.array(cost) * s)[::-1]
    for _ in range(60):
        found = fp.plan(with_distributions(fed, [hard_reports(rng, 6, 0.05) for _ in range(2)]), "lp")
        assert (found.m <= largest).all()
        assert found.cost <= find_largest_cost(fed)
        fractional = np.array(list(found.fractional.values()))
        assert (fractional <= np.maximum(s, others / cost) + 1e-6).all()


def test_the_end_is_nearly_reached():
    fed = fp.examples.singletons(epsilon=0.01)
    assert fp.mechanism.obliviousness(fed, m=[355, 355]).is_oblivious
    assert find_enough(fed)[0] < 357


def test_the_rounding_shrinks_in_proportion():
    fed = fp.examples.singletons(epsilon=0.0001)
    assert 1 < find_largest_plan(fed)[0] / find_enough(fed)[0] < 1.01


UNKNOWN = {
    "no-error": {"epsilon": 0},
    "curved": {"cost": {"quadratic": [1, 1]}},
}


@pytest.mark.parametrize("change", UNKNOWN.values(), ids=UNKNOWN)
def test_nothing_is_known_without_tolerance_or_with_curved_costs(change):
    fed = fp.examples.singletons().replace(**change)
    assert np.isinf(find_largest_plan(fed)).all()
    assert math.isinf(find_largest_cost(fed))
