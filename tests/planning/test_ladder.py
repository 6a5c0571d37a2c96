"""The ladder of planners on a thousand random federations, against trying every cheaper vector."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.plan import plan
from grid import is_enough, random_question, vectors_up_to

LADDER = ("lp", "union", "tree", "exact")
QUICK, QUESTIONS = 60, 1_000


@pytest.mark.slow
def test_ladder():
    assert sum(check_ladder(random_question(seed)) for seed in range(QUICK)) >= QUICK // 3


@pytest.mark.slow
def test_the_rest_of_the_ladder():
    assert sum(check_ladder(random_question(seed)) for seed in range(QUICK, QUESTIONS)) >= (QUESTIONS - QUICK) // 3


def check_ladder(question):
    """Check every rung; whether there was anything to plan and the optimum was found by trying everything."""
    fed = question.build()
    plans = {}
    for method in LADDER:
        try:
            plans[method] = plan(fed, method)
        except fp.errors.NoPlanFoundError:
            assert question.capacity[0] is not None
            assert method != "exact"
        except fp.InfeasibleError:
            check_infeasible(question)
            return False
    costs = [found.cost for found in plans.values()]
    assert costs == sorted(costs, reverse=True)
    for found in plans.values():
        assert is_enough(question, found.m[None])[0]
        assert found.cost == pytest.approx(found.m @ question.cost)
    return check_optimum(question, plans)


def check_optimum(question, plans):
    grid = vectors_up_to(question, plans["exact"].cost)
    if grid is None:
        return False
    optimum = (grid[is_enough(question, grid)] @ question.cost).min()
    assert plans["exact"].cost == pytest.approx(optimum)
    assert plans["exact"].status in ("optimal", "nothing-needed", "one-candidate")
    assert all(found.lower_bound <= optimum + 1e-9 for found in plans.values())
    check_factor(question, plans.get("lp"), optimum)
    return bool(plans["exact"].cost > 0)


def check_factor(question, lp, optimum):
    """The paper's theorem before rounding, and what is true after it (ERRATA A5)."""
    if lp is None or question.objective != "pac" or question.capacity[0] is not None:
        return
    H = len(np.unique(question.labels[:, (question.distributions > 0).any(axis=0)], axis=0))
    factor = 1 + np.log(H) / np.log(1 / question.delta)
    assert lp.fractional_cost <= factor * optimum + 1e-6
    support = np.array(list(lp.fractional.values())) > 1e-9
    assert lp.cost <= factor * optimum + question.cost[support].sum() + 1e-6


def check_infeasible(question):
    """Nobody can give more than the capacity, and even that is not enough."""
    assert None not in question.capacity
    assert not is_enough(question, np.array([question.capacity]))[0]
