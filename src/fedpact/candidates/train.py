"""A diverse class of candidates, trained from public or pooled points.

The guarantee of a plan is about the best candidate of a class, so the class should hold models that differ:
of several families and strengths, from all points or a share of them, from all features or half, early and late
checkpoints. Rounds over the families train one run each until enough candidates are found that no two of them
predict the same at all training points.

Nothing is saved: predictions are what a site needs, and a site that may not send its points trains the same
candidates itself. Training depends on the points, the labels, the seed, the families and the versions of
scikit-learn and NumPy alone. The digest of a candidate is of its name and of what it predicts at the training
points, so the last bits of a sum, which differ between processors, do not make it another candidate unless they
change a label.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import version
from itertools import count as count_from
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.batches import BATCH, Prepared, ask_all
from fedpact.candidates.families import FAMILIES
from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList, digest_of
from fedpact.describe.label_codes import Coded, Label, code_labels
from fedpact.describe.names import nearest
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.describe.progress import Progress
from fedpact.errors import FederationError, MissingExtraError
from fedpact.result import Shown
from fedpact.rows import Column


class TrainingStatus(StrEnum):
    """How the training ended."""

    COMPLETE = "complete"
    """As many candidates as asked for, no two alike at the training points."""
    EXHAUSTED = "exhausted"
    """Fewer: these families give no others."""


def read_points(points: Any) -> NDArray[np.float64]:
    """Check points (n, d) that scikit-learn can learn from or predict: finite numbers."""
    try:
        array = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 2 or not array.size:
        raise FederationError(
            "points must be a matrix of numbers, one row per point, one column per feature, at least one each; "
            f"they are a {type(points).__name__} of shape {np.shape(array)}"
        )
    missing = np.argwhere(~np.isfinite(array))
    if len(missing):
        row, column = missing[0].tolist()
        raise FederationError(
            f"points must be finite numbers; feature {column + 1} of point {row + 1} is {array[row, column]}; "
            "fill in what is missing first, at every site in the same way"
        )
    return array


@dataclass(frozen=True, slots=True, eq=False)
class TrainedModel:
    """One trained candidate: it scales the features that it was trained on, then asks its estimator."""

    estimator: Any
    columns: NDArray[np.intp]
    """Features that it looks at."""
    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    """(d,) of all features at the training points."""
    classes: tuple[Label, ...]

    def predict(self, points: Any) -> NDArray[Any]:
        """Labels (n,) at points (n, d)."""
        array, d = read_points(points), len(self.center)
        if array.shape[1] != d:
            raise FederationError(
                f"points must have the {d} features of the training points; they have {array.shape[1]}"
            )
        codes = self.predict_codes((array - self.center) / self.scale)
        labels: NDArray[Any] = np.array(self.classes)[codes]
        return labels

    def predict_codes(self, scaled: NDArray[np.float64]) -> NDArray[np.integer]:
        """Places among the classes (n,) at points whose features are already scaled."""
        codes: NDArray[np.integer] = self.estimator.predict(scaled[:, self.columns])
        return codes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainedCandidates(Shown):
    """A class of candidates; :func:`train` makes it, the same one wherever points, seed and versions are."""

    DERIVED: ClassVar = ("H",)

    models: Mapping[str, TrainedModel]
    """Name -> model, in order."""
    candidates: CandidateList
    """Names and digests; a digest is of what the candidate predicts at the training points."""
    classes: tuple[Label, ...]
    """Labels of the training points, in the order of their codes."""
    status: TrainingStatus
    tried: int
    """How many models were trained to find that many different ones."""
    seed: int
    families: tuple[str, ...]
    versions: Mapping[str, str]
    """Of the packages that decide what is learned."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", MappingProxyType(dict(self.models)))
        object.__setattr__(self, "versions", MappingProxyType(dict(self.versions)))

    @property
    def H(self) -> int:
        """Number of candidates."""
        return len(self.models)

    def own_columns(self) -> list[Column]:
        """List every candidate, with what it is and how many features it looks at."""
        models = self.models.values()
        return [
            Column("candidate", str, tuple(self.models)),
            Column("estimator", str, tuple(type(model.estimator).__name__ for model in models)),
            Column("features", int, tuple(len(model.columns) for model in models)),
            Column("digest", str, self.candidates.digests),
        ]

    def predict(self, points: Any, *, batch: int = BATCH, progress: Progress | None = None) -> Predicted:
        """Predict the points (n, d) of one site with every candidate."""
        digests = self.candidates.digests
        prepared = (
            (name, Prepared(digest, model.predict))
            for (name, model), digest in zip(self.models.items(), digests, strict=True)
        )
        checked = read_points(points)
        return ask_all(prepared, self.H, checked, classes=self.classes, batch=batch, progress=progress)


