"""A lightweight convolutional network, many at once.

Two blocks, each a 3 by 3 convolution, a ReLU and a maximum over 2 by 2 pixels, and a linear layer: on images of 14
by 14 pixels 12, 6, 4 and 2 pixels a side, so 64 numbers enter the last layer. It is small on purpose: SOAP
decomposes a matrix for every side of every layer.

Images come as the windows that the first convolution sees, cut once for all epochs. Channels stand last, so that a
convolution is one batched product over all models. A maximum comes before its ReLU, which changes nothing and
saves three quarters of the work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

SIDE = 14
CHANNELS = (8, 16)
_KERNEL = 3
_LAST = 4 * CHANNELS[1]


def cut_windows(images: NDArray[np.float32]) -> Tensor:
    """(n, 14, 14) -> (n, 144, 9), the windows of the first convolution."""
    windows = np.lib.stride_tricks.sliding_window_view(images, (_KERNEL, _KERNEL), axis=(1, 2))
    return torch.from_numpy(np.ascontiguousarray(windows.reshape(len(images), -1, _KERNEL**2)))


def _list_shapes(classes: int) -> list[tuple[tuple[int, ...], int]]:
    """List the shape of every parameter, and how many numbers enter what it computes."""
    first, second = CHANNELS
    fans = _KERNEL**2, first * _KERNEL**2, _LAST
    weights = (first, 1, _KERNEL, _KERNEL), (second, first, _KERNEL, _KERNEL), (classes, _LAST)
    return [pair for weight, fan in zip(weights, fans, strict=True) for pair in ((weight, fan), (weight[:1], fan))]


def draw_parameters(classes: int, rngs: Sequence[np.random.Generator]) -> list[Tensor]:
    """Draw parameters for one model per generator, uniform as PyTorch draws them."""
    shapes = _list_shapes(classes)
    drawn = [[rng.uniform(-1, 1, shape) / math.sqrt(fan) for shape, fan in shapes] for rng in rngs]
    return [torch.from_numpy(np.stack(same).astype(np.float32)) for same in zip(*drawn, strict=True)]


class _Windows(torch.autograd.Function):
    """(n, s, s, c) -> (n, s - 2, s - 2, 9, c), the windows of the second convolution."""

    @staticmethod
    def forward(ctx: Any, images: Tensor) -> Tensor:
        ctx.shape = images.shape
        n, side, _, channels = images.shape
        inner = side - _KERNEL + 1
        found = images.new_empty(n, inner, inner, _KERNEL**2, channels)
        for place in range(_KERNEL**2):
            row, column = divmod(place, _KERNEL)
            found[:, :, :, place] = images[:, row : row + inner, column : column + inner]
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (gradient,) = gradients
        found = gradient.new_zeros(ctx.shape)
        inner = gradient.shape[1]
        for place in range(_KERNEL**2):
            row, column = divmod(place, _KERNEL)
            found[:, row : row + inner, column : column + inner] += gradient[:, :, :, place]
        return found


def _shrink(values: Tensor) -> Tensor:
    """(n, s, s, c) -> (n, s/2, s/2, c), the maximum over 2 by 2 pixels, and a ReLU."""
    return functional.relu(functional.max_pool2d(values.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1))


def score_many(parameters: Sequence[Tensor], windows: Tensor) -> Tensor:
    """(models, n, 144, 9) windows -> (models, n, classes) scores, each model on its own images."""
    kernel_1, bias_1, kernel_2, bias_2, weight, bias = parameters
    models, n = windows.shape[:2]
    first, second = CHANNELS
    flat = windows.reshape(models, -1, _KERNEL**2)
    seen = torch.baddbmm(bias_1[:, None], flat, kernel_1.reshape(models, first, -1).transpose(1, 2))
    small = _shrink(seen.view(models * n, SIDE - 2, SIDE - 2, first))
    flat = _Windows.apply(small).view(models, -1, first * _KERNEL**2)  # type: ignore[no-untyped-call]
    kernel = kernel_2.movedim(2, -1).reshape(models, second, -1).transpose(1, 2)
    seen = torch.baddbmm(bias_2[:, None], flat, kernel)
    small = _shrink(seen.view(models * n, 4, 4, second)).reshape(models, n, _LAST)
    # The last layer's weights stand in PyTorch's order, channel by channel.
    by_pixel = weight.view(models, -1, second, 4).transpose(2, 3).reshape(models, -1, _LAST)
    return torch.baddbmm(bias[:, None], small, by_pixel.transpose(1, 2))


def make_network(parameters: Sequence[Tensor], model: int = 0) -> nn.Module:
    """Make one of the models as an ordinary module, for (n, 1, 14, 14) images."""
    first, second = CHANNELS
    layers = (
        nn.Conv2d(1, first, _KERNEL),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(first, second, _KERNEL),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(_LAST, parameters[-1].shape[1]),
    )
    network = nn.Sequential(*layers)
    with torch.no_grad():
        for own, stacked in zip(network.parameters(), parameters, strict=True):
            own.copy_(stacked[model])
    return network
