import pytest

from fedpact.errors import FederationError
from fedpact.planning.task import Budget


def test_nothing_at_all_is_a_budget_and_less_is_refused():
    assert Budget(max_nodes=0, time_limit=0).max_nodes == 0
    for field in ("max_nodes", "time_limit"):
        with pytest.raises(FederationError, match=field):
            Budget(**{field: -1})
