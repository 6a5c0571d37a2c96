"""Families of classifiers that candidates are drawn from.

A family is a function: from a share of the points and a source of randomness to one or several fitted
estimators, each with a few words that say what it is. Forests, boosting and networks give several: the same run
after fewer trees, stages or epochs, which cost nothing more and differ as early and late checkpoints do.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Points: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int64]
Fitted: TypeAlias = Iterator[tuple[str, Any]]
Family: TypeAlias = Callable[[Points, Labels, np.random.Generator], Fitted]

_STRENGTHS = tuple(10.0**power for power in range(-4, 3))
_TREES = (2, 6, 20)
_STAGES = (2, 8, 32)
_EPOCHS = (1, 4, 16)

T = TypeVar("T")


def _choose(rng: np.random.Generator, values: Sequence[T]) -> T:
    return values[int(rng.integers(len(values)))]


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _fit_logistic(points: Points, labels: Labels, rng: np.random.Generator) -> Fitted:
    from sklearn.linear_model import LogisticRegression

    strength = _choose(rng, _STRENGTHS)
    yield f"logistic C {strength:g}", LogisticRegression(C=strength, max_iter=200).fit(points, labels)


def _fit_tree(points: Points, labels: Labels, rng: np.random.Generator) -> Fitted:
    from sklearn.tree import DecisionTreeClassifier

    depth = 1 + int(rng.integers(12))
    tree = DecisionTreeClassifier(max_depth=depth, random_state=_seed(rng))
    yield f"tree depth {depth}", tree.fit(points, labels)


def _fit_forest(points: Points, labels: Labels, rng: np.random.Generator) -> Fitted:
    from sklearn.ensemble import RandomForestClassifier

    depth = _choose(rng, (2, 4, 8, 16))
    forest = RandomForestClassifier(_TREES[-1], max_depth=depth, random_state=_seed(rng)).fit(points, labels)
    for trees in _TREES:
        part = copy.copy(forest)
        part.estimators_ = forest.estimators_[:trees]
        part.n_estimators = trees
        yield f"forest of {trees} depth {depth}", part


def _fit_neighbours(points: Points, labels: Labels, rng: np.random.Generator) -> Fitted:
    from sklearn.neighbors import KNeighborsClassifier

    neighbours = min(_choose(rng, (1, 3, 5, 9, 15, 25, 45)), len(points))
    weights = _choose(rng, ("uniform", "distance"))
    model = KNeighborsClassifier(neighbours, weights=weights)
    yield f"{neighbours} neighbours by {weights}", model.fit(points, labels)


def _fit_bayes(points: Points, labels: Labels, rng: np.random.Generator) -> Fitted:
    from sklearn.naive_bayes import GaussianNB

    smoothing = _choose(rng, (1e-9, 1e-3, 1e-2, 1e-1, 1.0))
    yield f"bayes smoothed {smoothing:g}", GaussianNB(var_smoothing=smoothing).fit(points, labels)


def _fit_svm(points: Points, labels: Labels, rng: np.random.Generator) -> Fitted:
    from sklearn.svm import LinearSVC

    strength = _choose(rng, _STRENGTHS)
    model = LinearSVC(C=strength, dual="auto", max_iter=300, random_state=_seed(rng))
    yield f"svm C {strength:g}", model.fit(points, labels)


def _fit_network(points: Points, labels: Labels, rng: np.random.Generator) -> Fitted:
    from sklearn.neural_network import MLPClassifier

    width = _choose(rng, (2, 4, 8, 16))
    network = MLPClassifier(
        (width,), learning_rate_init=0.01, batch_size=min(64, len(points)), random_state=_seed(rng)
    )
    classes = np.unique(labels)
    for epoch in range(1, _EPOCHS[-1] + 1):
        network.partial_fit(points, labels, classes=classes)
        if epoch in _EPOCHS:
            yield f"network of {width} epoch {epoch}", copy.deepcopy(network)


def _fit_boosting(points: Points, labels: Labels, rng: np.random.Generator) -> Fitted:
    from sklearn.ensemble import GradientBoostingClassifier

    depth, rate = _choose(rng, (1, 2, 3)), _choose(rng, (0.1, 0.3))
    boosted = GradientBoostingClassifier(
        n_estimators=_STAGES[-1], max_depth=depth, learning_rate=rate, subsample=0.7, random_state=_seed(rng)
    ).fit(points, labels)
    for stages in _STAGES:
        part = copy.copy(boosted)
        part.estimators_ = boosted.estimators_[:stages]
        part.n_estimators = part.n_estimators_ = stages
        yield f"boosting depth {depth} rate {rate:g} stage {stages}", part


FAMILIES: tuple[Family, ...] = (
    _fit_logistic,
    _fit_tree,
    _fit_forest,
    _fit_neighbours,
    _fit_bayes,
    _fit_svm,
    _fit_network,
    _fit_boosting,
)

PLAIN: tuple[Family, ...] = (_fit_logistic, _fit_forest, _fit_neighbours)
"""Those that learn images of dozens of classes well within seconds."""
