"""Models that gradient steps can train, behind one interface.

A model says what its weights are and how a step changes them; the weights themselves travel. The objective is the
mean cross-entropy over the samples, plus the model's own penalty:

    L(w) = (1/m) sum_i -log softmax(scores(w, x_i))[y_i] + penalty(w).

An epoch looks at every sample once: in one step if ``batch`` is None, else in an order drawn from ``rng``, in
steps of ``batch`` samples. Order and steps are made here, so all models take the same ones from one generator.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.label_codes import Label, code_labels, read_classes
from fedpact.describe.numbers import read_number, read_whole_number, shorten
from fedpact.errors import FederationError
from fedpact.training.weights import Weights

Step: TypeAlias = slice | NDArray[np.intp]
"""Which samples one gradient step looks at."""


class Trainable(ABC):
    """A model with weights that gradient steps can change; it holds none itself that training changes."""

    __slots__ = ()

    classes: tuple[Label, ...]
    """What score 0, 1, ... stands for."""

    @abstractmethod
    def start(self, points: NDArray[np.float64] | None) -> Weights:
        """Weights before any training; public points, if any, give the features their scale."""

    @abstractmethod
    def check_points(self, points: NDArray[np.float64]) -> None:
        """Refuse points that the model cannot take."""

    @abstractmethod
    def descend(
        self,
        weights: Weights,
        points: NDArray[np.float64],
        codes: NDArray[np.intp],
        steps: Iterator[Step],
        learning_rate: float,
        seed: int,
    ) -> dict[str, NDArray[np.floating]]:
        """Take gradient steps; returns the arrays that changed, finite or not. Draws are from ``seed``."""

    @abstractmethod
    def score(self, weights: Weights, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, classes) scores; the largest decides."""

    @abstractmethod
    def penalty(self, weights: Weights) -> float:
        """Return what the objective adds to the mean cross-entropy."""


def read_model_classes(classes: Any) -> tuple[Label, ...]:
    """Check the classes of a model: at least two different labels."""
    read = read_classes(classes)
    if len(read) < 2:
        raise FederationError(f"classes must be at least two; they are {shorten(read)}")
    return read


def read_rng(rng: Any) -> np.random.Generator:
    """Take a generator, or a seed for one."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0:
        return np.random.default_rng(int(rng))
    raise FederationError(f"rng must be a numpy Generator or a whole number >= 0; it is {shorten(rng)}")


def _read_points(model: Trainable, points: Any) -> NDArray[np.float64]:
    try:
        array = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.ndim < 2 or not array.size:
        raise FederationError(
            "points must be an array of numbers, one row per point, at least one; "
            f"they are a {type(points).__name__} of shape {np.shape(array)}"
        )
    is_finite = np.isfinite(array).reshape(len(array), -1).all(axis=1)
    if not is_finite.all():
        raise FederationError(
            f"points must be finite numbers; point {int(np.flatnonzero(~is_finite)[0]) + 1} is not; "
            "fill in what is missing first, at every site in the same way"
        )
    model.check_points(array)
    return array


def read_codes(model: Trainable, labels: Any, n: int) -> NDArray[np.intp]:
    """(n,) places of the labels among the model's classes."""
    coded = code_labels(labels, "labels")
    if len(coded.codes) != n:
        raise FederationError(f"labels must be one per point; there are {len(coded.codes)} labels and {n} points")
    place = {label: code for code, label in enumerate(model.classes)}
    for label in coded.values:
        if label not in place:
            raise FederationError(
                f"labels must be among the model's classes {shorten(model.classes)}; one is {shorten(label)}"
            )
    places: NDArray[np.intp] = np.array([place[label] for label in coded.values], dtype=np.intp)[coded.codes]
    return places


def _check_weights(model: Trainable, weights: Any) -> None:
    if not isinstance(weights, Weights):
        raise FederationError(f"weights must be fedpact.training.Weights; they are a {type(weights).__name__}")
    difference = weights.difference(model.start(None))
    if difference is not None:
        raise FederationError(f"weights must be those of the {type(model).__name__}: {difference}")


def _has_none(values: Any) -> bool:
    return values is None or (hasattr(values, "__len__") and len(values) == 0)


