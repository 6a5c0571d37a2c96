"""The optimizer SOAP for many models at once.

SOAP (Vyas et al., 2024) is Adam in the eigenbasis of Shampoo's preconditioner: for every dimension d of a
parameter with gradient G it keeps a running mean of G's products with itself over all other dimensions, an
orthogonal basis Q_d of its eigenvectors, which one step of power iteration with a QR decomposition follows every
few steps, and Adam's second moments in that basis. Vectors get plain Adam.

Here a parameter holds those of many models, stacked along its first axis, and every step is taken for all of them
by batched products; no model sees another. The update and the defaults are those of ``pytorch_optimizer.SOAP``,
which the tests hold it against model by model; there as here the first step only starts the bases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

_TINY = 1e-30


@dataclass(slots=True)
class _Moments:
    """What is remembered of one parameter."""

    mean: Tensor
    square: Tensor
    """Of the gradient in the bases."""
    products: list[Tensor] = field(default_factory=list)
    bases: list[Tensor] = field(default_factory=list)
    """One (models, d, d) for every dimension d but the first, unless the parameter is a vector."""


def _rotate(values: Tensor, bases: Sequence[Tensor], *, back: bool = False) -> Tensor:
    """Change to the bases in every dimension, or back."""
    for basis in bases:
        models, first, *rest = values.shape
        flat = values.reshape(models, first, -1).transpose(1, 2)
        values = torch.bmm(flat, basis.transpose(1, 2) if back else basis).reshape(models, *rest, first)
    return values


def _multiply_out(gradient: Tensor) -> list[Tensor]:
    """For every dimension the gradient's products with itself over all others."""
    found = []
    for axis in range(1, gradient.dim()):
        flat = gradient.movedim(axis, 1).flatten(2) if gradient.dim() > 2 else gradient
        found.append(torch.bmm(flat, flat.transpose(1, 2)))
    return found


def _start(gradient: Tensor, beta: float) -> _Moments:
    moments = _Moments(torch.zeros_like(gradient), torch.zeros_like(gradient))
    if gradient.dim() > 2:
        moments.products = [(1 - beta) * product for product in _multiply_out(gradient)]
        for product in moments.products:
            _, basis = torch.linalg.eigh(product + _TINY * torch.eye(product.shape[-1], dtype=product.dtype))
            moments.bases.append(basis.flip(-1))
    return moments


def _follow(moments: _Moments) -> None:
    """Let the bases follow the products by a step of power iteration, the largest eigenvalues first."""
    for place, (product, basis) in enumerate(zip(moments.products, moments.bases, strict=True)):
        moved = torch.bmm(product, basis)
        order = (basis * moved).sum(dim=1).argsort(dim=1, descending=True)
        shape = [len(order), *([1] * (moments.square.dim() - 1))]
        shape[place + 1] = order.shape[1]
        moments.square = moments.square.gather(place + 1, order.view(shape).expand_as(moments.square))
        moved = moved.gather(2, order[:, None].expand_as(moved))
        moments.bases[place] = torch.linalg.qr(moved)[0]


class Soap:
    """SOAP for stacked parameters, each (models, ...).

    Examples
    --------
    >>> target = torch.eye(3).expand(2, 3, 3)
    >>> parameters = [torch.zeros(2, 3, 3)]
    >>> soap = Soap(parameters, learning_rate=0.1, weight_decay=0.0)
    >>> for _ in range(200):
    ...     soap.step([parameters[0] - target])
    >>> bool((parameters[0] - target).abs().max() < 0.1)
    True
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        *,
        learning_rate: float,
        beta: float = 0.95,
        weight_decay: float = 0.01,
        every: int = 10,
        tol: float = 1e-8,
    ) -> None:
        self.parameters, self.learning_rate, self.beta = parameters, learning_rate, beta
        self.weight_decay, self.every, self.tol = weight_decay, every, tol
        self.steps = 0
        self.moments: list[_Moments] = []

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor]) -> None:
        """Take a step for every model; the first one only looks at the gradients."""
        if not self.moments:
            self.moments = [_start(gradient, self.beta) for gradient in gradients]
            return
        self.steps += 1
        for parameter, gradient, moments in zip(self.parameters, gradients, self.moments, strict=True):
            self._update(parameter, gradient, moments)

    def _update(self, parameter: Tensor, gradient: Tensor, moments: _Moments) -> None:
        weight = 1 - self.beta
        moments.mean.lerp_(gradient, weight)
        moments.square.lerp_(_rotate(gradient, moments.bases).square(), weight)
        direction = _rotate(moments.mean, moments.bases) / moments.square.sqrt().add_(self.tol)
        # Both moments have the same decay, so their corrections for the start at zero cancel up to a root.
        size = self.learning_rate / math.sqrt(1 - self.beta**self.steps)
        parameter.add_(_rotate(direction, moments.bases, back=True), alpha=-size)
        parameter.mul_(1 - self.learning_rate * self.weight_decay)
        if moments.bases:
            for product, latest in zip(moments.products, _multiply_out(gradient), strict=True):
                product.lerp_(latest, weight)
            if self.steps % self.every == 0:
                _follow(moments)
