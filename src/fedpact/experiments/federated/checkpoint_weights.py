"""Checkpoints that keep their weights, so that training can go on from the one that is chosen.

They are those of :mod:`fedpact.experiments.planner_table.checkpoints`. The weights of a checkpoint are kept as a
text: all parameters of the network one after the other, in PyTorch's order, as 32-bit numbers in base 64.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fedpact.experiments.planner_table.checkpoints import read_checkpoints, train_networks
from fedpact.experiments.sweep.experiment import Answer, Arrays

if TYPE_CHECKING:
    from torch import Tensor, nn

_NUMBER = np.dtype("<f4")


def _write(weights: NDArray[np.float32]) -> str:
    return base64.b64encode(weights.astype(_NUMBER).tobytes()).decode("ascii")


def _read(text: str) -> NDArray[np.float32]:
    return np.frombuffer(base64.b64decode(text), dtype=_NUMBER)


def train_checkpoints(cell: Mapping[str, Any], arrays: Arrays) -> Answer:
    """Train networks; tell what every checkpoint predicts at the sites, and its weights."""
    kept: list[list[str]] = [[] for _ in cell["networks"]]

    def keep(parameters: Sequence[Tensor]) -> None:
        flat = [parameter.detach().flatten(1).numpy() for parameter in parameters]
        for own, weights in zip(kept, np.concatenate(flat, axis=1), strict=True):
            own.append(_write(weights))

    return train_networks(cell, arrays, keep) | {"weights": kept}


def read_both(answers: Sequence[Answer]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """(checkpoints, n) labels and (checkpoints, d) weights; of those that predict alike the first is kept."""
    weights: dict[str, str] = {}
    for answer in answers:
        for said, own in zip(answer["predictions"], answer["weights"], strict=True):
            for text, numbers in zip(said, own, strict=True):
                weights.setdefault(text, numbers)
    return read_checkpoints(answers), np.stack([_read(text) for text in weights.values()])


def open_network(weights: NDArray[np.float32], classes: int) -> nn.Module:
    """Make the network that has these weights (d,), for (n, 1, 14, 14) images."""
    import torch

    from fedpact.experiments.networks.small_cnn import draw_parameters, make_network

    like = draw_parameters(classes, [np.random.default_rng(0)])
    ends = np.cumsum([one.numel() for one in like])[:-1]
    parts = [torch.from_numpy(part.copy()) for part in np.split(weights, ends)]
    return make_network([part.reshape(one.shape) for part, one in zip(parts, like, strict=True)])
