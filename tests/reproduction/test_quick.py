"""Every experiment runs quickly on what is embedded and gives the same JSON in one process and in two."""

import json

import pytest

from reproduction.catalogue import HOMES, find_experiment
from reproduction.page import conclusions_of, tables_of, write_results
from reproduction.sweep import reproduce

# What takes long in a quick run, and is no part of what is seen here.
SMALLER = {
    "composition-shakespeare": {"m": [100, 200], "epochs": 2},
    "coverage": {"max_nodes": 10},
    "federated": {"draws": 200},
    "selection": {"orders": 2, "runs": 4, "label_orders": 2},
}


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("name", HOMES)
def test_every_experiment_runs_quickly(name, tmp_path):
    one, two = (
        reproduce(name, quick=True, changes=SMALLER.get(name), workers=workers, store=tmp_path / str(workers))
        for workers in (1, 2)
    )
    assert one.pop("wall_time").keys() == two["wall_time"].keys() == {"seconds", "cells"}
    again = json.loads(json.dumps(two))
    assert one == {key: value for key, value in two.items() if key != "wall_time"}
    assert {"fedpact", "numpy"} <= one["versions"].keys()
    paths = write_results(again, tmp_path)
    assert all(path.stat().st_size > 500 for path in paths)
    figure = [] if find_experiment(name).draw is None else [".svg"]
    assert [path.suffix for path in paths] == [".json", ".md", *figure]
    assert tables_of(again)
    assert conclusions_of(again)[-1].startswith("quick: leaves out")
