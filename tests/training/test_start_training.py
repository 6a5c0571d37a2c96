"""Training starts at the chosen candidate: from its own weights, or from what it predicts."""

import numpy as np
import pytest

from fedpact.errors import FederationError
from fedpact.sites import TorchWeights, train
from fedpact.training import (
    SoftmaxModel,
    StartStatus,
    TorchModel,
    initial_weights,
    predict_labels,
    save_weights,
    start_from,
)

pytest.importorskip("sklearn")
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

IRIS, KIND = load_iris(return_X_y=True)
NAMES = load_iris().target_names[KIND]
POINTS = np.random.default_rng(0).uniform(0, 8, size=(400, 4))


def softmax(classes, features=4):
    return SoftmaxModel(classes=tuple(classes), features=features)


@pytest.fixture(scope="module")
def trained():
    return train(IRIS, NAMES, count=60, rng=5, families=["logistic", "svm", "tree"])


def test_linear_candidates_start_from_what_they_are(trained):
    model, kinds = softmax(trained.classes), set()
    for name, candidate in trained.models.items():
        if name.startswith("tree"):
            continue
        start = start_from(model, candidate)
        assert (start.status, start.agreement) == (StartStatus.OWN, 1.0)
        assert (predict_labels(model, start.weights, POINTS) == candidate.predict(POINTS)).all()
        kinds |= {name.split()[0], "half the features" in name}
    assert kinds == {"logistic", "svm", True, False}


def test_a_class_that_was_never_seen_is_not_predicted_and_can_be_learned():
    images, digits = load_digits(return_X_y=True)
    few = train(images[:120], digits[:120], count=25, rng=1, families=["logistic", "svm"])
    model = softmax(few.classes, 64)
    lacking = [one for one in few.models.values() if len(one.estimator.classes_) < 10]
    assert lacking
    for candidate in lacking:
        start = start_from(model, candidate)
        assert (predict_labels(model, start.weights, images) == candidate.predict(images)).all()
        assert start.status is StartStatus.OWN


def test_two_of_three_classes_and_two_alone():
    two = KIND != 1
    for classes in ((0, 1, 2), (0, 2)):
        for kind in (LogisticRegression(max_iter=500), LinearSVC(), RidgeClassifier()):
            candidate, model = kind.fit(IRIS[two], KIND[two]), softmax(classes)
            start = start_from(model, candidate)
            assert start.status is StartStatus.OWN
            assert (predict_labels(model, start.weights, POINTS) == candidate.predict(POINTS)).all()


def test_an_estimator_from_elsewhere_takes_the_scale_of_public_points():
    model, candidate = softmax(range(3)), LogisticRegression(max_iter=500).fit(IRIS, KIND)
    start = start_from(model, candidate, public=IRIS)
    assert np.array_equal(start.weights["scale"], IRIS.std(axis=0))
    assert (predict_labels(model, start.weights, POINTS) == candidate.predict(POINTS)).all()


@pytest.mark.parametrize(
    "candidate", [DecisionTreeClassifier(max_depth=3), SVC(kernel="linear")], ids=["tree", "svc"]
)
def test_others_are_distilled_or_refused_with_a_way_out(candidate):
    fitted, model = candidate.fit(IRIS, NAMES), softmax(("setosa", "versicolor", "virginica"))
    with pytest.raises(FederationError) as caught:
        start_from(model, fitted)
    assert f"is a {type(candidate).__name__}, whose weights a SoftmaxModel cannot start from" in str(caught.value)
    start = start_from(model, fitted, public=IRIS)
    same = predict_labels(model, start.weights, IRIS) == fitted.predict(IRIS)
    assert start.status is StartStatus.DISTILLED
    assert start.agreement == same.mean() > 0.95


def test_a_candidate_that_knows_other_classes_or_features_has_no_weights_to_start_from(trained):
    logistic = next(iter(trained.models.values()))
    with pytest.raises(FederationError, match="is a LogisticRegression, whose weights"):
        start_from(softmax((0, 1, 2)), logistic)
    with pytest.raises(FederationError, match="is a LogisticRegression, whose weights"):
        start_from(softmax(trained.classes, 5), LogisticRegression(max_iter=500).fit(IRIS, NAMES))
    with pytest.raises(FederationError, match="not among the declared classes"):
        start_from(softmax((0, 1, 2)), logistic, public=IRIS)


@pytest.fixture
def nn():
    """PyTorch's layers, whose first weights are the same every time."""
    torch = pytest.importorskip("torch")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield torch.nn


def test_pytorch_candidates_start_from_their_state(nn, tmp_path):
    pytest.importorskip("safetensors")
    module, other = nn.Linear(4, 3), nn.Linear(4, 3)
    model = TorchModel(module=module, classes=(0, 1, 2))
    own = start_from(model, other)
    assert own.status is StartStatus.OWN
    assert np.array_equal(own.weights["weight"], other.weight.detach().numpy())
    file = save_weights(model, own.weights, tmp_path / "w.safetensors")
    assert start_from(model, TorchWeights(lambda: nn.Linear(4, 3), file)).weights == own.weights
    assert initial_weights(model) != own.weights
    wide = nn.Sequential(nn.Linear(4, 9), nn.Linear(9, 3))
    with pytest.raises(FederationError, match="is a Sequential, whose weights a TorchModel cannot start from"):
        start_from(model, wide)
    distilled = start_from(model, wide, public=IRIS.astype(np.float32))
    assert distilled.status is StartStatus.DISTILLED
    assert distilled.agreement > 0.9


def test_a_network_is_distilled_from_any_candidate(nn, trained):
    model = TorchModel(
        module=nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)),
        classes=trained.classes,
    )
    tree = next(one for name, one in trained.models.items() if name.startswith("tree"))
    start = start_from(model, tree, public=IRIS)
    assert start.status is StartStatus.DISTILLED
    assert start.agreement > 0.95
