import pytest

from fedpact.errors import FederationError
from fedpact.planning.budget import Budget, check_budget


def test_a_budget_that_is_not_given_is_the_method_s_own():
    free = Budget()
    assert free.nodes("exact") > free.nodes("auto") > 0
    assert free.seconds("exact") > free.seconds("auto") > 0


def test_nothing_at_all_is_a_budget_too():
    none = Budget(max_nodes=0, time_limit=0)
    check_budget(none)
    assert (none.nodes("exact"), none.seconds("auto")) == (0, 0)


@pytest.mark.parametrize("field", ["max_nodes", "time_limit"])
def test_a_budget_below_zero_is_refused(field):
    with pytest.raises(FederationError, match=field):
        check_budget(Budget(**{field: -1}))
