"""A PyTorch module as a trainable model: cross-entropy, plain SGD, on the processor.

The module is copied for every training, so the one that was given stays as it is. Weights are the floating numbers
of its state, buffers such as the running means of a BatchNorm among them; whole numbers (how many batches such a
layer has seen) stay at home. What a module draws, as Dropout does, comes from a seed of its own, and PyTorch's
global generator is left where it was.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.adapt_torch import SAFE, Module, import_torch, make_module
from fedpact.candidates.batches import first_line
from fedpact.describe.label_codes import Label
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.errors import FederationError, MissingExtraError
from fedpact.training.trainable import Step, Trainable, read_model_classes
from fedpact.training.weights import Weights

_REFUSALS = (RuntimeError, TypeError, ValueError, IndexError)
_BATCH = 1024


def _find_factory(named: str) -> Callable[[], Module]:
    """Import "package.module:function"; only ever a name that the site itself was set up with."""
    place, _, name = named.partition(":")
    try:
        found = getattr(import_module(place), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise FederationError(
            f'module must be a torch.nn.Module, a function that makes one, or "package.module:function"; '
            f"{shorten(named)} cannot be imported: {first_line(error)}"
        ) from error
    if not callable(found):
        raise FederationError(f"module: {shorten(named)} must be a function; it is a {type(found).__name__}")
    factory: Callable[[], Module] = found
    return factory


@contextmanager
def _seeded(seed: int, threads: int) -> Iterator[None]:
    """Draw from a seed, on so many threads; afterwards both are as they were."""
    torch = import_torch()
    drawn, before = torch.default_generator.get_state(), torch.get_num_threads()
    torch.default_generator.manual_seed(seed)
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        torch.default_generator.set_state(drawn)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TorchModel(Trainable):
    """A module that scores points, one number per class.

    Examples
    --------
    >>> import torch
    >>> model = TorchModel(module=torch.nn.Linear(2, 3), classes=("red", "green", "blue"))
    >>> model.start(None).names
    ('weight', 'bias')
    """

    module: Any
    """A module, a function that makes one, or where to import such a function: ``"package.module:function"``.

    A name is imported, which runs code: it belongs into a site's own settings, never into a message.
    """
    classes: tuple[Label, ...]
    threads: int = 1
    """With one, sums do not depend on the cores that a machine has, and small networks train faster."""
    _own: Weights = field(init=False, repr=False)

    def __post_init__(self) -> None:
        import_torch()
        object.__setattr__(self, "threads", read_whole_number(self.threads, "threads", least=1))
        given = _find_factory(self.module) if isinstance(self.module, str) else self.module
        with _seeded(0, self.threads):
            made = make_module("module", given)
        object.__setattr__(self, "classes", read_model_classes(self.classes))
        object.__setattr__(self, "module", copy.deepcopy(made).cpu())
        object.__setattr__(self, "_own", Weights(read_floats(self.module.state_dict())))

    def start(self, points: NDArray[np.float64] | None) -> Weights:
        """Take what the module holds."""
        return self._own

    def check_points(self, points: NDArray[np.float64]) -> None:
        """Let the module itself say what it cannot take."""

    def descend(
        self,
        weights: Weights,
        points: NDArray[np.float64],
        codes: NDArray[np.intp],
        steps: Iterator[Step],
        learning_rate: float,
        seed: int,
    ) -> dict[str, NDArray[np.floating]]:
        """Take steps of SGD on a copy of the module, in training mode."""
        torch, module = import_torch(), load_weights(self, weights).train()
        x, true = _to_tensor(points, module), torch.as_tensor(codes, dtype=torch.int64)
        moving = [part for part in module.parameters() if part.requires_grad]
        with _seeded(seed, self.threads), _explained(module), torch.enable_grad():
            for step in steps:
                at = step if isinstance(step, slice) else torch.as_tensor(step)
                scores = _check_scores(module(x[at]), self.classes, module)
                loss = torch.nn.functional.cross_entropy(scores, true[at])
                slopes = torch.autograd.grad(loss, moving, allow_unused=True)
                with torch.no_grad():
                    for part, slope in zip(moving, slopes, strict=True):
                        if slope is not None:
                            part -= learning_rate * slope
        return read_floats(module.state_dict())

    def score(self, weights: Weights, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Ask a copy of the module, in evaluation mode."""
        torch, module = import_torch(), load_weights(self, weights).eval()
        x = _to_tensor(points, module)
        with _seeded(0, self.threads), _explained(module), torch.inference_mode():
            parts = [
                _check_scores(module(x[at : at + _BATCH]), self.classes, module) for at in range(0, len(x), _BATCH)
            ]
            scores: NDArray[np.float64] = torch.cat(parts).double().numpy()
        return scores

    def penalty(self, weights: Weights) -> float:
        """Nothing."""
        return 0.0


