"""Every experiment runs quickly on what is embedded, prints itself, and gives the same JSON again."""

import json

import pytest

import fedpact as fp
from fedpact.experiments.catalogue import find_experiment

NAMES = list(fp.experiments.list_experiments())
# What takes long in a quick run, and is no part of what is seen here.
SMALLER = {
    "composition-shakespeare": {"m": [100, 200], "epochs": 2},
    "coverage": {"max_nodes": 10},
    "federated": {"draws": 200},
}


def test_all_experiments_of_the_paper_are_there():
    assert {
        "composition-femnist", "composition-shakespeare", "planner-table", "price-of-stability",
        "no-pure-equilibrium", "hardness", "obliviousness", "mechanisms", "exchangeability", "federated",
    } <= set(NAMES)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seeds_give_the_same_json_in_one_process_and_in_two(name, tmp_path):
    one, two = (
        fp.experiments.reproduce(
            name, quick=True, changes=SMALLER.get(name), workers=workers, store=tmp_path / str(workers)
        )
        for workers in (1, 2)
    )
    first, second = one.to_dict(), two.to_dict()
    assert first.pop("wall_time").keys() == second.pop("wall_time").keys() == {"seconds", "cells"}
    assert json.dumps(first) == json.dumps(second)
    assert first["settings"]["leaves_out"]
    assert {"fedpact", "numpy"} <= first["versions"].keys()
    again = fp.experiments.Reproduction.from_dict(json.loads(json.dumps(one.to_dict())))
    paths = fp.experiments.write_results(again, tmp_path, f"fedpact reproduce {name} --quick")
    assert all(path.stat().st_size > 500 for path in paths)
    figure = [] if find_experiment(name).draw is None else [".svg"]
    assert [path.suffix for path in paths] == [".json", ".md", *figure]
    assert again.tables
    assert again.conclusions[-1].startswith("quick: leaves out")
