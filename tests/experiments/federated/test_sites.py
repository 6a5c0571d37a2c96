"""Sites have what they are given, and training starts from what a candidate says."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.experiments.federated.cells import cut_networks, cut_runs, prepare
from fedpact.experiments.federated.checkpoint_weights import train_checkpoints
from fedpact.experiments.federated.continue_training import average_quotas, measure_accuracy
from fedpact.experiments.federated.sites import Points, open_hospitals, open_writers, set_apart
from fedpact.experiments.sweep.settings import read_settings
from fedpact.training import predict_labels, train_locally

pytest.importorskip("torch")
pytest.importorskip("sklearn")
CHANGES = {"public_images": 60, "networks": 2, "epochs": 4, "H": 5}


@pytest.fixture(scope="module")
def tasks():
    """A cell of the writers, one of the digits, as an experiment cuts them."""
    settings = read_settings("federated", quick=True, changes=CHANGES, seeds=1)
    data = prepare(settings, None)
    trained = [train_checkpoints(*task) for task in cut_networks(settings, data, [])]
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
        set_apart(Points(np.zeros((1, 1)), np.zeros(1), np.zeros((2, 1))), 0.25, np.random.default_rng(0))


def test_a_network_predicts_what_its_checkpoint_said(writers):
    for site in writers.test.values():
        for candidate in range(CHANGES["H"]):
            said = predict_labels(writers.model, writers.start(candidate), site.points)
            assert said.tolist() == site.predictions[candidate].tolist()


def test_a_softmax_regression_starts_from_a_candidate_or_near_it(digits):
    agreement = [
        (predict_labels(digits.model, digits.start(candidate), site.points) == site.predictions[candidate]).mean()
        for site in digits.test.values()
        for candidate in range(CHANGES["H"])
    ]
    assert np.mean(agreement) > 0.8
    assert max(agreement) == 1.0


def test_averaging_full_steps_is_training_on_all_quotas(digits):
    cell = {"rounds": 3, "local_epochs": 1, "local_batch": 0, "seed": 0}
    start = digits.start(0)
    quotas = {name: own.take(np.arange(4 + place)) for place, (name, own) in enumerate(digits.own.items())}
    together = average_quotas(digits, start, quotas, cell, 0.1)
    points, labels = (
        np.concatenate([getattr(own, key) for own in quotas.values()]) for key in ("points", "labels")
    )
    pooled = train_locally(digits.model, start, points, labels, epochs=3, learning_rate=0.1)
    assert np.abs(together["W"] - pooled["W"]).max() < 1e-12
    test = digits.test["site-1"]
    right = predict_labels(digits.model, together, test.points) == test.labels
    assert measure_accuracy(digits.model, together, test) == right.mean()


def test_without_samples_the_start_stays(digits):
    start = digits.start(0)
    quotas = {"site-1": digits.own["site-1"].take(np.arange(0))}
    assert average_quotas(digits, start, quotas, {"rounds": 3}, 0.1) is start
