"""Federations of random noisy models, of any size, as arrays of predictions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import fedpact as fp

EPSILON = 0.1
DELTA = 0.05
CLASSES = 10


def noisy_models(H: int, k: int, points: int, seed: int = 7) -> dict[str, NDArray[np.int8]]:
    """(H, points) predictions on each of k sites by models that err there in 2% to 30% of the cases."""
    rng = np.random.default_rng(seed)
    predictions = {}
    for site in range(k):
        truth = rng.integers(0, CLASSES, points, dtype=np.int8)
        is_wrong = rng.random((H, points), dtype=np.float32) < rng.uniform(0.02, 0.3, (H, 1))
        guesses = rng.integers(0, CLASSES, (H, points), dtype=np.int8)
        predictions[f"site-{site}"] = np.where(is_wrong, guesses, truth)
    return predictions


def vote(said: NDArray[np.int8]) -> NDArray[np.int64]:
    """(n,) what most candidates say at each point."""
    return np.argmax([(said == label).sum(axis=0) for label in range(CLASSES)], axis=0)


def unit_costs(k: int, seed: int = 11) -> NDArray[np.float64]:
    """(k,) what a sample costs on each site, between 0.5 and 2."""
    return np.random.default_rng(seed).uniform(0.5, 2.0, k)


def federation_of(predictions: dict[str, NDArray[np.int8]]) -> fp.Federation:
    """Describe the federation with these predictions, epsilon 0.1, delta 0.05 and unequal costs."""
    return fp.Federation.from_predictions(
        predictions, cost=unit_costs(len(predictions)), epsilon=EPSILON, delta=DELTA
    )


def rare_cases(strategies: int, k: int, seed: int = 4, delta: float = DELTA) -> fp.Federation:
    """Describe k agents who need about so many samples alone to see the six rare points that differ.

    Epsilon is a twentieth of an agent's mass on the rare points, costs are unequal.
    """
    rng = np.random.default_rng(seed)
    rare = rng.dirichlet(np.full(6, 0.7), k)
    labels = np.column_stack([rng.integers(0, 2, (8, 6)), np.zeros(8, dtype=int)])

    def build(scale: NDArray[np.float64]) -> fp.Federation:
        mass = rare * scale[:, None]
        distributions = np.column_stack([mass, 1 - mass.sum(axis=1)])
        return fp.Federation.from_table(
            labels, distributions, cost=unit_costs(k), epsilon=0.05 * scale, delta=delta
        )

    needs = fp.game.standalone(build(np.full(k, 0.1))).values()
    return build(np.array([min(0.95, 0.1 * (need or 0) / strategies) for need in needs]))


def random_table(points: int, H: int, k: int, seed: int = 5) -> fp.Federation:
    """Describe k agents by what H random hypotheses say at some points, and how often each sees them."""
    rng = np.random.default_rng(seed)
    labels, distributions = rng.integers(0, 2, (H, points)), rng.dirichlet(np.ones(points), k)
    return fp.Federation.from_table(labels, distributions, epsilon=EPSILON, delta=DELTA)
