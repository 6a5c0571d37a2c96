"""Candidates are different, of every family, and the same for the same seed; they learn."""

import sys
import warnings

import numpy as np
import pytest

from fedpact.errors import MissingExtraError
from reproduction.candidate_families import FAMILIES, PLAIN
from reproduction.train_candidates import predict, train

pytest.importorskip("sklearn")
from sklearn.datasets import load_digits, load_iris

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def iris():
    return train(X, Y, count=32, seed=5)


def test_candidates_are_different_and_as_many_as_asked_for(iris):
    labels = predict(iris, X).labels
    assert labels.shape == (32, 150)
    assert len(np.unique(labels, axis=0)) == 32


def test_candidates_come_from_every_family(iris):
    runs = [int(name.rsplit("seed ", 1)[1]) for name in iris]
    assert {run % len(FAMILIES) for run in runs} == set(range(len(FAMILIES)))
    assert any("half the features" in name for name in iris)
    assert any("a tenth of the points" in name for name in iris)


def test_families_can_be_named():
    trained = train(X, Y, count=12, seed=5, families=PLAIN)
    assert len(trained) == 12
    assert {name.split()[0] for name in trained if "neighbours" not in name} == {"logistic", "forest"}
    assert any("neighbours" in name for name in trained)


def test_candidates_learn(iris):
    errors = (predict(iris, X).decode() != Y).mean(axis=1)
    assert errors.min() < 0.02
    assert np.median(errors) < 0.1


def test_the_same_seed_trains_the_same_candidates(iris):
    again, other = train(X.copy(), Y.copy(), count=32, seed=5), train(X, Y, count=7, seed=6)
    assert list(again) == list(iris)
    assert list(other) != list(iris)[:7]
    points = np.random.default_rng(0).uniform(0, 8, size=(50, 4))
    assert np.array_equal(predict(again, points).labels, predict(iris, points).labels)


def test_fewer_candidates_are_the_first_of_more(iris):
    assert list(train(X, Y, count=7, seed=5)) == list(iris)[:7]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_alone_tells_digits_apart(family):
    images, digits = load_digits(n_class=4, return_X_y=True)
    models = [model for _, model in family(images[:150] / 16, digits[:150], np.random.default_rng(2))]
    assert max((model.predict(images[150:] / 16) == digits[150:]).mean() for model in models) > 0.5


def test_checkpoints_are_earlier_states_of_the_same_run(iris):
    forests = [name for name in iris if name.startswith("forest")]
    of_one = [name for name in forests if name.rpartition("seed")[2] == forests[0].rpartition("seed")[2]]
    few, many = (iris[name].estimator for name in (of_one[0], of_one[-1]))
    assert len(few.estimators_) < len(many.estimators_)
    assert all(one is other for one, other in zip(few.estimators_, many.estimators_, strict=False))


def test_where_the_families_have_no_more_to_say_there_are_fewer():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = train(np.array([[0.0], [1], [2]]), np.array([0, 1, 0]), count=50, seed=0)
    assert 1 <= len(found) <= 8


def test_a_feature_that_never_changes_does_no_harm():
    points = np.column_stack([X, np.full(len(X), 3.0)])
    found = train(points, Y, count=10, seed=0)
    assert (predict(found, points).labels == Y).mean(axis=1).max() > 0.95


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    with pytest.raises(MissingExtraError, match=r'pip install "fedpact\[sklearn\]"'):
        train(X, Y, count=1, seed=0)
