"""Planners on classes of checkpoints, against the optimum."""

import json
import math
import os

import numpy as np
import pytest

import fedpact as fp
from fedpact.experiments.planner_table.checkpoints import ALPHABET, read_checkpoints
from fedpact.experiments.planner_table.plans import plan_class, sample_class
from fedpact.experiments.planner_table.table import ALLOWED, PAPER, _conclude, _draw, _tabulate

pytest.importorskip("torch")
REAL = os.environ.get("FEDPACT_DATA")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    return fp.experiments.reproduce("planner-table", quick=True, store=tmp_path_factory.mktemp("store"), workers=1)


def test_every_plan_is_enough_and_the_optimum_is_proved(quick):
    for row in quick.results["rows"]:
        if row["part"] == "table":
            assert row["is_proved"]
        assert row["lower_bound"] <= row["samples"]["exact"] <= min(row["samples"].values())
        assert row["samples"]["tree"] <= row["samples"]["union"] <= row["samples"]["lp"]
        for method, m in row["contributions"].items():
            assert sum(m) == row["samples"][method]


def test_better_planners_are_near_the_optimum(quick):
    for row in quick.results["rows"]:
        if (row["part"], row["delta"]) == ("table", 0.05):
            for method, (share, samples) in ALLOWED.items():
                above = row["samples"][method] - row["samples"]["exact"]
                assert above <= max(share * row["samples"]["exact"], samples)


def test_the_papers_column_stands_beside_ours(quick):
    first = quick.tables[0]
    assert first.columns[:3] == ("H", "paper", "lp")
    assert [row[1] for row in first.rows] == ["1.67", "3.19"]
    # The paper's column is within its own theorem for delta = 0.4 and not for 0.05 (ERRATA B7).
    assert "exceeds its theorem's factor at delta = 0.05 for |H| = 5, 10" in " ".join(quick.conclusions)
    assert all(ratio <= 1 + math.log(H) / math.log(1 / 0.4) for H, ratio in PAPER.items())
    assert not all(ratio <= 1 + math.log(H) / math.log(1 / 0.39) for H, ratio in PAPER.items())


def test_figures_and_tables_come_from_the_json_alone(quick):
    again = json.loads(json.dumps(quick.to_dict()))["results"]
    assert _tabulate(again) == quick.tables
    assert len(_draw(again).axes) == 2


def test_a_method_that_wastes_samples_is_said_to(quick):
    results = json.loads(json.dumps(quick.results))
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


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"H": []}, "H must hold"),
        ({"H": [1]}, "H must be"),
        ({"H": [500]}, "H = 500 is more than the 30 checkpoints"),
        ({"deltas": [1.0]}, "deltas must lie"),
        ({"epsilon": 2.0}, "epsilon must lie"),
        ({"more_writers": [8]}, "8 sites leave nobody public"),
        ({"public_images": 10**6}, "public_images = 1000000 is more than"),
        ({"networks": 0}, "networks must be"),
    ],
)
def test_what_cannot_be_planned_is_said_in_one_line(tmp_path, changes, said):
    with pytest.raises(fp.FederationError, match=said) as caught:
        fp.experiments.reproduce("planner-table", quick=True, changes=changes, store=tmp_path, workers=1)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not REAL, reason="FEDPACT_DATA names no folder with FEMNIST")
def test_real_writers(tmp_path):
    found = fp.experiments.reproduce("planner-table", data=REAL, quick=True, store=tmp_path, workers=1)
    assert list(found.results["writers"].items())[:2] == [("f1255_13", 355), ("f0424_27", 315)]
    assert all(row["is_proved"] for row in found.results["rows"] if row["part"] == "table")