def read_floats(state: Mapping[str, Any]) -> dict[str, NDArray[np.floating]]:
    """Floating numbers of a module's state."""
    torch, arrays = import_torch(), {}
    for name, tensor in state.items():
        if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
            if tensor.dtype not in (torch.float32, torch.float64):
                raise FederationError(
                    f"module must hold float32 or float64; {name!r} is {tensor.dtype}; use module.float()"
                )
            arrays[name] = tensor.detach().cpu().numpy().copy()
    if not arrays:
        raise FederationError("module must have weights to train; it has none")
    return arrays


def load_weights(model: TorchModel, weights: Weights) -> Module:
    """Put weights into a copy of the module.

    Examples
    --------
    >>> import torch
    >>> model = TorchModel(module=torch.nn.Linear(1, 2), classes=(0, 1))
    >>> module = load_weights(model, model.start(None).replace({"bias": np.zeros(2, np.float32)}))
    >>> module.bias.tolist()
    [0.0, 0.0]
    """
    torch = import_torch()
    module: Module = copy.deepcopy(model.module)
    difference = weights.difference(model.start(None))
    if difference is not None:
        raise FederationError(f"weights must be those of {type(module).__name__}: {difference}")
    module.load_state_dict({name: torch.tensor(array) for name, array in weights.arrays.items()}, strict=False)
    return module


def save_weights(model: TorchModel, weights: Weights, file: str | PathLike[str]) -> Path:
    """Write a ``.safetensors`` file that :func:`from_torch` takes with the same module."""
    path = Path(file)
    if path.suffix.lower() != SAFE:
        raise FederationError(f"file must end in {SAFE}; it is {shorten(str(path))}")
    module = load_weights(model, weights)
    try:
        from safetensors import SafetensorError
        from safetensors.torch import save_file
    except ImportError as error:
        raise MissingExtraError(f"a {SAFE} file", extra="torch") from error
    state = {name: tensor.detach().clone().contiguous() for name, tensor in module.state_dict().items()}
    try:
        save_file(state, path)
    except (OSError, SafetensorError) as error:
        raise FederationError(f"{path}: the weights cannot be written: {first_line(error)}") from None
    return path


def _to_tensor(points: NDArray[np.float64], module: Module) -> Any:
    torch = import_torch()
    kinds = [one.dtype for one in module.parameters() if one.is_floating_point()]
    return torch.as_tensor(points, dtype=kinds[0] if kinds else torch.float32)


def _check_scores(scores: Any, classes: tuple[Label, ...], module: Module) -> Any:
    shape = tuple(getattr(scores, "shape", ()))
    if len(shape) != 2 or shape[1] != len(classes):
        raise FederationError(
            f"module must give {len(classes)} scores per point, one per class; {type(module).__name__} gives "
            f"{f'the shape {shape}' if shape else f'a {type(scores).__name__}'}"
        )
    return scores


@contextmanager
def _explained(module: Module) -> Iterator[None]:
    """Say what a module refuses in one line."""
    try:
        yield
    except FederationError:
        raise
    except _REFUSALS as error:
        raise FederationError(
            f"module cannot take these points; {type(module).__name__} says: {first_line(error)}"
        ) from error
