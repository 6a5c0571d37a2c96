import numpy as np
import pytest

from fedpact.describe.candidate_list import digest_of
from fedpact.errors import FederationError
from fedpact.sites import predict

pytest.importorskip("sklearn")
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X, Y = load_iris(return_X_y=True)


def test_a_model_that_holds_nothing_is_known_by_its_name():
    class Constant:
        def predict(self, points):
            return np.zeros(len(points), dtype=int)

    found = predict({"zero": Constant()}, X)
    assert found.candidates.digests == (digest_of("zero"),)
    assert not found.labels.any()


def test_digits_are_predicted_as_scikit_learn_does():
    images, digits = load_digits(return_X_y=True)
    models = {f"depth {depth}": DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (2, 6)}
    for model in models.values():
        model.fit(images[:900], digits[:900])
    found = predict(models, images[900:], classes=range(10), batch=100)
    assert found.candidates.names == ("depth 2", "depth 6")
    for row, model in zip(found.decode(), models.values(), strict=True):
        assert np.array_equal(row, model.predict(images[900:]))


def test_labels_may_be_strings():
    names = load_iris().target_names
    found = predict({"bayes": GaussianNB().fit(X, names[Y])}, X[::50], classes=list(names))
    assert found.decode().tolist() == [["setosa", "versicolor", "virginica"]]


@pytest.mark.parametrize(
    ("model", "points", "message"),
    [
        (LogisticRegression(), X, "candidate 'm' cannot predict these points; .* is not fitted yet"),
        (GaussianNB().fit(X, Y), X[:, :2], "cannot predict these points; .* has 2 features, but"),
        (GaussianNB().fit(X, Y), np.full((1, 4), np.nan), "cannot predict these points; .* contains NaN"),
    ],
)
def test_what_an_estimator_refuses_is_said_with_its_name(model, points, message):
    with pytest.raises(FederationError, match=message):
        predict({"m": model}, points)
