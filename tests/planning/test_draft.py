import pytest

import fedpact as fp
from fedpact.planning.draft import draft
from noisy import noisy_federation


def test_a_draft_is_made_once():
    fed = noisy_federation(2)
    assert draft(fed, "union") is draft(fed, "union")


def test_a_start_changes_the_way_and_not_the_solution():
    fed = noisy_federation(3)
    cold = draft(fed, "union").solution
    warm = draft(fed, "union", 0.8 * cold.m).solution
    assert warm.value == pytest.approx(cold.value, rel=1e-5)


@pytest.mark.parametrize("method", ["lp", "union", "tree"])
def test_a_method_without_a_plan_names_the_agent_and_the_pair(method):
    capped = fp.examples.alice_bob().replace(capacity=2)
    with pytest.raises(fp.errors.NoPlanFoundError, match=method) as raised:
        draft(capped, method)
    assert raised.value.agents[0] in capped.names
    assert set(raised.value.pair) <= set(capped.hypotheses)


TINY = {
    "labels": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "distributions": [[1 - 5e-9, 5e-9], [0.5, 0.5]],
    "names": ["ben", "dan"],
    "cost": [{"quadratic": [1, 0.25]}, 1.5],
    "capacity": [None, 6],
    "epsilon": 0.12,
    "delta": 0.05,
}


@pytest.mark.parametrize("method", ["union", "tree", "auto", "exact"])
def test_where_lp_asks_for_more_than_the_solver_can_count_the_others_still_plan(method):
    """They raised SolverError: for "lp" 5e-9 of ben's points make up for what dan may not give."""
    found = fp.plan(fp.Federation.from_table(**TINY), method)
    assert (found.contributions, found.cost) == ({"ben": 1, "dan": 5}, 8.75)


def test_where_lp_asks_for_more_than_the_solver_can_count_it_finds_no_plan():
    with pytest.raises(fp.errors.NoPlanFoundError, match=r"'lp' .* more samples than the solver can count"):
        fp.plan(fp.Federation.from_table(**TINY), "lp")


def test_an_audit_survives_misreports_that_lp_has_no_plan_for():
    assert fp.audit(fp.Federation.from_table(**TINY), method="union", n_misreports=20).gain == 0