_SHARES = (
    ("", 1.0),
    ("a bootstrap of the points", None),
    ("half the points", 0.5),
    ("a quarter of the points", 0.25),
    ("a tenth of the points", 0.1),
)
_ROUNDS_WITHOUT_NEWS = 10

_Named: TypeAlias = tuple[str, TrainedModel]


class _Lesson(NamedTuple):
    """What every run learns from: scaled points, codes, and the scale."""

    points: NDArray[np.float64]
    labels: Coded
    center: NDArray[np.float64]
    scale: NDArray[np.float64]


class _Draw(NamedTuple):
    """The part of the lesson that one run learns from."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    words: tuple[str, ...]


def _read_lesson(points: Any, labels: Any) -> _Lesson:
    array, coded = read_points(points), code_labels(labels, "labels")
    if len(coded.codes) != len(array):
        raise FederationError(
            f"labels must be one per point; there are {len(coded.codes)} labels and {len(array)} points"
        )
    if len(coded.values) < 2:
        raise FederationError(f"labels must be of at least two classes; all are {shorten(coded.values[0])}")
    scale = array.std(axis=0)
    center, scale = array.mean(axis=0), np.where(scale > 0, scale, 1.0)
    return _Lesson((array - center) / scale, coded, center, scale)


def _read_families(families: Sequence[str] | None) -> tuple[str, ...]:
    if families is None:
        return tuple(FAMILIES)
    named = tuple(families) if isinstance(families, Sequence) and not isinstance(families, str) else ()
    if not named or len(set(named)) < len(named):
        raise FederationError(
            f"families must be different names out of {', '.join(FAMILIES)}; they are {shorten(families)}"
        )
    for family in named:
        if family not in FAMILIES:
            raise FederationError(f"families: there is no {shorten(family)}; {nearest(str(family), FAMILIES)}")
    return named


def _read_seed(rng: Any) -> int:
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0:
        return int(rng)
    raise FederationError(f"rng must be a numpy Generator or a whole number >= 0; it is {shorten(rng)}")


def _draw(lesson: _Lesson, run: int, is_first: bool, rng: np.random.Generator) -> _Draw:
    n, d = lesson.points.shape
    words, share = _SHARES[0 if is_first else int(rng.integers(len(_SHARES)))]
    drawn = rng.integers(n, size=n) if share is None else rng.permutation(n)[: max(2, round(share * n))]
    rows = np.sort(drawn)
    half = not is_first and d > 1 and rng.random() < 0.5
    columns = np.sort(rng.permutation(d)[: (d + 1) // 2]) if half else np.arange(d)
    said = (words, "half the features" if half else "", f"seed {run}")
    return _Draw(rows, columns, tuple(word for word in said if word))


def _run(lesson: _Lesson, family: str, run: int, is_first: bool, seed: int) -> Iterator[_Named]:
    rng = np.random.default_rng((seed, run))
    draw = _draw(lesson, run, is_first, rng)
    codes = lesson.labels.codes[draw.rows]
    if codes.min() == codes.max():  # a share of a few points may hold one class alone: nothing to learn
        return
    points = np.ascontiguousarray(lesson.points[draw.rows][:, draw.columns])
    for what, estimator in FAMILIES[family](points, codes, rng):
        model = TrainedModel(estimator, draw.columns, lesson.center, lesson.scale, lesson.labels.values)
        yield ", ".join((what, *draw.words)), model


def _train_all(lesson: _Lesson, families: tuple[str, ...], seed: int) -> Iterator[tuple[int, _Named]]:
    for run in count_from():
        turn, place = divmod(run, len(families))
        for named in _run(lesson, families[place], run, turn == 0, seed):
            yield turn, named


def _keep_different(
    lesson: _Lesson,
    trained: Iterator[tuple[int, _Named]],
    wanted: int,
    progress: Progress | None,
) -> tuple[dict[str, TrainedModel], tuple[str, ...], int]:
    """Models that differ at the training points, their digests, and how many were looked at to find them."""
    models: dict[str, TrainedModel] = {}
    digests: dict[bytes, str] = {}
    tried, last_news = 0, 0
    for turn, (name, model) in trained:
        if turn - last_news > _ROUNDS_WITHOUT_NEWS:
            break
        tried += 1
        seen = model.predict_codes(lesson.points).astype(lesson.labels.codes.dtype).tobytes()
        if seen not in digests:
            last_news, models[name] = turn, model
            digests[seen] = digest_of(name, repr(lesson.labels.values), seen)
            if progress is not None:
                progress(len(models), wanted)
        if len(models) == wanted:
            break
    return models, tuple(digests.values()), tried


def _import_warning() -> type[Warning]:
    try:
        from sklearn.exceptions import ConvergenceWarning
    except ImportError as error:
        raise MissingExtraError("training candidates", extra="sklearn") from error
    kind: type[Warning] = ConvergenceWarning
    return kind


def train(
    points: Any,
    labels: Any,
    *,
    count: int = 100,
    rng: np.random.Generator | int = 0,
    families: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> TrainedCandidates:
    """Train ``count`` candidates that differ, with scikit-learn (``pip install "fedpact[sklearn]"``).

    Parameters
    ----------
    points
        (n, d) finite numbers: public or pooled points, not those that the plan is about.
    labels
        (n,) whole numbers or strings.
    count
        How many candidates to find; no two predict the same at all n points.
    rng
        A seed, or a numpy Generator that one is drawn from. The same seed gives the same candidates.
    families
        Names out of ``logistic``, ``tree``, ``forest``, ``neighbours``, ``bayes``, ``svm``, ``network`` and
        ``boosting``; all without.
    progress
        Called with the number of candidates found so far and ``count``.

    Returns
    -------
    TrainedCandidates
        The models by name, their digests, and what is needed to train them again.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(60, 3))
    >>> trained = train(points, points[:, 0] > points[:, 1], count=20, rng=17)
    >>> trained.H, trained.candidates.names[:2]
    (20, ('logistic C 1, seed 0', 'tree depth 10, seed 1'))
    >>> trained.predict([[1, 0, 0], [0, 1, 0]]).labels[0].tolist()
    [1, 0]
    """
    ignored = _import_warning()
    wanted, lesson = read_whole_number(count, "count", least=1), _read_lesson(points, labels)
    named, seed = _read_families(families), _read_seed(rng)
    with warnings.catch_warnings():  # a model that has not converged is a candidate like another
        warnings.simplefilter("ignore", ignored)
        warnings.simplefilter("ignore", RuntimeWarning)
        models, digests, tried = _keep_different(lesson, _train_all(lesson, named, seed), wanted, progress)
    return TrainedCandidates(
        models=models,
        candidates=CandidateList(names=tuple(models), digests=digests),
        classes=lesson.labels.values,
        status=TrainingStatus.COMPLETE if len(models) == wanted else TrainingStatus.EXHAUSTED,
        tried=tried,
        seed=seed,
        families=named,
        versions={package: version(package) for package in ("fedpact", "numpy", "scikit-learn")},
    )
