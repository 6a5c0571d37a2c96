"""Federations drawn at random, whose truth is known, and what their agents see of it.

A truth is a table: 8 to 24 points, 5 to 30 hypotheses, 2 to 4 agents whose masses vary about common ones,
tolerances of 0.05 to 0.2, delta 0.05 or 0.1, costs of 1 to 3 per sample, and 2, 3 or 5 classes. Its labels are
of one of three families:

- ``tables``: every label is drawn by itself, so that hypotheses have nothing in common;
- ``thresholds``: every hypothesis cuts a line into its classes, so that disagreements are nested;
- ``checkpoints``: noisy copies of one model, as along a training run: later ones differ less from it, and all
  differ mostly on the same hard points.

Agents see unlabelled points that they draw from their own distribution, and what every hypothesis says there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fedpact as fp

FAMILIES = ("tables", "thresholds", "checkpoints")
_POINTS = (8, 24)
_HYPOTHESES = (5, 30)
_AGENTS = (2, 4)


def _cut_line(rng: np.random.Generator, H: int, n: int, classes: int) -> NDArray[np.int64]:
    """(H, n) labels that rise along a line, at the hypothesis' own cuts."""
    places, cuts = np.sort(rng.random(n)), rng.random((H, classes - 1))
    return np.asarray((places > cuts[:, :, None]).sum(axis=1), dtype=np.int64)


def _copy_noisily(rng: np.random.Generator, H: int, n: int, classes: int) -> NDArray[np.int64]:
    """(H, n) labels of one model, changed more often by the first hypotheses and on hard points."""
    model, hardness = rng.integers(0, classes, n), rng.beta(0.5, 1.5, n)
    noise = np.geomspace(0.8, 0.1, H)
    other = (model + rng.integers(1, classes, (H, n))) % classes
    return np.where(rng.random((H, n)) < noise[:, None] * hardness, other, model)


def _draw_labels(rng: np.random.Generator, family: str, H: int, n: int) -> NDArray[np.int64]:
    classes = int(rng.choice([2, 2, 3, 5]))
    if family == "thresholds":
        return _cut_line(rng, H, n, classes)
    if family == "checkpoints":
        return _copy_noisily(rng, H, n, classes)
    return rng.integers(0, classes, (H, n))


def draw_truth(rng: np.random.Generator, family: str) -> fp.Federation:
    """Draw a federation of one of the families.

    Examples
    --------
    >>> draw_truth(np.random.default_rng(0), "thresholds")
    Federation('thresholds': 4 agents, 5 hypotheses, table, pac, per-agent)
    """
    k, n = (int(rng.integers(low, high, endpoint=True)) for low, high in (_AGENTS, _POINTS))
    H = int(math.exp(rng.uniform(math.log(_HYPOTHESES[0]), math.log(_HYPOTHESES[1] + 1))))
    common = rng.dirichlet(np.ones(n))
    return fp.Federation.from_table(
        _draw_labels(rng, family, H, n),
        rng.dirichlet(n * common + 1e-3, k),
        epsilon=rng.choice([0.05, 0.1, 0.2], k),
        delta=float(rng.choice([0.05, 0.1])),
        cost=rng.choice([1.0, 2.0, 3.0], k),
        name=family,
    )


def draw_sites(rng: np.random.Generator, truth: fp.Federation, n: int) -> fp.Federation:
    """Draw n unlabelled points for every agent of a table; what is said there is all that is then known.

    Examples
    --------
    >>>     >>> draw_sites(np.random.default_rng(0), alice_bob(), 100)
    Federation('alice-bob': 2 agents, 4 hypotheses, predictions, pac, per-agent)
    """
    evidence: Any = truth.evidence
    labels, seen = evidence.labels, dict[str, Any]()
    for name, mass in zip(truth.names, evidence.distributions, strict=True):
        seen[name] = labels[:, rng.choice(labels.shape[1], size=n, p=mass / mass.sum())]
    return fp.Federation.from_predictions(
        seen,
        epsilon=truth.epsilon,
        delta=truth.delta,
        cost=[agent.cost for agent in truth.agents],
        name=truth.name,
    )
