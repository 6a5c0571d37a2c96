"""Packages that import a public name when it is first asked for: all of them at once take most of a second.

The names stand in the stub beside the package, one import to a line; type checkers read the same lines.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from fedpact.errors import MissingExtraError

_PARTS = ("", "costs", "errors", "game", "mechanism", "planning", "sites", "protocol")
"""Where a public name may be instead of where it was asked for."""
_IN_REPRODUCTION = "in the program reproduction/ of the repository"
_IN_TESTS = "in tests/simulation of the repository: make faults"
_TRAINED = "gone: scikit-learn or Flower trains candidates; fedpact.sites.predict asks what is fitted"
_RENAMED = {
    "is_equilibrium": "fedpact.game.regret(...).is_equilibrium",
    "is_locally_oblivious": "fedpact.mechanism.obliviousness(...).is_oblivious",
    "check_mistakes": "fedpact.check_contribution",
    "candidates": "fedpact.sites",
    "make_report": "fedpact.web.export_html",
    "from_torch": "fedpact.sites.predict with functions that ask modules, or .onnx files",
    "TorchWeights": "fedpact.sites.predict with a function that asks a module, or an .onnx file",
    "experiments": f"{_IN_REPRODUCTION}: make reproduce",
    "load_digit_sites": f"{_IN_REPRODUCTION}: reproduction.data.private_points",
    "load_hospitals": f"{_IN_REPRODUCTION}: reproduction.data.private_points",
    "example_payments": f"{_IN_REPRODUCTION}: make reproduce NAME=errata",
    **dict.fromkeys(("refute_payment", "Refutation"), f"{_IN_REPRODUCTION}: reproduction.refute_payment"),
    **dict.fromkeys(("tradeoff", "Tradeoff", "TradeoffStatus"), f"{_IN_REPRODUCTION}: reproduction.errata.proofs"),
    **dict.fromkeys(("simulate_world", "SimulatedWorld", "Faults", "FailedSeedError"), _IN_TESTS),
    **dict.fromkeys(("training", "train", "train_sites", "TrainedSites"), _TRAINED),
    **dict.fromkeys(("TrainedCandidates", "TrainedModel", "TrainingStatus"), _TRAINED),
}
"""Names that are gone -> what to use instead."""


class LazyModule(ModuleType):
    """A module whose public names are imported when they are first asked for."""

    _homes: dict[str, str]
    _unlisted: frozenset[str]

    def __getattr__(self, name: str) -> Any:
        """Import a public name; of another, say where it is, if it is anywhere."""
        if name not in self._homes:
            where = _RENAMED.get(name) or find_public(name)[0]
            elsewhere = f"; it is {where}" if where else ""
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}{elsewhere}")
        home = import_module(self._homes[name])
        found = vars(home)[name] if name in vars(home) else import_module(f"{home.__name__}.{name}")
        super().__setattr__(name, found)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        """Keep a public name from the file of the same name, which Python sets here when it imports that."""
        is_file = isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}"
        if not (is_file and self._homes.get(name, self.__name__) != self.__name__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        """List what `help` and completion ask for."""
        special = {name for name in vars(self) if name.startswith("__")}
        return sorted(special | {*self._homes} - (self._unlisted - {*vars(self)}))


def find_public(name: str) -> tuple[str, Any]:
    """Return where a public name is, as users write it, and what has it; "" and None if nothing has."""
    package = import_module("fedpact")
    for part in () if name.startswith("_") else _PARTS:
        try:
            module = getattr(package, part) if part else package
        except MissingExtraError:
            continue
        if name in module.__all__:
            return ".".join(filter(None, ("fedpact", part, name))), getattr(module, name)
    return "", None


def offer_names(package: str, *, unlisted: tuple[str, ...] = ()) -> list[str]:
    """Let a package import its public names when they are asked for, and return them.

    Parameters
    ----------
    package
        Its ``__name__``.
    unlisted
        Names that ``dir`` leaves out until they are imported: large ones, and those that may need an extra.
    """
    module = sys.modules[package]
    stub = Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    lines = [line.split() for line in stub.splitlines() if line.startswith("from ")]
    vars(module).update(_homes={words[3]: words[1] for words in lines}, _unlisted=frozenset(unlisted))
    module.__class__ = LazyModule
    return sorted(words[3] for words in lines if not words[3].startswith("_"))
