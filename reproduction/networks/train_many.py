"""Training many models at once, each on samples of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from reproduction.networks.soap import Soap

Score: TypeAlias = Callable[[Sequence[Tensor], Tensor], Tensor]
"""(parameters, inputs of every model) -> (models, n, classes)"""


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread, so that sums are added up in the same order everywhere."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _differentiate(score: Score, parameters: Sequence[Tensor], inputs: Tensor, labels: Tensor) -> list[Tensor]:
    scores = score(parameters, inputs).flatten(0, 1)
    # The mean over a model's batch, summed over models: every model has the gradient it would have alone.
    loss = functional.cross_entropy(scores, labels.flatten(), reduction="sum") / labels.shape[1]
    return list(torch.autograd.grad(loss, list(parameters)))


def _differentiate_apart(
    score: Score, parameters: Sequence[Tensor], inputs: Tensor, labels: Tensor
) -> list[Tensor]:
    """Take the models one after another, so that what one needs is still near when its gradient is computed."""
    found = []
    for model in range(len(labels)):
        here = slice(model, model + 1)
        found.append(_differentiate(score, [one[here] for one in parameters], inputs[here], labels[here]))
    return [torch.cat(same) for same in zip(*found, strict=True)]


def train_many(
    score: Score,
    parameters: Sequence[Tensor],
    inputs: Tensor,
    labels: Tensor,
    samples: NDArray[np.int64],
    orders: NDArray[np.int64],
    *,
    learning_rate: float,
    batch: int,
    apart: bool = False,
    each_epoch: Callable[[int], None] = lambda epoch: None,
) -> None:
    """Train stacked models in place with cross entropy and SOAP.

    Parameters
    ----------
    score
        Computes scores of all models.
    parameters
        Of all models, (models, ...) each.
    inputs, labels
        (n, ...) and (n,), which all models draw from.
    samples
        (models, m) the samples of every model.
    orders
        (models, epochs, m) in which order a model sees its samples in every epoch.
    apart
        Whether gradients are computed model by model: the same, and faster where a model's own work is large.
    each_epoch
        Called with the epochs done.
    """
    for parameter in parameters:
        parameter.requires_grad_(True)
    soap = Soap(parameters, learning_rate=learning_rate)
    differentiate = _differentiate_apart if apart else _differentiate
    m = samples.shape[1]
    for epoch in range(orders.shape[1]):
        shuffled = torch.from_numpy(np.take_along_axis(samples, orders[:, epoch], axis=1))
        for first in range(0, m, batch):
            seen = shuffled[:, first : first + batch]
            soap.step(differentiate(score, parameters, inputs[seen], labels[seen]))
        each_epoch(epoch + 1)
    for parameter in parameters:
        parameter.requires_grad_(False)
