import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.draft import Draft
from fedpact.planning.finish import finish_plan, plan_nothing
from fedpact.planning.result import BoundBy, Proof


def finish(cost_at_least, method="auto"):
    fed = fp.examples.alice_bob()
    final = Draft(m=np.array([3, 2]), solution=None, proved_by=Proof.ENGINE)
    return finish_plan(fed, method, final, (cost_at_least, BoundBy.PAIRS), fp.planning.PlanStatus.CERTIFIED)


@pytest.mark.parametrize(
    ("lower", "status", "chosen"),
    [
        (4.0, fp.planning.PlanStatus.CERTIFIED, "union-trimmed"),
        (5.0, fp.planning.PlanStatus.OPTIMAL, "exact"),
        (5.0 * (1 - 1e-12), fp.planning.PlanStatus.OPTIMAL, "exact"),
        (6.0, fp.planning.PlanStatus.OPTIMAL, "exact"),
    ],
)
def test_a_plan_that_costs_the_lower_bound_is_optimal(lower, status, chosen):
    made = finish(lower)
    assert (made.status, made.chosen) == (status, chosen)
    assert made.lower_bound == min(lower, 5.0)


def test_a_method_that_was_asked_for_is_the_one_that_was_chosen():
    assert finish(4.0, "tree").chosen == "tree"


def test_no_samples_cost_nothing():
    made = plan_nothing(fp.examples.alice_bob(), "lp")
    assert (made.cost, made.lower_bound, made.m.tolist()) == (0, 0, [0, 0])
    assert made.status is fp.planning.PlanStatus.NOTHING_NEEDED
