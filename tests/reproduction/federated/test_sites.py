"""Sites have what they are given."""

import numpy as np
import pytest

import fedpact as fp
from reproduction.federated.cells import cut_networks, cut_runs, prepare
from reproduction.federated.sites import Points, open_hospitals, open_writers, set_apart
from reproduction.planner_table.checkpoints import train_networks
from reproduction.read_settings import read_settings

pytest.importorskip("torch")
pytest.importorskip("sklearn")
pytestmark = pytest.mark.torch
CHANGES = {"public_images": 60, "networks": 2, "epochs": 4, "H": 5}


@pytest.fixture(scope="module")
def tasks():
    """A cell of the writers, one of the digits, as an experiment cuts them."""
    settings = read_settings("federated", quick=True, changes=CHANGES, seeds=1)
    data = prepare(settings, None)
    trained = [train_networks(*task) for task in cut_networks(settings, data, [])]
    return cut_runs(settings, data, [trained])


@pytest.fixture(scope="module")
def writers(tasks):
    return open_writers(*tasks[0])


@pytest.fixture(scope="module")
def digits(tasks):
    return open_hospitals(*tasks[1])


def test_points_are_divided_into_those_to_draw_from_and_those_to_test_on(tasks, writers, digits):
    for task, sites in zip(tasks, (writers, digits), strict=True):
        sizes = [len(sites.own[name].labels) + len(sites.test[name].labels) for name in task.cell["sites"]]
        assert sizes == task.cell["sizes"]
        labels = np.concatenate([part[name].labels for name in sites.own for part in (sites.own, sites.test)])
        assert np.bincount(labels).tolist() == np.bincount(task.arrays["labels"]).tolist()
    with pytest.raises(fp.FederationError, match="a site must have two points or more"):
        set_apart(Points(np.zeros(1), np.zeros((2, 1))), 0.25, np.random.default_rng(0))
