"""Training goes on from the chosen candidate: what a round sends out, and what it comes to.

Weights are averaged by the samples that the ledger has and the check has passed, never by what a site says of
itself; see :mod:`fedpact.protocol.training.averaging`. A round that nobody answers leaves the weights as they are.
A label that the model has no class for counts as a mistake where the model is evaluated, and its sample is
passed over in training.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.trainable import Trainable, score_points, train_locally
from fedpact.candidates.weights import Weights
from fedpact.errors import MessageError
from fedpact.protocol.messages import Evaluated
from fedpact.protocol.operator.run_state import RunState
from fedpact.protocol.training.averaging import average_weights, check_weights, rng_of_round

LARGEST = 1e100
"""Weights beyond this are no model's; the mean of smaller ones is always finite."""


def train_body(state: RunState) -> dict[str, Any]:
    """Return what a site is sent in the next round."""
    assert state.pact.training is not None, "asked only where the pact says that training goes on"
    return {**state.pact.training.to_dict(), "round": state.round + 1, "weights": state.weights}


def train_round(state: RunState) -> dict[str, Any]:
    """Return what the present round comes to."""
    assert state.weights is not None, "round 0 has given the weights to start from"
    sent = Weights.from_dict(state.weights)
    verified = {name: 0 if name in state.withheld else count for name, count in state.contributed.items()}
    answered = {name: Weights.from_dict(own) for name, own in state.trained.items() if verified[name]}
    mean = average_weights(answered, verified, like=sent) if answered else sent
    return {"round": state.round + 1, "weights": mean.to_dict(), "sites": sorted(answered)}


def check_trained(state: RunState, site: str, weights: Mapping[str, Any]) -> None:
    """Raise unless weights have the names, shapes and constants of those sent out, and can be averaged."""
    own = check_weights(site, Weights.from_dict(weights), Weights.from_dict(state.weights))
    for name in own.names:
        if np.abs(own[name]).max(initial=0.0) > LARGEST:
            raise MessageError(f"weights of site {site!r}: {name!r} has a number beyond {LARGEST:g}")


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
