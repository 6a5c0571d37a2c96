"""The parameters of the experiment, checked before anything is computed."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import fedpact as fp
from reproduction.experiment import Settings
from reproduction.private_planning import METHODS
from reproduction.values import (
    read_chance,
    read_choice,
    read_each,
    read_rising,
    read_share,
    read_size,
    read_whole_number,
    shorten,
)

ARIZONA, HOSPITALS, WRITERS = "arizona-hospitals", "hospitals", "writers"
FEDERATIONS = (ARIZONA, HOSPITALS, WRITERS)
_MOST_CANDIDATES = 500
_MOST_RUNS = 1_000_000


class Parameters(NamedTuple):
    """What the cells of each part have in common."""

    collections: list[str]
    federations: list[str]
    training: dict[str, Any]
    labels: dict[str, Any]
    """Of collections."""
    truths: dict[str, Any]
    """Where one candidate labels."""
    true_labels: dict[str, Any]
    runs: dict[str, Any]


def _read_names(settings: Settings, key: str) -> list[str]:
    named = [str(name) for name in settings[key]]
    if len(set(named)) < len(named):
        raise fp.FederationError(f"{key} must be different ones; they are {shorten(settings[key])}")
    return named


def _read_noise(value: Any, key: str) -> float:
    noise = read_chance(value, key)
    if noise >= 0.5:
        raise fp.FederationError(f"{key} must be below 1/2; it is {noise:g}")
    return noise


def read_parameters(settings: Settings) -> Parameters:
    """Check everything that is asked for."""
    batch, many = partial(read_whole_number, least=1), partial(read_size, least=1, most=_MOST_RUNS)
    federations = _read_names(settings, "federations")
    for name in federations:
        read_choice(name, "federations", FEDERATIONS)
    read_chance(settings["limits_hold"], "limits_hold")
    method = read_choice(settings["method"], "method", METHODS)
    epsilon = read_chance(settings["epsilon"], "epsilon")
    return Parameters(
        collections=_read_names(settings, "collections"),
        federations=federations,
        training={
            "H": read_size(settings["H"], "H", least=2, most=_MOST_CANDIDATES),
            "writers": read_whole_number(settings["writers"], "writers", least=1),
            "public_images": read_whole_number(settings["public_images"], "public_images", least=1),
            "side": read_size(settings["side"], "side", least=2, most=28),
        },
        labels={
            "epsilons": read_rising(settings, "collection_epsilon", read_share),
            "delta": read_chance(settings["collection_delta"], "collection_delta"),
            "batches": read_rising(settings, "batches", batch),
            "confidence": read_chance(settings["confidence"], "confidence"),
            "orders": many(settings["orders"], "orders"),
        },
        truths={
            "epsilon": epsilon,
            "delta": read_chance(settings["truth_delta"], "truth_delta"),
            "noise": read_each(settings, "noise", _read_noise),
            "draws": many(settings["truth_draws"], "truth_draws"),
            "method": method,
        },
        true_labels={
            "epsilon": epsilon,
            "delta": read_chance(settings["label_delta"], "label_delta"),
            "orders": many(settings["label_orders"], "label_orders"),
            "draws": many(settings["quota_draws"], "quota_draws"),
            "method": method,
        },
        runs={
            "runs": many(settings["runs"], "runs"),
            "batches": read_rising(settings, "run_batches", batch),
            "delta": read_chance(settings["run_delta"], "run_delta"),
            "confidence": read_chance(settings["run_confidence"], "run_confidence"),
        },
    )
