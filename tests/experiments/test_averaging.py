"""Averaging on the digits: the identity, the gap, and where training starts."""

import json
from dataclasses import replace

import numpy as np
import pytest

import fedpact as fp
from fedpact.experiments.averaging import _judge, _shuffle
from fedpact.experiments.data.site_data import Labelled
from fedpact.training import StartStatus

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def small():
    steps = []
    seen = fp.experiments.reproduce_averaging(
        [5, 1], models=["softmax"], total_epochs=20, runs=2, seed=3, progress=lambda *now: steps.append(now)
    )
    return seen, steps


def test_one_full_step_is_pooled_training_and_more_are_not(small):
    seen, steps = small
    assert steps == [(done, 24) for done in range(1, 25)]
    for row in seen.rows:
        is_same = row.batch is None and row.epochs == 1
        assert (row.distance < 1e-12) == is_same
        assert row.statuses["EQUAL"] == (2 if is_same else 0)
        assert sum(row.statuses.values()) == row.runs == 2
        assert row.gap_low <= row.accuracy_gap <= row.gap_high
        assert row.accuracy_gap <= row.worst_site_gap + 1e-9
    blank = seen.row("softmax", "blank", "skewed", None, 5)
    assert blank.loss > blank.pooled_loss
    assert seen.status is fp.experiments.AveragingStatus.OPENS


def test_all_ways_start_alike_and_have_the_same_pooled_training(small):
    seen, _ = small
    pooled = {row.pooled_loss for row in seen.rows if (row.start, row.batch) == ("blank", None)}
    assert max(pooled) - min(pooled) < 1e-9


def test_quotas_come_from_a_plan_and_the_chosen_candidate_starts(small):
    for setting in small[0].settings:
        assert sum(setting.m.values()) > 50
        assert len(setting.m) == 5
        assert setting.chosen_accuracy > 0.85
        if setting.starts["softmax"] == StartStatus.OWN.name:
            assert setting.start_accuracy["softmax"] == setting.chosen_accuracy
    assert [setting.seed for setting in small[0].settings] == [3, 4]


def test_reading_back(small):
    assert fp.experiments.AveragingExperiment.from_dict(json.loads(json.dumps(small[0].to_dict()))) == small[0]


def test_losses_are_drawn(small):
    (axes,) = small[0].plot().axes
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    own = [small[0].row("softmax", "blank", "skewed", None, epochs).loss for epochs in (1, 5)]
    assert lines["skewed sites, from blank"] == own
    assert "pooled, from blank" in lines


def test_what_was_seen_is_said(small):
    rows = small[0].rows
    broken = [replace(row, statuses=row.statuses | {"EQUAL": 1}) for row in rows]
    assert _judge(broken) is fp.experiments.AveragingStatus.BROKEN
    flat = [replace(row, loss=row.pooled_loss) for row in rows]
    assert _judge(flat) is fp.experiments.AveragingStatus.UNCLEAR


def test_dealing_out_anew_keeps_samples_and_sizes():
    rng = np.random.default_rng(0)
    sites = {name: Labelled(rng.normal(size=(n, 2)), np.full(n, n)) for name, n in (("a", 30), ("b", 50))}
    dealt = _shuffle(sites, rng)
    assert {name: len(own.labels) for name, own in dealt.items()} == {"a": 30, "b": 50}
    assert {*dealt["a"].labels.tolist()} == {30, 50}
    joined = [np.concatenate([own.points for own in one.values()]) for one in (sites, dealt)]
    assert np.array_equal(np.sort(joined[0], axis=0), np.sort(joined[1], axis=0))


def test_a_network_is_averaged_too():
    pytest.importorskip("torch")
    options = {"models": ["network"], "total_epochs": 4, "quotas": {f"site-{n}": 5 * n for n in range(1, 6)}}
    seen = fp.experiments.reproduce_averaging([1, 2], runs=1, **options)
    assert seen.row("network", "blank", "skewed", None, 1).statuses["EQUAL"] == 1
    assert seen.row("network", "blank", "skewed", None, 1).distance < 1e-12
    assert seen.settings[0].m == options["quotas"]
    assert seen.settings[0].starts == {"network": "DISTILLED"}
    assert "torch" in seen.versions


BAD = {
    "epochs": ({"epochs": [7]}, "epochs must be numbers that divide the 60 epochs in total; they are [7]"),
    "no-epochs": ({"epochs": []}, "epochs must be numbers that divide"),
    "models": ({"models": ["forest"]}, "models must be some of softmax, network; they are ['forest']"),
    "no-models": ({"models": []}, "models must be some of"),
    "runs": ({"runs": 0}, "runs must be 1 or more"),
    "seed": ({"seed": -1}, "seed must be a whole number"),
    "quota": ({"quotas": 5000}, "quotas must leave points to hold out"),
    "quotas": ({"quotas": {"site-1": 3}}, "quotas must be one number, or one for each of site-1"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_refuses(options, message):
    with pytest.raises(fp.FederationError) as caught:
        fp.experiments.reproduce_averaging(**({"models": ["softmax"]} | options))
    assert message in str(caught.value)
