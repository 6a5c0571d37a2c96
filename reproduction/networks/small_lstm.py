"""A recurrent network that guesses the next character, many at once.

An embedding of the characters, one LSTM layer over the window, and a linear layer on its last state. It is
small on purpose: SOAP decomposes a matrix for every side of every layer, of which the largest is four times the
hidden state; and windows are few, so that a larger one soon learns them by heart.

Parameters are stacked, so that SOAP steps for all models by batched products. The recurrence runs model by
model: PyTorch computes all time steps of one model in a fused loop, which takes half the time of batched
products that serve all models but start anew at every time step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

EMBEDDING = 8
HIDDEN = 32
_GATES = 4 * HIDDEN


def _list_shapes(classes: int) -> list[tuple[tuple[int, ...], float]]:
    """List the shape of every parameter, in PyTorch's order, and within which limit it is drawn."""
    layer = (_GATES, EMBEDDING), (_GATES, HIDDEN), (_GATES,), (_GATES,), (classes, HIDDEN), (classes,)
    # The limit of an embedding gives it variance 1, as PyTorch's normal distribution has.
    return [((classes, EMBEDDING), math.sqrt(3)), *((shape, 1 / math.sqrt(HIDDEN)) for shape in layer)]


def draw_parameters(classes: int, rngs: Sequence[np.random.Generator]) -> list[Tensor]:
    """Draw parameters for one model per generator, uniform within the limits that PyTorch has."""
    shapes = _list_shapes(classes)
    drawn = [[rng.uniform(-limit, limit, shape) for shape, limit in shapes] for rng in rngs]
    return [torch.from_numpy(np.stack(same).astype(np.float32)) for same in zip(*drawn, strict=True)]


def _run(parameters: Sequence[Tensor], codes: Tensor) -> Tensor:
    """(n, t) characters -> (n, hidden), the last state of one model."""
    embedding, *layer = parameters
    seen = functional.embedding(codes.T.long(), embedding)
    rest = seen.new_zeros(1, len(codes), HIDDEN)
    _, last, _ = torch.lstm(seen, (rest, rest), layer, True, 1, 0.0, torch.is_grad_enabled(), False, False)
    return last.squeeze(0)


def score_many(parameters: Sequence[Tensor], codes: Tensor) -> Tensor:
    """(models, n, t) characters -> (models, n, classes) scores, each model on its own windows."""
    *recurrent, weight, bias = parameters
    models = zip(*(parameter.unbind() for parameter in recurrent), strict=True)
    states = [_run(own, seen) for own, seen in zip(models, codes, strict=True)]
    return torch.baddbmm(bias[:, None], torch.stack(states), weight.transpose(1, 2))


class _Network(nn.Module):
    """One of the models."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(classes, EMBEDDING)
        self.lstm = nn.LSTM(EMBEDDING, HIDDEN, batch_first=True)
        self.linear = nn.Linear(HIDDEN, classes)

    def forward(self, codes: Tensor) -> Tensor:
        """(n, t) -> (n, classes)."""
        states, _ = self.lstm(self.embedding(codes))
        scores: Tensor = self.linear(states[:, -1])
        return scores


def make_network(parameters: Sequence[Tensor], model: int = 0) -> nn.Module:
    """Make one of the models as an ordinary module, for (n, t) characters."""
    network = _Network(parameters[-1].shape[1])
    with torch.no_grad():
        for own, stacked in zip(network.parameters(), parameters, strict=True):
            own.copy_(stacked[model])
    return network
