"""PyTorch modules as candidates, and weights from ``.safetensors`` files.

A module is asked in evaluation mode, without gradients, on the device where its parameters are, and left in the
mode it was in. Whole numbers that it returns are labels; other numbers are scores, of which the largest along
the last axis decides, or the sign where there is one per point.

The files that ``torch.save`` writes are pickles: reading one can run any program. They are refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.candidates.batches import Answer, Prepared, Scores, first_line
from fedpact.describe.candidate_list import digest_of
from fedpact.describe.parsing import about, read_bytes
from fedpact.errors import FederationError, MissingExtraError

Module: TypeAlias = Any
"""A ``torch.nn.Module``; torch is imported only where one is used."""

SAFE = ".safetensors"
PICKLES = (".pt", ".pth", ".bin", ".pkl", ".pickle", ".ckpt", ".joblib")


@dataclass(frozen=True, slots=True)
class TorchWeights:
    """A candidate whose architecture is a module, or a function that makes one, and its weights a file."""

    module: Module | Callable[[], Module]
    file: str | PathLike[str]


def refuse_pickle(path: Path) -> None:
    """Refuse a file that could run a program when it is read."""
    if path.suffix.lower() in PICKLES:
        raise FederationError(
            f"{path}: a pickle can run any program when it is read, and is refused; where you trust it, save "
            f'its weights with safetensors.torch.save_file(module.state_dict(), "{path.stem}{SAFE}") and give '
            "fedpact.sites.from_torch the module and that file"
        )


def is_module(candidate: Any) -> bool:
    """Whether something is a PyTorch module; none can exist where torch was never imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(candidate, torch.nn.Module)


def import_torch() -> Any:
    """PyTorch, or the line that installs it."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("a PyTorch candidate", extra="torch") from error
    return torch


def _digest_weights(name: str, module: Module) -> str:
    torch = import_torch()
    parts: list[str | bytes] = []
    for key, tensor in sorted(module.state_dict().items()):
        if not isinstance(tensor, torch.Tensor):
            parts += [key, repr(tensor)]
            continue
        values = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
        parts += [key, f"{tensor.dtype} {tuple(tensor.shape)}", values.numpy().tobytes()]
    return digest_of(*parts) if parts else digest_of(name)


@contextmanager
def _evaluating(module: Module) -> Iterator[None]:
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        with import_torch().inference_mode():
            yield
    finally:
        for part, mode in modes.items():
            part.training = mode


def _to_tensor(points: Any, module: Module) -> Any:
    torch = import_torch()
    tensor = points if isinstance(points, torch.Tensor) else torch.as_tensor(np.array(points))
    like = next(module.parameters(), None)
    if like is None:
        return tensor
    kind = like.dtype if tensor.is_floating_point() and like.is_floating_point() else tensor.dtype
    return tensor.to(device=like.device, dtype=kind)


def _read_output(output: Any, name: str) -> Answer:
    torch = import_torch()
    if not isinstance(output, torch.Tensor):
        raise FederationError(
            f"candidate {name!r} must return one tensor; it returned a {type(output).__name__}; "
            "give a function that picks the scores instead"
        )
    if not output.is_floating_point():
        labels: NDArray[Any] = output.cpu().numpy()
        return labels
    return Scores(output.cpu().double().numpy())


def _ask(name: str, module: Module, state: dict[str, Any], points: Any) -> Answer:
    """Ask a module with other weights in place of its own, which stay as they are."""
    torch = import_torch()
    try:
        with _evaluating(module):
            output = torch.func.functional_call(module, state, (_to_tensor(points, module),))
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise FederationError(
            f"candidate {name!r} cannot predict these points; {type(module).__name__} says: {first_line(error)}"
        ) from error
    return _read_output(output, name)


def read_state(path: Path) -> tuple[dict[str, Any], str]:
    """Tensors of a ``.safetensors`` file, and its digest."""
    refuse_pickle(path)
    if path.suffix.lower() != SAFE:
        raise FederationError(f"{path}: weights must be in a file that ends in {SAFE}")
    import_torch()
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load
    except ImportError as error:
        raise MissingExtraError(f"a {SAFE} file", extra="torch") from error
    with about(path):
        content = read_bytes(path)
    try:
        return load(content), digest_of(content)
    except SafetensorError as error:
        raise FederationError(f"{path}: not a {SAFE} file, or a damaged one: {first_line(error)}") from None


def _make_module(name: str, module: Module | Callable[[], Module]) -> Module:
    """Take a module as it is, or make one."""
    made = module() if callable(module) and not is_module(module) else module
    if not is_module(made):
        raise FederationError(
            f"candidate {name!r}: module must be a torch.nn.Module or a function that makes one; "
            f"it is a {type(made).__name__}"
        )
    return made


def _fit_state(state: dict[str, Any], module: Module, path: Path) -> dict[str, Any]:
    """Weights of a file as the module would hold them."""
    own = module.state_dict()
    for key in sorted({*own, *state}):
        here, there = (tuple(given[key].shape) if key in given else "missing" for given in (own, state))
        if here != there:
            raise FederationError(
                f"{path}: the weights must be those of {type(module).__name__}; {key!r} is {there} in the file "
                f"and {here} in the module"
            )
    return {key: state[key].to(device=value.device, dtype=value.dtype) for key, value in own.items()}


def prepare_module(name: str, module: Module) -> Prepared:
    """Ask a module; its digest is that of its weights."""
    return Prepared(_digest_weights(name, module), lambda points: _ask(name, module, {}, points))


def prepare_weights(name: str, weights: TorchWeights) -> Prepared:
    """Ask a module with the weights of a file; the digest is that of the file."""
    path = Path(weights.file)
    state, digest = read_state(path)
    module = _make_module(name, weights.module)
    fitting = _fit_state(state, module, path)
    return Prepared(digest, lambda points: _ask(name, module, fitting, points))
