"""A diverse class of candidates, trained from public points.

The guarantee of a plan is about the best candidate of a class, so the class should hold models that differ:
of several families and strengths, from all points or a share of them, from all features or half, early and late
checkpoints. Rounds over the families train one run each until enough candidates are found that no two of them
predict the same at all training points.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.candidate_families import FAMILIES, Family, Labels, Points

_SHARES = (
    ("", 1.0),
    ("a bootstrap of the points", None),
    ("half the points", 0.5),
    ("a quarter of the points", 0.25),
    ("a tenth of the points", 0.1),
)
_ROUNDS_WITHOUT_NEWS = 10


class _Lesson(NamedTuple):
    """What every run learns from: scaled points, their labels, and the scale."""

    points: Points
    labels: Labels
    center: NDArray[np.float64]
    scale: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """One trained candidate: it scales the features that it was trained on, then asks its estimator."""

    estimator: Any
    columns: NDArray[np.intp]
    """Features that it looks at."""
    lesson: _Lesson

    def predict(self, points: Points) -> NDArray[Any]:
        """Labels (n,) at points (n, d)."""
        return self.predict_scaled((points - self.lesson.center) / self.lesson.scale)

    def predict_scaled(self, scaled: Points) -> NDArray[Any]:
        """Labels (n,) at points whose features are already scaled."""
        labels: NDArray[Any] = self.estimator.predict(scaled[:, self.columns])
        return labels


class _Draw(NamedTuple):
    """The part of the lesson that one run learns from."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    words: tuple[str, ...]


def _draw(lesson: _Lesson, run: int, is_first: bool, rng: np.random.Generator) -> _Draw:
    n, d = lesson.points.shape
    words, share = _SHARES[0 if is_first else int(rng.integers(len(_SHARES)))]
    drawn = rng.integers(n, size=n) if share is None else rng.permutation(n)[: max(2, round(share * n))]
    rows = np.sort(drawn)
    half = not is_first and d > 1 and rng.random() < 0.5
    columns = np.sort(rng.permutation(d)[: (d + 1) // 2]) if half else np.arange(d)
    said = (words, "half the features" if half else "", f"seed {run}")
    return _Draw(rows, columns, tuple(word for word in said if word))


def _run(lesson: _Lesson, families: Sequence[Family], run: int, seed: int) -> Iterator[tuple[str, Model]]:
    rng, (turn, place) = np.random.default_rng((seed, run)), divmod(run, len(families))
    draw = _draw(lesson, run, turn == 0, rng)
    labels = lesson.labels[draw.rows]
    if labels.min() == labels.max():  # a share of a few points may hold one class alone: nothing to learn
        return
    points = np.ascontiguousarray(lesson.points[draw.rows][:, draw.columns])
    for what, estimator in families[place](points, labels, rng):
        yield ", ".join((what, *draw.words)), Model(estimator, draw.columns, lesson)


def _keep_different(lesson: _Lesson, families: Sequence[Family], wanted: int, seed: int) -> dict[str, Model]:
    models: dict[str, Model] = {}
    seen: set[bytes] = set()
    run = turn = last_news = 0
    while len(models) < wanted and turn - last_news <= _ROUNDS_WITHOUT_NEWS:
        for name, model in _run(lesson, families, run, seed):
            said = model.predict_scaled(lesson.points).tobytes()
            if said not in seen and len(models) < wanted:
                seen.add(said)
                last_news, models[name] = turn, model
        run += 1
        turn = run // len(families)
    return models


def train(
    points: Points, labels: Labels, *, count: int, seed: int, families: Sequence[Family] = FAMILIES
) -> dict[str, Model]:
    """Train ``count`` candidates that differ at the points, or fewer if the families give no others.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(60, 3))
    >>> trained = train(points, (points[:, 0] > points[:, 1]).astype(int), count=20, seed=17)
    >>> len(trained), list(trained)[:2]
    (20, ['logistic C 1, seed 0', 'tree depth 10, seed 1'])
    >>> predict(trained, np.array([[1.0, 0, 0], [0, 1, 0]])).labels[0].tolist()
    [1, 0]
    """
    try:
        from sklearn.exceptions import ConvergenceWarning
    except ImportError as error:
        raise fp.errors.MissingExtraError("training candidates", extra="sklearn") from error
    scale = points.std(axis=0)
    center, scale = points.mean(axis=0), np.where(scale > 0, scale, 1.0)
    lesson = _Lesson((points - center) / scale, labels, center, scale)
    with warnings.catch_warnings():  # a model that has not converged is a candidate like another
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        return _keep_different(lesson, families, count, seed)


def predict(models: Mapping[str, Model], points: Points) -> fp.sites.Predicted:
    """Predict the points (n, d) of one site with every candidate."""
    return fp.sites.predict({name: model.predict for name, model in models.items()}, points)
