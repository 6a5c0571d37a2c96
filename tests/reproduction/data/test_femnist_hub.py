"""FEMNIST as the hub has it: columns of images, of writers and of characters."""

import sys
from types import ModuleType

import numpy as np
import pytest

import fedpact as fp
from reproduction.data import femnist_hub
from reproduction.data.femnist_hub import gather_largest


class Image:
    """A picture that can turn itself into shades of grey."""

    def __init__(self, pixels):
        self.pixels = pixels

    def convert(self, mode):
        assert mode == "L"
        return self.pixels


class Split:
    """What of a data set of the hub is asked for."""

    def __init__(self, columns):
        self.columns = columns

    def __getitem__(self, column):
        return self.columns[column]

    def select(self, places):
        return Split({name: [values[place] for place in places] for name, values in self.columns.items()})


def split(paper=250, side=28):
    ids = ["f2", "f1", "f2", "f3", "f1", "f2", "f4"]
    shades = [np.full((side, side), abs(paper - n), dtype=np.uint8) for n in range(7)]
    return Split(
        {"writer_id": ids, "character": [9, 8, 7, 6, 5, 4, 61], "image": [Image(each) for each in shades]}
    )


@pytest.mark.parametrize("paper", [250, 0])
def test_the_largest_writers_are_kept_in_their_order(paper):
    data = gather_largest(split(paper), largest=3)
    assert data.names == ("f2", "f1", "f3")
    assert data.sizes == {"f2": 3, "f1": 2, "f3": 1}
    assert data.labels[data.places("f2")].tolist() == [9, 7, 4]
    assert data.labels[data.places("f1")].tolist() == [8, 5]
    assert data.images.max() < 0.1
    assert data.source == "flwrlabs/femnist, its 3 largest writers"


def test_images_of_another_size_are_refused():
    with pytest.raises(fp.FederationError, match="an image must have 784 pixels; one has 900"):
        gather_largest(split(side=30), largest=3)


@pytest.mark.parametrize("failure", [ConnectionError("no\nroute"), RuntimeError("closed"), OSError()])
def test_no_network_is_told_in_one_line(monkeypatch, failure):
    def refuse(**asked):
        assert asked["dataset"] == "flwrlabs/femnist"
        assert asked["shuffle"] is False
        raise failure

    hub, partitioner, web = (
        ModuleType("flwr_datasets"),
        ModuleType("flwr_datasets.partitioner"),
        ModuleType("httpx"),
    )
    hub.FederatedDataset, partitioner.NaturalIdPartitioner, web.HTTPError = refuse, dict, KeyError
    for module in (hub, partitioner, web):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(fp.FederationError, match="needs a network") as caught:
        femnist_hub.read_hub()
    assert "\n" not in str(caught.value)
