"""Planners on classes of checkpoints, against the optimum."""

import json
import math
import os

import numpy as np
import pytest

import fedpact as fp
from reproduction.page import conclusions_of, tables_of
from reproduction.planner_table.checkpoints import ALPHABET, read_checkpoints
from reproduction.planner_table.plans import cut_plans, find_largest, plan_class, read_plans, sample_class
from reproduction.planner_table.table import ALLOWED, PAPER, PLANNER_TABLE, _conclude, _draw, _tabulate
from reproduction.read_settings import read_settings
from reproduction.sweep import Sweep, _describe, open_engine, reproduce

pytest.importorskip("torch")
pytestmark = pytest.mark.torch
REAL = os.environ.get("FEDPACT_DATA")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def quick(store):
    return reproduce("planner-table", quick=True, store=store, workers=1)


@pytest.fixture(scope="module")
def classes(quick, store):
    """The federation of every row, from the checkpoints that were kept."""
    settings = read_settings("planner-table", quick=True)
    data = PLANNER_TABLE.prepare(settings, None)
    training = PLANNER_TABLE.stages[0].cut(settings, data, [])
    with open_engine("local", None, 1) as parallel:
        sweep = Sweep(parallel, store, fresh=False, progress=lambda done, total: None)
        trained = [one["answer"] for one in sweep.compute(_describe(PLANNER_TABLE, 0), training)]
    return [
        fp.Federation.from_predictions(
            {name: task.arrays[name].astype(int) for name in task.cell["names"]},
            cost=1, epsilon=task.cell["epsilon"], delta=task.cell["delta"],
        )
        for task in cut_plans(settings, data, [trained])
    ]  # fmt: skip


def test_every_plan_is_enough_and_the_optimum_is_proved(quick, classes):
    for row, fed in zip(quick["results"]["rows"], classes, strict=True):
        assert (row["H"], row["writers"], row["epsilon"]) == (fed.H, fed.k, fed.epsilon[0])
        for m in row["contributions"].values():
            assert fp.verify(fed, m).is_feasible
        if row["part"] == "table":
            assert row["is_proved"]
            fewest = dict(zip(fed.names, row["contributions"]["exact"], strict=True))
            for agent, m in fewest.items():
                assert m == 0 or not fp.verify(fed, fewest | {agent: m - 1}).is_feasible
        assert row["lower_bound"] <= row["samples"]["exact"] <= min(row["samples"].values())
        assert row["samples"]["tree"] <= row["samples"]["union"] <= row["samples"]["lp"]
        for method, m in row["contributions"].items():
            assert sum(m) == row["samples"][method]


def test_better_planners_are_near_the_optimum(quick):
    for row in quick["results"]["rows"]:
        if (row["part"], row["delta"]) == ("table", 0.05):
            for method, (share, samples) in ALLOWED.items():
                above = row["samples"][method] - row["samples"]["exact"]
                assert above <= max(share * row["samples"]["exact"], samples)


def test_the_papers_column_stands_beside_ours(quick):
    first = tables_of(quick)[0]
    assert first.columns[:3] == ("H", "paper", "lp")
    assert [row[1] for row in first.rows] == ["1.67", "3.19"]
    # The paper's column is within its own theorem for delta = 0.4 and not for 0.05 (ERRATA B7).
    assert "exceeds its theorem's factor at delta = 0.05 for |H| = 5, 10" in " ".join(conclusions_of(quick))
    assert all(ratio <= 1 + math.log(H) / math.log(1 / 0.4) for H, ratio in PAPER.items())
    assert not all(ratio <= 1 + math.log(H) / math.log(1 / 0.39) for H, ratio in PAPER.items())


def test_figures_and_tables_come_from_the_json_alone(quick):
    again = json.loads(json.dumps(quick))["results"]
    assert _tabulate(again) == tables_of(quick)
    assert len(_draw(again).axes) == 2


def test_a_method_that_wastes_samples_is_said_to(quick):
    results = json.loads(json.dumps(quick["results"]))
    assert any(
        "tree is above it by 5% or 1 at most, whichever is more, for 2 of 2" in said for said in _conclude(results)
    )
    for row in results["rows"]:
        row["samples"]["tree"] = row["samples"]["exact"] + 2
    assert any(
        "tree is above it by 5% or 1 at most, whichever is more, for 0 of 2" in said for said in _conclude(results)
    )


def test_a_class_is_planned_as_its_predictions_say():
    rng = np.random.default_rng(0)
    labels = {"ann": rng.integers(0, 3, (4, 30)), "ben": rng.integers(0, 3, (4, 20))}
    cell = {"part": "table", "H": 4, "writers": 2, "seed": 0, "epsilon": 0.1, "delta": 0.05, "max_nodes": 500}
    row = plan_class(cell | {"names": list(labels)}, labels)
    fed = fp.Federation.from_predictions(labels, cost=1, epsilon=0.1, delta=0.05)
    for m in row["contributions"].values():
        assert fp.verify(fed, m).is_feasible
    for j in range(2):
        less = list(row["contributions"]["exact"])
        less[j] -= 1
        assert less[j] < 0 or not fp.verify(fed, less).is_feasible


def test_larger_classes_contain_smaller_ones_and_equal_checkpoints_count_once():
    texts = ["012", "0Az", "012", "zzz"]
    checkpoints = read_checkpoints([{"predictions": [texts[:2]]}, {"predictions": [texts[2:]]}])
    assert checkpoints.tolist() == [[0, 1, 2], [0, 10, 61], [61, 61, 61]]
    assert len(ALPHABET) == 62
    assert sample_class(checkpoints, 2, 5).tolist() == sample_class(checkpoints, 3, 5)[:2].tolist()


def test_fractions_are_numbers_where_they_are_used():
    known = read_settings("planner-table", quick=True)
    read = read_plans(known | {"deltas": ["1/20"], "grid_epsilons": ["1/4"], "more_writers": [3.0], "large_H": []})
    assert (read["deltas"], read["grid_epsilons"], read["more_writers"]) == ([0.05], [0.25], [3])
    assert read | {key: known[key] for key in ("deltas", "grid_epsilons", "more_writers", "large_H")} == known


def test_checkpoints_are_trained_for_the_largest_class_that_is_planned():
    known = read_settings("planner-table", quick=True)
    assert find_largest(known) == 20
    assert find_largest(known | {"grid_H": [30], "writers_H": [50]}) == 50
    assert find_largest(known | {"grid_H": [30], "writers_H": [50], "more_writers": []}) == 30


@pytest.mark.skipif(not REAL, reason="FEDPACT_DATA names no folder with FEMNIST")
def test_real_writers(tmp_path):
    found = reproduce("planner-table", data=REAL, quick=True, store=tmp_path, workers=1)
    assert list(found["results"]["writers"].items())[:2] == [("f1255_13", 355), ("f0424_27", 315)]
    assert all(row["is_proved"] for row in found["results"]["rows"] if row["part"] == "table")
