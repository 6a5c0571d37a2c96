"""Federated averaging with the quotas as the sites' data, from the candidate that was chosen.

Every site of a group trains on its quota for some epochs and the mean by samples goes on, for some rounds; a site
that is alone is a group of one. Rounds, local epochs and rates were set after a look at two seeds, at which longer
training at higher rates had lost more accuracy; they were not changed after more seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedpact.experiments.federated.sites import Points, Sites
from fedpact.training.averaging import LocalTraining, fed_avg, rng_of_round
from fedpact.training.trainable import Trainable, predict_labels, train_locally
from fedpact.training.weights import Weights


def _train_at(site: str, quota: Points, model: Trainable, cell: Mapping[str, Any], rate: float) -> LocalTraining:
    return lambda number, weights: train_locally(
        model,
        weights,
        quota.points,
        quota.labels,
        epochs=cell["local_epochs"],
        learning_rate=rate,
        batch=cell["local_batch"] or None,
        rng=rng_of_round(cell["seed"], number, site),
    )


def average_quotas(
    sites: Sites, start: Weights, quotas: Mapping[str, Points], cell: Mapping[str, Any], rate: float
) -> Weights:
    """Train by averaging; without any sample the start stays what it is."""
    m = {site: len(quota.labels) for site, quota in quotas.items()}
    if not any(m.values()):
        return start
    training = {site: _train_at(site, quota, sites.model, cell, rate) for site, quota in quotas.items()}
    return fed_avg(training, start, cell["rounds"], m=m).weights


def measure_accuracy(model: Trainable, weights: Weights, test: Points) -> float:
    """Share of the points that are predicted right."""
    return float((predict_labels(model, weights, test.points) == test.labels).mean())
