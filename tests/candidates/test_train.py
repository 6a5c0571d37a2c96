import sys
import warnings

import numpy as np
import pytest

from fedpact.errors import FederationError, MissingExtraError
from fedpact.sites import TrainingStatus, predict, train

pytest.importorskip("sklearn")
from sklearn.datasets import load_digits, load_iris

from fedpact.candidates.families import FAMILIES

X, Y = load_iris(return_X_y=True)
NAMES = load_iris().target_names[Y]


@pytest.fixture(scope="module")
def iris():
    return train(X, NAMES, count=32, rng=5)


def test_candidates_are_different_and_as_many_as_asked_for(iris):
    labels = iris.predict(X).labels
    assert iris.status is TrainingStatus.COMPLETE
    assert labels.shape == (32, 150)
    assert len(np.unique(labels, axis=0)) == 32
    assert iris.tried >= iris.H == 32


def test_candidates_come_from_every_family(iris):
    runs = [int(name.rsplit("seed ", 1)[1]) for name in iris.models]
    assert {run % len(FAMILIES) for run in runs} == set(range(len(FAMILIES)))
    assert any("half the features" in name for name in iris.models)
    assert any("a tenth of the points" in name for name in iris.models)


def test_candidates_learn(iris):
    errors = (iris.predict(X).decode() != NAMES).mean(axis=1)
    assert errors.min() < 0.02
    assert np.median(errors) < 0.1


def test_the_same_seed_trains_the_same_candidates(iris):
    again = train(X.copy(), NAMES.tolist(), count=32, rng=np.int64(5))
    assert again.candidates == iris.candidates
    assert again.seed == iris.seed == 5
    points = np.random.default_rng(0).uniform(0, 8, size=(50, 4))
    assert np.array_equal(again.predict(points).labels, iris.predict(points).labels)


def test_fewer_candidates_are_the_first_of_more(iris):
    assert train(X, NAMES, count=7, rng=5).candidates.digests == iris.candidates.digests[:7]


def test_a_generator_gives_a_new_seed_each_time():
    drawn = [train(X, Y, count=3, rng=rng) for rng in (np.random.default_rng(1), np.random.default_rng(1))]
    assert drawn[0].candidates == drawn[1].candidates
    rng = np.random.default_rng(1)
    assert train(X, Y, count=3, rng=rng).seed != train(X, Y, count=3, rng=rng).seed


def test_global_randomness_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    train(X, Y, count=20, rng=0)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_other_data_give_other_digests(iris):
    other = train(X[:, ::-1], NAMES, count=16, rng=5)
    shared = set(iris.candidates.digests) & set(other.candidates.digests)
    assert len(shared) < 8


def test_the_digest_is_of_what_is_predicted_at_the_training_points(iris):
    scaled = train(X * 3 + 7, NAMES, count=5, rng=5)
    assert scaled.candidates == train(X, NAMES, count=5, rng=5).candidates


def test_models_are_candidates_like_others(iris):
    found = predict(iris.models, X, classes=iris.classes)
    assert np.array_equal(found.labels, iris.predict(X, batch=17).labels)
    assert found.candidates.names == iris.candidates.names


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_alone_tells_digits_apart(family):
    images, digits = load_digits(n_class=4, return_X_y=True)
    told = []
    found = train(
        images[:150], digits[:150], count=4, rng=2, families=[family], progress=lambda *at: told.append(at)
    )
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert found.families == (family,)
    assert (found.predict(images[150:]).labels == digits[150:]).mean(axis=1).max() > 0.5


def test_checkpoints_are_earlier_states_of_the_same_run():
    found = train(X, Y, count=3, rng=0, families=["forest"])
    few, *_, many = found.models.values()
    assert len(few.estimator.estimators_) < len(many.estimator.estimators_)
    pairs = zip(few.estimator.estimators_, many.estimator.estimators_, strict=False)
    assert all(one is other for one, other in pairs)


def test_where_the_families_have_no_more_to_say_it_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = train([[0], [1], [2]], ["a", "b", "a"], count=50, rng=0, families=["tree", "bayes", "logistic"])
    assert found.status is TrainingStatus.EXHAUSTED
    assert 1 <= found.H <= 8
    assert len(np.unique(found.predict([[0], [1], [2]]).labels, axis=0)) == found.H
    assert found.tried > found.H


def test_a_feature_that_never_changes_does_no_harm():
    points = np.column_stack([X, np.full(len(X), 3.0)])
    assert (train(points, Y, count=10, rng=0).predict(points).labels == Y).mean(axis=1).max() > 0.95


@pytest.mark.parametrize(
    ("points", "labels", "options", "message"),
    [
        (X, Y[:9], {}, "labels must be one per point; there are 9 labels and 150 points"),
        (X, np.zeros(150), {}, "labels must be of at least two classes; all are 0"),
        (X, np.where(Y == 1, np.nan, 0), {}, "labels: .* at point 51 it is nan"),
        (X[0], Y, {}, "points must be a matrix of numbers"),
        (X[:0], Y[:0], {}, "points must be a matrix of numbers"),
        ([["a"]], [1], {}, "points must be a matrix of numbers"),
        (np.where(X[3, 2] == X, np.nan, X), Y, {}, "feature 3 of point .* is nan; fill in what is missing"),
        (X, Y, {"count": 0}, "count must be 1 or more; it is 0"),
        (X, Y, {"count": 2.5}, "count must be a whole number"),
        (X, Y, {"rng": -1}, "rng must be a numpy Generator or a whole number >= 0; it is -1"),
        (X, Y, {"rng": None}, "rng must be"),
        (X, Y, {"rng": True}, "rng must be"),
        (X, Y, {"families": ["trees"]}, "there is no 'trees'; did you mean 'tree'"),
        (X, Y, {"families": "tree"}, "families must be different names"),
        (X, Y, {"families": 3}, "families must be different names"),
        (X, Y, {"families": [3]}, "there is no 3; known: 'logistic'"),
        (X, Y, {"families": []}, "families must be different names"),
        (X, Y, {"families": ["tree", "tree"]}, "families must be different names"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(points, labels, options, message):
    with pytest.raises(FederationError, match=message):
        train(points, labels, **options)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (X[:, :3], "the 4 features of the training points; they have 3"),
        ([[1, 2, 3, np.inf]], "feature 4 of point 1"),
    ],
)
def test_points_that_cannot_be_predicted_are_refused(iris, points, message):
    with pytest.raises(FederationError, match=message):
        iris.predict(points)


def test_what_trained_them_is_kept(iris):
    assert set(iris.versions) == {"fedpact", "numpy", "scikit-learn"}
    assert iris.versions["numpy"] == np.__version__
    with pytest.raises(TypeError):
        iris.models["other"] = None


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    with pytest.raises(MissingExtraError, match=r'pip install "fedpact\[sklearn\]"'):
        train(X, Y)
