"""Where training starts: at the candidate that was chosen.

A candidate of the model's own kind gives its own weights. Linear scikit-learn estimators are softmax regressions:
the largest of the scores x' coef + intercept decides in both. Of two classes there is one score s, which becomes
-s/2 and s/2; a class that the estimator never saw gets the mean of the others' scores, which is never the largest,
so nothing that is predicted changes and the class can still be learned. That it is so is checked at random points.
A PyTorch candidate with the module's names and shapes gives its state.

Any other candidate, such as a tree, has no weights that gradient steps could start from. It can be *distilled*:
the model is trained to say what the candidate says at public points, and starts from there. How far the two agree
at those points is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.adapt_torch import TorchWeights, fit_state, is_module, make_module, read_state
from fedpact.candidates.predict import predict
from fedpact.candidates.trained import TrainedModel
from fedpact.errors import FederationError
from fedpact.training.softmax import FIXED, SoftmaxModel
from fedpact.training.torch_model import TorchModel, read_floats
from fedpact.training.trainable import Trainable, initial_weights, predict_labels, train_locally
from fedpact.training.weights import Weights

_PROBES = 256
_NAME = "chosen"


class StartStatus(StrEnum):
    """Where training starts."""

    OWN = "own"
    """From the weights of the chosen candidate."""
    DISTILLED = "distilled"
    """From a model fitted to what the candidate predicts at public points; elsewhere it need not agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStart:
    """Weights to start from, and how they come from the chosen candidate."""

    weights: Weights
    status: StartStatus
    agreement: float
    """Share of the public points where they predict what the candidate does; 1 if they are its own."""


class _Linear(NamedTuple):
    """A linear estimator: its scores are (x - center) / scale @ W + b."""

    W: NDArray[np.float64]
    b: NDArray[np.float64]
    center: NDArray[np.float64]
    scale: NDArray[np.float64]


