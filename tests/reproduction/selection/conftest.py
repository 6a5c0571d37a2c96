"""One quick run that all tests of the experiment look at."""

import pytest

from reproduction.sweep import reproduce

SMALL = {"orders": 2, "label_orders": 3, "runs": 6, "federations": ["arizona-hospitals", "hospitals"]}


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    pytest.importorskip("sklearn")
    store = tmp_path_factory.mktemp("store")
    return reproduce("selection", quick=True, changes=SMALL, store=store, workers=1)
