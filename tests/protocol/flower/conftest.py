"""Outside of Flower's own processes nobody says which run a message belongs to, and Flower wants to know."""

from pathlib import Path

import pytest

pytest.importorskip("flwr")
from flwr.supercore.task_identity import TaskIdentity


@pytest.fixture(autouse=True)
def _inside_a_run(monkeypatch):
    monkeypatch.setattr(TaskIdentity, "_task_id", 1)
    monkeypatch.setattr(TaskIdentity, "_run_id", 1)
    monkeypatch.setattr(TaskIdentity, "_node_id", 1)


def pytest_collection_modifyitems(items):
    """Everything here imports Flower."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flower)
