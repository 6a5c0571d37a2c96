"""Softmax regression against a plain loop, PyTorch's gradients and scikit-learn's optimum."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.errors import FederationError
from fedpact.training import SoftmaxModel, initial_weights, loss_of, predict_labels, train_locally

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 3)) * [1, 5, 0.2] + [0, 9, -1]
Y = (X[:, 0] + 0.3 * X[:, 1] + RNG.normal(size=40) > 2.7).astype(int) + (X[:, 2] > -1)
MODEL = SoftmaxModel(classes=(0, 1, 2), features=3, l2=0.05)
START = initial_weights(MODEL, X).replace({"W": RNG.normal(size=(3, 3)), "b": RNG.normal(size=3)})


def step_by_loops(weights, points, labels, rate, l2):
    """One step of gradient descent, number by number."""
    W, b = weights["W"].tolist(), weights["b"].tolist()
    d, K, m = len(W), len(b), len(labels)
    dW, db = [[l2 * W[f][c] for c in range(K)] for f in range(d)], [0.0] * K
    for point, label in zip(points, labels, strict=True):
        x = [(point[f] - weights["center"][f]) / weights["scale"][f] for f in range(d)]
        grown = [math.exp(sum(x[f] * W[f][c] for f in range(d)) + b[c]) for c in range(K)]
        for c in range(K):
            error = grown[c] / sum(grown) - (c == label)
            db[c] += error / m
            for f in range(d):
                dW[f][c] += error * x[f] / m
    W = [[W[f][c] - rate * dW[f][c] for c in range(K)] for f in range(d)]
    return weights.replace({"W": np.array(W), "b": np.array([b[c] - rate * db[c] for c in range(K)])})


def difference(one, other):
    return max(abs(one[name] - other[name]).max() for name in one.names)


def test_a_step_is_that_of_a_plain_loop():
    slow = START
    for _ in range(3):
        slow = step_by_loops(slow, X, Y, 0.3, MODEL.l2)
    assert difference(train_locally(MODEL, START, X, Y, epochs=3, learning_rate=0.3), slow) < 1e-13


def test_batches_look_at_every_sample_once_in_the_drawn_order():
    rng = np.random.default_rng(5)
    slow, draws = START, np.random.default_rng(5)
    draws.integers(2**63)
    for _ in range(2):
        order = draws.permutation(40)
        for first in range(0, 40, 16):
            at = order[first : first + 16]
            slow = step_by_loops(slow, X[at], Y[at], 0.1, MODEL.l2)
    fast = train_locally(MODEL, START, X, Y, epochs=2, learning_rate=0.1, batch=16, rng=rng)
    assert difference(fast, slow) < 1e-13


def test_the_gradient_is_that_of_pytorch():
    torch = pytest.importorskip("torch")
    W, b = (torch.tensor(START[name], requires_grad=True) for name in ("W", "b"))
    x = torch.tensor((X - START["center"]) / START["scale"])
    loss = torch.nn.functional.cross_entropy(x @ W + b, torch.tensor(Y)) + MODEL.l2 / 2 * (W**2).sum()
    loss.backward()
    moved = train_locally(MODEL, START, X, Y, learning_rate=1.0)
    assert np.abs(START["W"] - moved["W"] - W.grad.numpy()).max() < 1e-13
    assert np.abs(START["b"] - moved["b"] - b.grad.numpy()).max() < 1e-13
    assert loss_of(MODEL, START, X, Y) == pytest.approx(loss.item(), rel=1e-13)


def test_training_to_the_end_finds_scikit_learn_s_optimum():
    linear = pytest.importorskip("sklearn.linear_model")
    start = initial_weights(MODEL, X)
    trained = train_locally(MODEL, start, X, Y, epochs=20_000, learning_rate=0.5)
    scaled = (X - start["center"]) / start["scale"]
    fitted = linear.LogisticRegression(C=1 / (MODEL.l2 * len(Y)), tol=1e-12, max_iter=10_000).fit(scaled, Y)
    best = start.replace({"W": fitted.coef_.T, "b": fitted.intercept_})
    assert loss_of(MODEL, trained, X, Y) == pytest.approx(loss_of(MODEL, best, X, Y), abs=1e-12)
    assert np.abs(trained["W"] - fitted.coef_.T).max() < 1e-5
    assert (predict_labels(MODEL, trained, X) == fitted.predict(scaled)).all()


def test_public_points_give_the_scale_and_training_leaves_it():
    flat = np.column_stack([X, np.full(40, 7.0)])
    model = SoftmaxModel(classes=(0, 1, 2), features=4)
    start = initial_weights(model, flat)
    assert np.array_equal(start["center"], flat.mean(axis=0))
    assert start["scale"].tolist() == [*X.std(axis=0), 1.0]
    trained = train_locally(model, start, flat, Y, epochs=3)
    assert trained.fixed == ("center", "scale")
    assert all(np.array_equal(trained[name], start[name]) for name in start.fixed)


@given(st.integers(0, 2**32), st.integers(1, 50), st.integers(0, 3))
def test_the_same_seed_trains_the_same_weights(seed, batch, epochs):
    first, again = (
        train_locally(MODEL, START, X, Y, epochs=epochs, batch=batch, rng=rng)
        for rng in (seed, np.random.default_rng(seed))
    )
    assert first == again
    assert (first == START) == (epochs == 0)


def test_another_seed_takes_another_order():
    one, other = (train_locally(MODEL, START, X, Y, batch=7, rng=seed) for seed in (1, 2))
    assert one != other


@pytest.mark.parametrize("points", [[], np.empty((0, 3)), None])
def test_without_samples_nothing_is_learned(points):
    assert train_locally(MODEL, START, points, [], epochs=9, batch=2) is START


def test_classes_may_be_words():
    words = np.array(["none", "some", "all"])
    model = SoftmaxModel(classes=("none", "some", "all"), features=3, l2=0.05)
    assert train_locally(model, START, X, words[Y], epochs=4) == train_locally(MODEL, START, X, Y, epochs=4)
    assert predict_labels(model, START, X).tolist() == words[predict_labels(MODEL, START, X)].tolist()


def test_the_loss_of_sure_mistakes_is_finite():
    sure = START.replace({"W": 1e5 * START["W"]})
    assert 1e3 < loss_of(SoftmaxModel(classes=(0, 1, 2), features=3), sure, X, Y) < 1e8


BAD = {
    "features": ({"points": X[:, :2]}, "points must have the 3 features of the model"),
    "missing": ({"points": np.where(X[4, 1] == X, np.nan, X)}, "points must be finite numbers; point 5 is not"),
    "flat": ({"points": X[:, 0]}, "points must be an array of numbers"),
    "words": ({"points": [["a"] * 3] * 40}, "points must be an array of numbers"),
    "count": ({"labels": Y[:-1]}, "labels must be one per point; there are 39 labels and 40 points"),
    "no-labels": ({"labels": []}, "labels"),
    "class": ({"labels": Y + 1}, r"labels must be among the model's classes \(0, 1, 2\); one is 3"),
    "kind": ({"labels": Y.astype(str)}, "labels must be among the model's classes"),
    "half-labels": ({"labels": Y + 0.5}, "labels must be whole numbers or strings"),
    "epochs": ({"epochs": -1}, "epochs must be a whole number >= 0; it is -1"),
    "rate": ({"learning_rate": 0}, "learning_rate must be above 0"),
    "rate-nan": ({"learning_rate": math.nan}, "learning_rate must be a finite number"),
    "diverges": ({"learning_rate": 1e200, "epochs": 9}, "with learning_rate 1e.200 it grew without bounds"),
    "batch": ({"batch": 0}, "batch must be 1 or more"),
    "rng": ({"rng": -1}, "rng must be a numpy Generator or a whole number >= 0; it is -1"),
    "weights": ({"weights": {"W": START["W"]}}, "weights must be fedpact.training.Weights; they are a dict"),
    "others": (
        {"weights": START.replace({"b": np.zeros(2)})},
        r"weights must be those of the SoftmaxModel: 'b' is float64 \(2,\) and should be float64 \(3,\)",
    ),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_refuses(changes, message):
    values = {"weights": START, "points": X, "labels": Y} | changes
    with pytest.raises(FederationError, match=message):
        train_locally(MODEL, **values)


def test_weights_that_score_nothing_are_refused():
    broken = START.replace({"scale": np.zeros(3)})
    with pytest.raises(FederationError, match="finite scores"):
        predict_labels(MODEL, broken, X)
    with pytest.raises(FederationError, match="points must be an array"):
        loss_of(MODEL, START, np.empty((0, 3)), [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"classes": (0,), "features": 3}, "classes must be at least two"),
        ({"classes": (0, 0), "features": 3}, "classes must be different labels"),
        ({"classes": (0, 1), "features": 0}, "features must be 1 or more"),
        ({"classes": (0, 1), "features": 3, "l2": -1}, "l2 must be 0 or more"),
    ],
)
def test_models_that_cannot_be_are_refused(options, message):
    with pytest.raises(FederationError, match=message):
        SoftmaxModel(**options)
