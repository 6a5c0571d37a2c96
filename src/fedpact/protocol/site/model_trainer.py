"""A site trains and evaluates the model of a run, on examples that stay there.

A label that the model has no class for counts as a mistake where the model is evaluated, and its sample is passed
over in training.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.errors import MessageError
from fedpact.protocol.messages import Evaluated
from fedpact.training.averaging import rng_of_round
from fedpact.training.trainable import Trainable, score_points, train_locally
from fedpact.training.weights import Weights


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelTrainer:
    """Trains and evaluates a model at a site, on examples that stay there."""

    site: str
    model: Trainable
    points: NDArray[np.float64]
    """(n, d) examples of the pool; the codes of its labels are places among the model's classes, or beyond."""
    held_out: tuple[NDArray[np.float64], NDArray[np.integer]] | None = None
    """Points, and codes of their labels."""

    def train(
        self, settings: Mapping[str, Any], places: NDArray[np.intp], labels: NDArray[np.integer]
    ) -> Mapping[str, Any]:
        """Train from the weights that were sent."""
        places, labels = self.known(places, labels)
        if not len(places):
            raise MessageError(f"site {self.site!r} has contributed no sample that can train the model")
        return train_locally(
            self.model,
            Weights.from_dict(settings["weights"]),
            self.points[places],
            np.array(self.model.classes)[labels],
            epochs=settings["epochs"],
            learning_rate=settings["learning_rate"],
            batch=settings["batch"],
            rng=rng_of_round(settings["seed"], settings["round"], self.site),
        ).to_dict()

    def known(
        self, places: NDArray[np.intp], labels: NDArray[np.integer]
    ) -> tuple[NDArray[np.intp], NDArray[np.integer]]:
        """Leave out samples with a label that the model has no class for."""
        is_known = labels < len(self.model.classes)
        return places[is_known], labels[is_known]

    def evaluate(self, weights: Mapping[str, Any]) -> Evaluated:
        """Count where the model is wrong on held-out points."""
        if self.held_out is None:
            return Evaluated(n=0, mistakes=0)
        points, codes = self.held_out
        said = score_points(self.model, Weights.from_dict(weights), points).argmax(axis=1)
        return Evaluated(n=len(codes), mistakes=int((said != codes).sum()))
