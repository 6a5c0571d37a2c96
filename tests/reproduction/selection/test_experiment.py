"""What a quick run finds, what the kept one found, and what is refused."""

import json
import os
from pathlib import Path

import pytest

import fedpact as fp
from reproduction.selection.count_labels import CHOSEN_BEFORE, DISTRIBUTIONS, POOLS
from reproduction.selection.label_by_candidate import ASKED, CHOSEN
from reproduction.selection.label_truly import ADAPTIVE, PLAN
from reproduction.selection.page import FIRST_BY_CANDIDATE, FIRST_TRIAL
from reproduction.sweep import reproduce

REAL = os.environ.get("FEDPACT_DATA")
KEPT = json.loads((Path(__file__).parents[3] / "docs" / "results" / "selection.json").read_text())["results"]


@pytest.mark.slow
def test_digits_stand_in_for_what_is_not_embedded(quick):
    results = quick["results"]
    assert {row["collection"] for row in results["collections"]} == {"digits"}
    assert [row["way"] for row in results["collections"]] == [POOLS, "batch 25", DISTRIBUTIONS, CHOSEN_BEFORE]
    assert [fed["federation"] for fed in results["truths"]] == ["arizona-hospitals", "digits"]
    assert [fed["federation"] for fed in results["true_labels"]] == ["digits"]
    assert quick["data"] == "scikit-learn's digits, shared out among five sites"


@pytest.mark.slow
def test_what_is_certain_never_misses(quick):
    results = quick["results"]
    assert not sum(row["above"] + row["false"] for row in results["collections"])
    for fed in results["truths"]:
        (chosen,) = (row for row in fed["rows"] if row["way"] == CHOSEN and not row["noise"])
        assert (chosen["missed"], chosen["certified"]) == (0, 1.0)
        assert chosen["most"] <= fed["candidates"] - 1
    assert all(fed["ways"][ADAPTIVE]["draws"] == 3 for fed in results["true_labels"])


@pytest.mark.slow
def test_batches_take_more_labels_in_fewer_rounds(quick):
    one, many = quick["results"]["collections"][:2]
    assert many["mean"] >= one["mean"]
    assert many["rounds"] < one["rounds"]
    assert one["steps"].keys() == set(one["sites"])
    assert not many["steps"]


def test_what_is_kept_beats_the_first_trials():
    """Labels of the promise about pools, and of adaptive labelling by a candidate of the same hospitals."""
    pools = {(row["collection"], row["epsilon"]): row for row in KEPT["collections"] if row["way"] == POOLS}
    assert pools.keys() == FIRST_TRIAL.keys()
    for key, first in FIRST_TRIAL.items():
        assert pools[key]["mean"] <= first
        assert pools[key]["certified"] == 1.0
        assert pools[key]["orders"] >= 20
    arizona = next(fed for fed in KEPT["truths"] if fed["federation"] == "arizona-hospitals")
    for row in arizona["rows"]:
        mean, most = FIRST_BY_CANDIDATE["arizona-hospitals", 0.0, row["way"]].rstrip(")").split(" (")
        assert row["mean"] <= float(mean)
        assert row["most"] <= float(most)
    assert {row["way"] for row in arizona["rows"]} == {ASKED, CHOSEN}


def test_what_is_kept_holds_every_promise():
    assert not sum(row["above"] + row["false"] for row in KEPT["collections"])
    for fed in KEPT["truths"]:
        for row in fed["rows"]:
            allowed = 0 if (row["noise"], row["way"]) == (0.0, CHOSEN) else KEPT["truth_delta"] * row["runs"]
            assert row["missed"] <= allowed
    for fed in KEPT["true_labels"]:
        adaptive, plan = (fed["ways"][way] for way in (ADAPTIVE, PLAN))
        assert adaptive["all_near"] >= (1 - KEPT["label_delta"]) * adaptive["draws"]
        assert plan["all_near"] < (1 - KEPT["label_delta"]) * plan["draws"]
    for row in KEPT["runs"]:
        assert row["runs"] >= 2000
        assert max(row[key] for key in ("missed", "false_stop", "false_ever")) <= row["bound"] * row["runs"]


MISSING = [
    (None, {}, "without data there is only --quick, on digits"),
    ("nowhere", {}, r"data must be a folder that holds selection/mmlu_pro\.npz"),
    ("nowhere", {"collections": []}, r"data must be a folder that holds heart_disease_4hospitals\.csv"),
    ("nowhere", {"collections": [], "federations": ["writers"]}, "there is no folder 'nowhere'"),
]


@pytest.mark.parametrize(("data", "changes", "said"), MISSING)
def test_data_that_are_not_there_are_asked_for(tmp_path, data, changes, said):
    with pytest.raises(fp.FederationError, match=said) as caught:
        reproduce("selection", data=data, changes=changes, store=tmp_path, workers=1)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.skipif(not REAL, reason="FEDPACT_DATA names no folder of data")
def test_the_data_themselves(tmp_path):
    changes = {"orders": 1, "runs": 2, "truth_draws": 1, "label_orders": 1}
    found = reproduce("selection", data=REAL, quick=True, changes=changes, store=tmp_path, workers=1)["results"]
    sizes = {row["collection"]: (len(row["sites"]), row["candidates"]) for row in found["collections"]}
    assert sizes["mmlu_pro"] == (9, 28)
    assert sizes["qnli"] == (1, 90)
    assert [fed["federation"] for fed in found["true_labels"]] == ["hospitals", "writers"]
