"""The gap between averaging and pooled training is measured as it is."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import fedpact as fp
from fedpact.training import SoftmaxModel, TorchModel, initial_weights, loss_of, predict_labels, train_locally
from fedpact.training.averaging_gap import _judge, _toss_coins

MODEL = SoftmaxModel(classes=("a", "b", "c"), features=4, l2=0.01)


def draw(rng, counts):
    """Labelled points of every site, most of them of one class."""
    data = {}
    for place, (site, count) in enumerate(counts.items()):
        codes = np.where(rng.random(count) < 0.8, place % 3, rng.integers(3, size=count))
        points = rng.normal(size=(count, 4)) + np.eye(3, 4)[codes] * 1.5
        data[site] = points, np.array(MODEL.classes)[codes]
    return data


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    return draw(rng, {"x": 30, "y": 12, "z": 21}), draw(rng, {"x": 300, "y": 200, "z": 250})


def measure(data, **options):
    return fp.training.measure_gap(
        MODEL, initial_weights(MODEL), *data, **({"rounds": 6, "learning_rate": 0.5} | options)
    )


def test_one_full_step_per_round_has_no_gap(data):
    seen = measure(data)
    assert seen.status is fp.training.GapStatus.EQUAL
    assert max(one.distance for one in seen.rounds) < 1e-12
    assert (seen.only_averaged, seen.only_pooled, seen.p_value) == (0, 0, 1.0)
    assert seen.steps == (1, 1)


def test_numbers_are_those_of_plain_training(data):
    told = []
    seen = measure(data, rounds=2, epochs=5, progress=lambda *now: told.append(now))
    assert told == [(1, 2), (2, 2)]
    quotas, held_out = data
    weights = {"averaged": initial_weights(MODEL), "pooled": initial_weights(MODEL)}
    pool, others = ([np.concatenate(part) for part in zip(*own.values(), strict=True)] for own in data)
    options = {"epochs": 5, "learning_rate": 0.5}
    for _ in range(2):
        own = {site: train_locally(MODEL, weights["averaged"], *pair, **options) for site, pair in quotas.items()}
        weights["averaged"] = fp.training.average_weights(own, {"x": 30, "y": 12, "z": 21})
        weights["pooled"] = train_locally(MODEL, weights["pooled"], *pool, **options)
    for kind, last in weights.items():
        score = getattr(seen.last, kind)
        assert score.loss == pytest.approx(loss_of(MODEL, last, *pool), rel=1e-12)
        assert score.accuracy == (predict_labels(MODEL, last, others[0]) == others[1]).mean()
        for site in quotas:
            assert score.site_loss[site] == pytest.approx(loss_of(MODEL, last, *quotas[site]), rel=1e-12)
            points, labels = held_out[site]
            assert score.site_accuracy[site] == (predict_labels(MODEL, last, points) == labels).mean()
    assert seen.loss_gap == seen.last.averaged.loss - seen.last.pooled.loss
    right = {kind: predict_labels(MODEL, last, others[0]) == others[1] for kind, last in weights.items()}
    assert seen.only_pooled == (right["pooled"] & ~right["averaged"]).sum()
    assert seen.accuracy_gap == pytest.approx((seen.only_pooled - seen.only_averaged) / 750)


def test_round_0_is_the_start_for_both(data):
    first = measure(data).rounds[0]
    assert first.averaged == first.pooled
    assert (first.round, first.distance) == (0, 0)
    assert first.pooled.loss == pytest.approx(np.log(3))


def test_the_gap_opens_with_local_epochs(data):
    gaps = [measure(data, rounds=60 // epochs, epochs=epochs).loss_gap for epochs in (1, 2, 5, 10, 20)]
    assert abs(gaps[0]) < 1e-12
    assert gaps[1] > 1e-4
    assert gaps == sorted(gaps)


def test_pooled_training_takes_as_many_steps(data):
    seen = measure(data, batch=8, epochs=3)
    assert (seen.steps, seen.pooled_batch) == ((12, 12), 16)
    own = measure(data, batch=8, epochs=3, pooled_batch=8)
    assert (own.steps, own.pooled_batch) == ((12, 24), 8)
    assert own.last.averaged == seen.last.averaged
    assert own.last.pooled != seen.last.pooled


def test_the_same_seed_gives_the_same_gap(data):
    one, again, other = (measure(data, batch=8, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one.last != other.last


def test_a_site_without_samples_changes_nothing(data):
    quotas, held_out = data
    empty = quotas | {"w": (np.empty((0, 4)), np.array([], dtype=str))}
    seen = measure((empty, held_out | {"w": held_out["x"]}), epochs=3)
    plain = measure(data, epochs=3)
    assert seen.m["w"] == 0
    assert seen.last.averaged.site_loss["w"] is None
    assert seen.last.distance == plain.last.distance
    assert measure((quotas, {"x": held_out["x"]})).last.averaged.site_accuracy.keys() == {"x"}


def test_reading_back(data):
    seen = measure(data, batch=8, epochs=2)
    entry = json.loads(json.dumps(seen.to_dict()))
    assert fp.training.AveragingGap.from_dict(entry) == seen


def test_errors_are_drawn(data):
    seen = measure(data, epochs=5)
    worst = min(seen.last.averaged.site_accuracy, key=seen.last.averaged.site_accuracy.get)
    lines = {line.get_label(): list(line.get_ydata()) for line in seen.plot().axes[0].lines}
    assert list(lines) == ["averaged, all sites", f"averaged, {worst}", "pooled, all sites", f"pooled, {worst}"]
    assert lines["pooled, all sites"] == [1 - one.pooled.accuracy for one in seen.rounds]


@pytest.mark.parametrize(
    ("counts", "status"), [((5, 30), "BEHIND"), ((30, 5), "AHEAD"), ((8, 12), "ALIKE"), ((0, 0), "ALIKE")]
)
def test_only_what_coins_would_not_do_is_called_a_difference(data, counts, status):
    last = replace(measure(data).last, distance=0.5)
    total = sum(counts)
    p_value = min(1.0, 2 * binom.cdf(min(counts), total, 0.5)) if total else 1.0
    assert _toss_coins(*counts) == pytest.approx(p_value)
    assert _judge(last, "float64", counts, p_value) is fp.training.GapStatus[status]


def test_pytorch_has_the_same_identity(data):
    """In float64: in float32 a rounding may switch a ReLU at one sample, and grow from there on."""
    nn = pytest.importorskip("torch").nn
    module = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3)).double()
    model = TorchModel(module=module, classes=MODEL.classes)
    one, ten = (
        fp.training.measure_gap(
            model, initial_weights(model), *data, rounds=20 // epochs, epochs=epochs, learning_rate=0.5
        )
        for epochs in (1, 10)
    )
    assert one.status is fp.training.GapStatus.EQUAL
    assert one.last.distance < 1e-9 < 1e-3 < ten.last.distance


BAD = {
    "rounds": ({"rounds": 0}, "rounds must be 1 or more"),
    "epochs": ({"epochs": 0}, "epochs must be 1 or more"),
    "batch": ({"batch": 0}, "batch must be 1 or more"),
    "rate": ({"learning_rate": -1}, "learning_rate must be above 0"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_refuses(data, options, message):
    with pytest.raises(fp.FederationError, match=message):
        measure(data, **options)


def test_refuses_samples_that_do_not_fit(data):
    quotas, held_out = data
    points, labels = quotas["x"]
    for bad, message in (
        ({"x": (points, labels[1:])}, "quotas of site 'x' must have one label per point; there are 29 and 30"),
        ({"x": (points[:0], labels[:0])}, "quotas must hold a sample at some site"),
        ({}, "quotas must give the points and labels of every site"),
        ({"x": (points, np.full(30, "d"))}, "labels must be among the model's classes"),
    ):
        with pytest.raises(fp.FederationError, match=message):
            measure((bad, held_out))
