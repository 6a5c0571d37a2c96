"""Softmax regression in NumPy: multinomial logistic regression with an L2 penalty on the slopes.

Scores are x' W + b, where x' = (x - center) / scale and both constants are public and part of the weights, so that
every site standardises alike. With P the softmax of the scores and Y the true classes as unit rows, the gradient
of the objective over m samples is x'^T (P - Y) / m + l2 W for W and the column means of P - Y for b.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.label_codes import Label
from fedpact.describe.numbers import read_number, read_whole_number
from fedpact.errors import FederationError
from fedpact.training.trainable import Step, Trainable, read_model_classes
from fedpact.training.weights import Weights

FIXED = ("center", "scale")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SoftmaxModel(Trainable):
    """Softmax regression over ``features`` numbers per point; its weights are W, b, center and scale."""

    classes: tuple[Label, ...]
    features: int
    l2: float = 0.0
    """Half of this times the sum of squares of ``W`` is added to the objective."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", read_model_classes(self.classes))
        object.__setattr__(self, "features", read_whole_number(self.features, "features", least=1))
        object.__setattr__(self, "l2", read_number(self.l2, "l2"))
        if self.l2 < 0:
            raise FederationError(f"l2 must be 0 or more; it is {self.l2:g}")

    def start(self, points: NDArray[np.float64] | None) -> Weights:
        """Zeros, and the scale of the public points."""
        d, K = self.features, len(self.classes)
        center = np.zeros(d) if points is None else points.mean(axis=0)
        spread = np.ones(d) if points is None else points.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        return Weights({"W": np.zeros((d, K)), "b": np.zeros(K), "center": center, "scale": scale}, FIXED)

    def check_points(self, points: NDArray[np.float64]) -> None:
        """Refuse points with other than ``features`` features."""
        if points.shape[1:] != (self.features,):
            raise FederationError(
                f"points must have the {self.features} features of the model; their shape is {points.shape}"
            )

    def descend(
        self,
        weights: Weights,
        points: NDArray[np.float64],
        codes: NDArray[np.intp],
        steps: Iterator[Step],
        learning_rate: float,
        seed: int,
    ) -> dict[str, NDArray[np.floating]]:
        """Take gradient steps."""
        W, b = weights["W"].copy(), weights["b"].copy()
        with np.errstate(all="ignore"):  # what grows without bounds is found at the end
            x, true = _standardise(weights, points), np.eye(len(self.classes))[codes]
            for step in steps:
                error = _softmax(x[step] @ W + b) - true[step]
                W -= learning_rate * (x[step].T @ error / len(error) + self.l2 * W)
                b -= learning_rate * error.mean(axis=0)
        return {"W": W, "b": b}

    def score(self, weights: Weights, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Score by x' W + b."""
        with np.errstate(all="ignore"):
            scores: NDArray[np.float64] = _standardise(weights, points) @ weights["W"] + weights["b"]
        return scores

    def penalty(self, weights: Weights) -> float:
        """Half of ``l2`` times the sum of squares of ``W``."""
        return self.l2 / 2 * float((weights["W"] ** 2).sum())


def _standardise(weights: Weights, points: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = (points - weights["center"]) / weights["scale"]
    return scaled


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = grown / grown.sum(axis=1, keepdims=True)
    return shares
