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


def unit_costs(k: int, seed: int = 11) -> NDArray[np.float64]:
    """(k,) what a sample costs on each site, between 0.5 and 2."""
    return np.random.default_rng(seed).uniform(0.5, 2.0, k)


def federation_of(predictions: dict[str, NDArray[np.int8]]) -> fp.Federation:
    """Describe the federation with these predictions, epsilon 0.1, delta 0.05 and unequal costs."""
    return fp.Federation.from_predictions(
        predictions, cost=unit_costs(len(predictions)), epsilon=EPSILON, delta=DELTA
    )
