"""Averaging on the digits: the identity, the gap, and where training starts."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import fedpact as fp
from fedpact.experiments.averaging import deal_anew
from fedpact.experiments.averaging_page import BROKEN, OPENS, UNCLEAR, UNTRIED, judge
from fedpact.experiments.data.site_data import Labelled
from fedpact.training import StartStatus

pytest.importorskip("sklearn")
KEPT = Path(__file__).parents[2] / "docs" / "results" / "averaging.json"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")

    def run(**changes):
        changes = {"seeds": 2, "models": ["softmax"], "epochs": [5, 1], "total_epochs": 20} | changes
        return fp.experiments.reproduce("averaging", changes=changes, store=store, workers=1)

    return run


@pytest.fixture(scope="module")
def small(run):
    return run()


def row(found, *wanted):
    keys = ("model", "start", "sites", "batch", "epochs")
    return next(one for one in found.results["rows"] if tuple(one[key] for key in keys) == wanted)


def test_one_full_step_is_pooled_training_and_more_are_not(small):
    assert len(small.results["rows"]) == 12
    for one in small.results["rows"]:
        is_same = one["batch"] is None and one["epochs"] == 1
        assert (one["distance"] < 1e-12) == is_same
        assert one["statuses"]["EQUAL"] == (2 if is_same else 0)
        assert sum(one["statuses"].values()) == one["runs"] == 2
        gap = one["pooled_accuracy"] - one["accuracy"]
        assert one["gap_low"] <= gap <= one["gap_high"]
        assert gap <= one["worst_site_gap"] + 1e-9
    blank = row(small, "softmax", "blank", "skewed", None, 5)
    assert blank["loss"] > blank["pooled_loss"]
    assert small.conclusions[0] == OPENS


def test_all_ways_start_alike_and_have_the_same_pooled_training(small):
    pooled = {
        one["pooled_loss"] for one in small.results["rows"] if (one["start"], one["batch"]) == ("blank", None)
    }
    assert max(pooled) - min(pooled) < 1e-9


def test_quotas_come_from_a_plan_and_the_chosen_candidate_starts(small):
    for one in small.results["draws"]:
        assert sum(one["m"].values()) > 50
        assert len(one["m"]) == 5
        assert one["chosen_accuracy"] > 0.85
        if one["starts"]["softmax"] == StartStatus.OWN.name:
            assert one["start_accuracy"]["softmax"] == one["chosen_accuracy"]
    assert [one["seed"] for one in small.results["draws"]] == [0, 1]


def test_draws_are_those_of_what_is_kept(small):
    """Sites, quotas and candidates of a seed depend on no other seed, model or way of training."""
    kept = fp.experiments.Reproduction.from_dict(json.loads(KEPT.read_text())).results["draws"]
    for one, other in zip(small.results["draws"], kept, strict=False):
        assert (one["m"], one["chosen"], one["chosen_accuracy"]) == (
            other["m"],
            other["chosen"],
            pytest.approx(other["chosen_accuracy"]),
        )


def test_losses_are_drawn(small):
    (axes,) = small.plot().axes
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    own = [row(small, "softmax", "blank", "skewed", None, epochs)["loss"] for epochs in (1, 5)]
    assert lines["skewed sites, from blank"] == own
    assert "pooled, from blank" in lines


def test_what_was_seen_is_said(small):
    rows = small.results["rows"]
    broken = copy.deepcopy(rows)
    broken[0]["statuses"]["EQUAL"] = 1
    assert judge(broken) == BROKEN
    assert judge([one | {"loss": one["pooled_loss"]} for one in rows]) == UNCLEAR
    assert judge([one for one in rows if one["epochs"] > 1]) == UNTRIED
    drift = row(small, "softmax", "blank", "skewed", None, 5)
    said = f"is {drift['loss']:.3f} where pooled training has {drift['pooled_loss']:.3f}"
    assert [sentence for sentence in small.conclusions if said in sentence]


def test_dealing_out_anew_keeps_samples_and_sizes():
    rng = np.random.default_rng(0)
    sites = {name: Labelled(rng.normal(size=(n, 2)), np.full(n, n)) for name, n in (("a", 30), ("b", 50))}
    dealt = deal_anew(sites, rng)
    assert {name: len(own.labels) for name, own in dealt.items()} == {"a": 30, "b": 50}
    assert {*dealt["a"].labels.tolist()} == {30, 50}
    joined = [np.concatenate([own.points for own in one.values()]) for one in (sites, dealt)]
    assert np.array_equal(np.sort(joined[0], axis=0), np.sort(joined[1], axis=0))


def test_a_network_is_averaged_too_in_a_cell_of_its_own(run):
    pytest.importorskip("torch")
    quotas = [5 * n for n in range(1, 6)]
    changes = {"epochs": [1, 2], "total_epochs": 4, "quotas": quotas, "seeds": 1, "candidates": 12}
    seen = run(models=["network", "softmax"], **changes)
    assert row(seen, "network", "blank", "skewed", None, 1)["statuses"]["EQUAL"] == 1
    assert row(seen, "network", "blank", "skewed", None, 1)["distance"] < 1e-12
    (drawn,) = seen.results["draws"]
    assert list(drawn["m"].values()) == quotas
    assert drawn["starts"].keys() == drawn["start_accuracy"].keys() == {"network", "softmax"}
    assert drawn["starts"]["network"] == "DISTILLED"
    assert "torch" in seen.versions
    alone = run(models=["softmax"], **changes)
    assert alone.results["rows"] == [one for one in seen.results["rows"] if one["model"] == "softmax"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"epochs": [7]}, "epochs must be numbers that divide the 20 epochs in total; they are [7]"),
        ({"epochs": []}, "epochs must be numbers that divide"),
        ({"total_epochs": 0}, "total_epochs must be 1 or more"),
        ({"models": ["forest"]}, "models must be some of softmax, network; they are ['forest']"),
        ({"models": []}, "models must be some of"),
        ({"batches": []}, "batches must hold at least one value"),
        ({"batches": [8]}, "batches must be different numbers with a learning rate each"),
        ({"learning_rates": [0.0, 1.0]}, "learning_rate must be"),
        ({"candidates": 1}, "candidates must be 2 or more"),
        ({"seeds": 0}, "seeds must be 1 or more"),
        ({"quotas": [5000]}, "quotas must leave points to hold out"),
        ({"quotas": [3, 3]}, "quotas must be one number, or one for each of 5 sites"),
        ({"epsilon": 2.0}, "epsilon must lie strictly between 0 and 1"),
        ({"delta": 0.0}, "delta must lie strictly between 0 and 1"),
        ({"confidence": 1.0}, "confidence must lie strictly between 0 and 1"),
    ],
)
def test_bad_parameters_are_refused(run, changes, said):
    with pytest.raises(fp.FederationError) as caught:
        run(**changes)
    assert said in str(caught.value)


def test_what_is_kept_is_of_every_seed_and_tells_no_start_from_pooled_training():
    kept = fp.experiments.Reproduction.from_dict(json.loads(KEPT.read_text()))
    assert [one["seed"] for one in kept.results["draws"]] == list(range(kept.seeds)) == [0, 1, 2]
    assert judge(kept.results["rows"]) == OPENS
    for model in ("softmax", "network"):
        said = f"{model}, from the chosen candidate, where the protocol starts: held-out points tell 0 of 24"
        assert any(sentence.startswith(said) for sentence in kept.conclusions)
