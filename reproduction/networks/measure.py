"""How good many models are on the same test samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from reproduction.networks.train_many import Score

_BATCH = 512


@torch.no_grad()
def measure(
    score: Score, parameters: Sequence[Tensor], inputs: Tensor, labels: Tensor, test: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(models, 2): mean cross entropy and accuracy of every model on the samples at ``test``."""
    models = len(parameters[0])
    found = np.zeros((models, 2))
    for first in range(0, len(test), _BATCH):
        at = torch.from_numpy(test[first : first + _BATCH])
        seen = inputs[at].expand(models, *inputs[at].shape)
        scores = score(parameters, seen).double()
        wanted = labels[at].expand(models, -1)
        losses = functional.cross_entropy(scores.flatten(0, 1), wanted.flatten(), reduction="none")
        found[:, 0] += losses.view(models, -1).sum(dim=1).numpy()
        found[:, 1] += (scores.argmax(dim=2) == wanted).sum(dim=1).numpy()
    return found / len(test)


@torch.no_grad()
def predict(score: Score, parameters: Sequence[Tensor], inputs: Tensor) -> NDArray[np.int64]:
    """(models, n) the class with the highest score, for every model and input."""
    models = len(parameters[0])
    found = []
    for first in range(0, len(inputs), _BATCH):
        seen = inputs[first : first + _BATCH]
        found.append(score(parameters, seen.expand(models, *seen.shape)).argmax(dim=2).numpy())
    return np.concatenate(found, axis=1)
