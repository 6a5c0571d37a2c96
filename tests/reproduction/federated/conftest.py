"""One quick run that all tests of the experiment look at."""

import pytest

from reproduction.sweep import reproduce


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    return reproduce("federated", quick=True, store=tmp_path_factory.mktemp("store"), workers=1)