def _make_steps(n: int, epochs: int, batch: int | None, rng: np.random.Generator) -> Iterator[Step]:
    for _ in range(epochs):
        if batch is None or batch >= n:
            yield slice(None)
            continue
        order = rng.permutation(n)
        yield from (order[first : first + batch] for first in range(0, n, batch))


def read_rate(learning_rate: Any) -> float:
    """Check a learning rate: a number above 0."""
    rate = read_number(learning_rate, "learning_rate")
    if rate <= 0:
        raise FederationError(f"learning_rate must be above 0; it is {rate:g}")
    return rate


def read_batch(batch: Any) -> int | None:
    """Check how many samples a step looks at; None is all of them."""
    return None if batch is None else read_whole_number(batch, "batch", least=1)


def initial_weights(model: Trainable, points: Any = None) -> Weights:
    """Weights before any training.

    Parameters
    ----------
    model
        A :class:`SoftmaxModel` starts from zeros, a :class:`TorchModel` from what its module holds.
    points
        (n, d) *public* points, whose means and deviations a softmax model standardises features by, at every site
        alike; without them features are taken as they are.
    """
    return model.start(None if points is None else _read_points(model, points))


def train_locally(
    model: Trainable,
    weights: Weights,
    points: Any,
    labels: Any,
    *,
    epochs: int = 1,
    learning_rate: float = 0.1,
    batch: int | None = None,
    rng: np.random.Generator | int = 0,
) -> Weights:
    """Go on training from weights, with one site's labelled samples.

    Parameters
    ----------
    model, weights
        What is trained, and from where. They are left as they are.
    points, labels
        (m, ...) finite numbers and (m,) labels among ``model.classes``. Without any, nothing is learned and the
        weights come back as they were.
    epochs
        How often every sample is looked at.
    learning_rate
        Of plain gradient descent.
    batch
        Samples per step, in an order drawn anew in every epoch; None takes one step per epoch with all of them.
    rng
        A generator or a seed; the same one gives the same weights on the same machine.

    Raises
    ------
    FederationError
        If the input is malformed, or training diverges.

    Examples
    --------
    >>> from fedpact.training.softmax import SoftmaxModel
    >>> model = SoftmaxModel(classes=("low", "high"), features=1)
    >>> points, labels = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> trained = train_locally(model, initial_weights(model, points), points, labels, epochs=50)
    >>> predict_labels(model, trained, [[0.5], [3.5]]).tolist()
    ['low', 'high']
    """
    passes, rate, size = read_whole_number(epochs, "epochs"), read_rate(learning_rate), read_batch(batch)
    generator = read_rng(rng)
    _check_weights(model, weights)
    if _has_none(points) and _has_none(labels):
        return weights
    array = _read_points(model, points)
    codes = read_codes(model, labels, len(array))
    seed = int(generator.integers(2**63))
    steps = _make_steps(len(array), passes, size, generator)
    changed = model.descend(weights, array, codes, steps, rate, seed)
    if not all(np.isfinite(values).all() for values in changed.values()):
        raise FederationError(
            f"training must stay finite; with learning_rate {rate:g} it grew without bounds; use a smaller one"
        )
    return weights.replace(changed)


def score_points(model: Trainable, weights: Weights, points: Any) -> NDArray[np.float64]:
    """(n, classes) scores at points (n, ...); the largest decides."""
    _check_weights(model, weights)
    scores = model.score(weights, _read_points(model, points))
    if not np.isfinite(scores).all():
        raise FederationError("weights must give finite scores; at some point one is not")
    return scores


def predict_labels(model: Trainable, weights: Weights, points: Any) -> NDArray[Any]:
    """Labels (n,) at points (n, ...)."""
    labels: NDArray[Any] = np.array(model.classes)[score_points(model, weights, points).argmax(axis=1)]
    return labels


def cross_entropies(scores: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """(n,) -log of the chance that softmax gives to each true class."""
    top = scores.max(axis=1)
    total = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    losses: NDArray[np.float64] = total - scores[np.arange(len(codes)), codes]
    return losses


def loss_of(model: Trainable, weights: Weights, points: Any, labels: Any) -> float:
    """Mean cross-entropy at labelled samples, plus the model's penalty: what training makes small."""
    scores = score_points(model, weights, points)
    codes = read_codes(model, labels, len(scores))
    return float(cross_entropies(scores, codes).mean()) + model.penalty(weights)
