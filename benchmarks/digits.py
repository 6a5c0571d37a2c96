"""Checkpoints of small neural networks on the digits of scikit-learn, and sites that see the digits differently.

Half of the 1,797 images train the networks; the other half lies unlabelled on the sites. Each site has a range of
digits of its own: of two sites one has mostly 0 to 4 and the other mostly 5 to 9. The hypotheses are

- *networks*: 18 networks early in their training, after 20, 40 and 80 small batches;
- *runs*: 6 networks from the first batches to the end, after 5, 10, 20 ... 1,280 batches. Late checkpoints hardly
  differ, so many misses happen together, which a sum of their probabilities counts many times.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

import fedpact as fp

FAMILIES = {"networks": (range(18), (20, 40, 80)), "runs": (range(6), tuple(5 * 2**i for i in range(9)))}
"""Seeds of the networks, and after how many batches their checkpoints are taken."""
BATCH = 64
AT_HOME = 0.95
"""Share of the images that lie on the site whose digits they show; the others lie anywhere."""


@cache
def load_halves() -> tuple[tuple[NDArray[np.float64], NDArray[np.int64]], ...]:
    """Images and digits to train on, and those that the sites hold."""
    images, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(digits))
    return tuple((images[some] / 16, digits[some]) for some in np.array_split(order, 2))


def train(seed: int, steps: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Train one network by small batches; what each checkpoint predicts on the second half."""
    (images, digits), (unlabelled, _) = load_halves()
    network = MLPClassifier(hidden_layer_sizes=(32,), learning_rate_init=3e-3, random_state=seed)
    rng = np.random.default_rng(seed)
    checkpoints = []
    for step in range(1, max(steps) + 1):
        batch = rng.integers(0, len(digits), BATCH)
        network.partial_fit(images[batch], digits[batch], classes=np.arange(10))
        if step in steps:
            checkpoints.append(network.predict(unlabelled))
    return checkpoints


@cache
def predict(family: str) -> NDArray[np.int64]:
    """(54, n) predictions of all checkpoints on the second half, the earliest checkpoints first."""
    seeds, steps = FAMILIES[family]
    runs = [train(seed, steps) for seed in seeds]
    return np.stack([run[step] for step in range(len(steps)) for run in runs])


def find_sites(k: int) -> NDArray[np.int64]:
    """(n,) which of k sites holds each image of the second half."""
    digits = load_halves()[1][1]
    rng = np.random.default_rng(1)
    is_at_home = rng.random(len(digits)) < AT_HOME
    return np.where(is_at_home, digits * k // 10, rng.integers(0, k, len(digits)))


def checkpoint_federation(family: str, H: int, k: int, delta: float) -> fp.Federation:
    """Describe the federation of k sites and H of the checkpoints, spread evenly over the training."""
    predictions, sites = predict(family), find_sites(k)
    some = np.linspace(0, len(predictions) - 1, H).round().astype(int)
    return fp.Federation.from_predictions(
        {f"site-{site}": predictions[some][:, sites == site] for site in range(k)}, epsilon=0.1, delta=delta
    )