def _spread_classes(
    coef: NDArray[np.float64], intercept: NDArray[np.float64], places: list[int], K: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(d, K) slopes and (K,) offsets for all classes, of which the estimator saw those at ``places``."""
    if len(coef) == 1:
        coef, intercept = np.vstack([-coef / 2, coef / 2]), np.concatenate([-intercept / 2, intercept / 2])
    W, b = np.tile(coef.mean(axis=0)[:, None], K), np.full(K, intercept.mean())
    W[:, places], b[places] = coef.T, intercept
    return W, b


def _find_places(model: SoftmaxModel, seen: list[Any]) -> list[int] | None:
    place = {label: code for code, label in enumerate(model.classes)}
    return [place[label] for label in seen] if all(label in place for label in seen) else None


def _read_linear(model: SoftmaxModel, candidate: Any) -> _Linear | None:
    """Slopes of a linear estimator, spread over all features and classes of the model."""
    is_ours = isinstance(candidate, TrainedModel)
    estimator = candidate.estimator if is_ours else candidate
    if not all(hasattr(estimator, part) for part in ("coef_", "intercept_", "classes_", "decision_function")):
        return None
    if not _is_linear(estimator):
        return None
    coef, intercept = (
        np.atleast_2d(estimator.coef_).astype(float),
        np.atleast_1d(estimator.intercept_).astype(float),
    )
    seen = np.asarray(estimator.classes_).tolist()
    places = _find_places(model, [candidate.classes[code] for code in seen] if is_ours else seen)
    columns = candidate.columns if is_ours else np.arange(model.features)
    rows = 1 if len(seen) == 2 else len(seen)
    if places is None or coef.shape != (rows, len(columns)) or intercept.shape != (rows,):
        return None
    own, b = _spread_classes(coef, intercept, places, len(model.classes))
    W = np.zeros((model.features, len(model.classes)))
    W[columns] = own
    one, zero = np.ones(model.features), np.zeros(model.features)
    return _Linear(W, b, candidate.center if is_ours else zero, candidate.scale if is_ours else one)


def _is_linear(estimator: Any) -> bool:
    """Whether the scores that decide are coef @ x + intercept, at random points."""
    probes = np.random.default_rng(0).normal(size=(_PROBES, estimator.coef_.shape[-1]))
    scores = probes @ np.atleast_2d(estimator.coef_).T + estimator.intercept_
    decided = estimator.decision_function(probes).reshape(_PROBES, -1)
    return scores.shape == decided.shape and np.allclose(scores, decided)


def _standardise(found: _Linear, public: NDArray[np.float64]) -> _Linear:
    """Say the same in features that have the scale of public points, as gradient steps need them."""
    spread, center = public.std(axis=0), public.mean(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    return _Linear(found.W * scale[:, None], found.b + center @ found.W, center, scale)


def _start_linear(model: SoftmaxModel, candidate: Any, public: Any) -> Weights | None:
    """Weights of a candidate that is linear; those of an estimator without a scale get that of public points."""
    found = _read_linear(model, candidate)
    if found is None or found.center.shape != (model.features,):
        return None
    if public is not None and not isinstance(candidate, TrainedModel):
        found = _standardise(found, np.asarray(public, dtype=np.float64))
    return Weights({"W": found.W, "b": found.b, "center": found.center, "scale": found.scale}, FIXED)


def _start_torch(model: TorchModel, candidate: Any) -> Weights | None:
    if isinstance(candidate, TorchWeights):
        module, path = make_module(_NAME, candidate.module), Path(candidate.file)
        weights = Weights(read_floats(fit_state(read_state(path)[0], module, path)))
    elif is_module(candidate):
        weights = Weights(read_floats(candidate.state_dict()))
    else:
        return None
    return weights if weights.difference(model.start(None)) is None else None


def _find_own(model: Trainable, candidate: Any, public: Any) -> Weights | None:
    if isinstance(model, SoftmaxModel):
        return _start_linear(model, candidate, public)
    return _start_torch(model, candidate) if isinstance(model, TorchModel) else None


def _describe(candidate: Any) -> str:
    kind = candidate.estimator if isinstance(candidate, TrainedModel) else candidate
    return type(kind).__name__


def start_from(
    model: Trainable,
    candidate: Any,
    *,
    public: Any = None,
    epochs: int = 200,
    learning_rate: float = 0.1,
    batch: int | None = 32,
    rng: np.random.Generator | int = 0,
) -> TrainingStart:
    """Start training from the chosen candidate.

    Parameters
    ----------
    model
        What is going to be trained.
    candidate
        The chosen one: a model of :func:`train` (``trained.models[name]``), a linear scikit-learn estimator, a
        PyTorch module, :class:`TorchWeights`, or whatever :func:`predict` takes.
    public
        (n, d) public points, without labels: a candidate of another kind is distilled at them, and a linear
        estimator that was not trained here takes the scale of its features from them.
    epochs, learning_rate, batch, rng
        Of distilling, as for :func:`train_locally`.

    Raises
    ------
    FederationError
        If the candidate is of another kind and no public points are given.

    Examples
    --------
    >>> from fedpact.candidates.train import train
    >>> points = np.random.default_rng(0).normal(size=(60, 3))
    >>> trained = train(points, points[:, 0] > points[:, 1], count=20, rng=17)
    >>> model = SoftmaxModel(classes=trained.classes, features=3)
    >>> logistic, tree, *_ = trained.models.values()
    >>> start_from(model, logistic).status.name
    'OWN'
    >>> start = start_from(model, tree, public=points)
    >>> start.status.name, start.agreement > 0.9
    ('DISTILLED', True)
    """
    own = _find_own(model, candidate, public)
    if own is not None:
        return TrainingStart(weights=own, status=StartStatus.OWN, agreement=1.0)
    if public is None:
        raise FederationError(
            f"the chosen candidate is a {_describe(candidate)}, whose weights a {type(model).__name__} cannot "
            "start from; give public points (public=...) to start from a model fitted to what it predicts there"
        )
    said = predict({_NAME: candidate}, np.asarray(public), classes=model.classes).decode()[0]
    weights = train_locally(
        model,
        initial_weights(model, public),
        public,
        said,
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
        rng=rng,
    )
    agreement = float((predict_labels(model, weights, public) == said).mean())
    return TrainingStart(weights=weights, status=StartStatus.DISTILLED, agreement=agreement)
