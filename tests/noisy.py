"""Small federations of noisy models, on which no two rates are alike."""

import numpy as np

import fedpact as fp


def noisy_federation(seed, *, H=8, k=3, n=40, **settings):
    rng = np.random.default_rng(seed)
    predictions = {}
    for site in range(k):
        truth = rng.integers(0, 4, n)
        is_wrong = rng.random((H, n)) < rng.uniform(0.05, 0.5, (H, 1))
        predictions[f"site-{site}"] = np.where(is_wrong, rng.integers(0, 4, (H, n)), truth)
    settings = {"epsilon": 0.15, "delta": 0.05, "cost": rng.uniform(1, 3, k).tolist()} | settings
    return fp.Federation.from_predictions(predictions, **settings)
