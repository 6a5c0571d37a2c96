from types import SimpleNamespace

import numpy as np
import pytest

from fedpact.candidates.model_digest import digest_model

pytest.importorskip("sklearn")
from sklearn.datasets import load_iris
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
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


def test_a_model_that_holds_itself_has_a_digest():
    class Loop:
        def __init__(self, seed):
            self.me, self.seed = self, seed

    assert digest_model("a", Loop(1)) == digest_model("a", Loop(1)) != digest_model("a", Loop(2))
