"""Training goes on from the chosen candidate: what a round sends out, and what it comes to.

Weights are averaged by the samples that the ledger has and the check has passed, never by what a site says of
itself; see :mod:`fedpact.training.averaging`. A round that nobody answers leaves the weights as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fedpact.errors import MessageError
from fedpact.protocol.operator.run_state import RunState
from fedpact.training.averaging import average_weights, check_weights
from fedpact.training.weights import Weights

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
