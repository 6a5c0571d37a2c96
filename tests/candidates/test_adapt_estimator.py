from types import SimpleNamespace

import numpy as np
import pytest

from fedpact.candidates import predict
from fedpact.candidates.model_digest import digest_model
from fedpact.describe.candidate_list import digest_of
from fedpact.errors import FederationError

pytest.importorskip("sklearn")
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

X, Y = load_iris(return_X_y=True)
KINDS = {
    "tree": lambda seed: DecisionTreeClassifier(max_features=1, random_state=seed),
    "forest": lambda seed: RandomForestClassifier(5, random_state=seed),
    "boosting": lambda seed: GradientBoostingClassifier(n_estimators=3, subsample=0.5, random_state=seed),
    "histograms": lambda seed: HistGradientBoostingClassifier(max_iter=2, max_features=0.5, random_state=seed),
    "network": lambda seed: MLPClassifier((3,), solver="lbfgs", max_iter=5, random_state=seed),
    "pipeline": lambda seed: make_pipeline(StandardScaler(), GaussianNB(var_smoothing=0.1 * (seed + 1))),
    "neighbours": lambda seed: KNeighborsClassifier(seed + 1),
    "bayes": lambda seed: GaussianNB(var_smoothing=10.0 ** -(seed + 1)),
    "kernel": lambda seed: SVC(C=seed + 1),
    "function": lambda seed: make_pipeline(
        FunctionTransformer(np.log1p if seed else np.sqrt), DecisionTreeClassifier(max_depth=2, random_state=0)
    ),
}


@pytest.mark.filterwarnings("ignore:lbfgs failed to converge", "ignore:.*Maximum number of iterations")
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_the_digest_is_that_of_what_was_learned(make):
    first, second = make(0).fit(X, Y), make(0).fit(X, Y)
    other, other_data = make(1).fit(X, Y), make(0).fit(X[::2] * 1.1, Y[::2])
    digest = digest_model("a", first)
    assert digest == digest_model("b", second)
    first.predict(X)
    assert digest == digest_model("a", first)
    assert len({digest, digest_model("a", other), digest_model("a", other_data)}) == 3


def test_the_digest_is_the_same_in_every_process():
    padded = np.zeros(3, dtype=np.dtype({"names": ["a", "b"], "formats": ["u1", "f8"], "offsets": [0, 8]}))
    padded.view(np.uint8).reshape(3, 16)[:, 1:8] = np.random.default_rng().integers(256, size=(3, 7))
    words = np.array(["x", None], dtype=object)
    model = SimpleNamespace(nodes=padded, classes={"b", "a"}, words=words, rule=np.log1p, n_jobs=2)
    assert digest_model("a", model) == "6b38377117ec1ae4"
    model.rule = np.sqrt
    assert digest_model("a", model) != "6b38377117ec1ae4"


def test_a_model_that_holds_nothing_is_known_by_its_name():
    class Constant:
        def predict(self, points):
            return np.zeros(len(points), dtype=int)

    found = predict({"zero": Constant()}, X)
    assert found.candidates.digests == (digest_of("zero"),)
    assert not found.labels.any()


def test_a_model_that_holds_itself_has_a_digest():
    class Loop:
        def __init__(self, seed):
            self.me, self.seed = self, seed

    assert digest_model("a", Loop(1)) == digest_model("a", Loop(1)) != digest_model("a", Loop(2))


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
