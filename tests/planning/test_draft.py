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
