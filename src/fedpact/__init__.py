"""Who in a federation should label how many samples, at what cost, for what pay, and what if nobody plans.

``fedpact`` implements and corrects "Incentives in Federated Learning with Heterogeneous Agents" (Procaccia,
Shao, Shapira, ICLR 2026).
"""

import ast as _ast
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import Any as _Any


def _read_homes() -> dict[str, str]:
    """Return the module of each public name, as ``__init__.pyi`` imports it."""
    lines = _ast.parse(_Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    found = [line for line in lines if isinstance(line, _ast.ImportFrom)]
    return {alias.name: str(line.module) for line in found for alias in line.names}


_HOMES = _read_homes()
__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> _Any:
    """Import a public name when it is first asked for: all of them at once take most of a second."""
    if name == "__version__":
        value = _import_module("importlib.metadata").version("fedpact")
    elif name in _HOMES:
        home = _import_module(_HOMES[name])
        value = vars(home)[name] if name in vars(home) else _import_module(f"{_HOMES[name]}.{name}")
    else:
        raise AttributeError(f"module 'fedpact' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List what `help` and completion ask for; three parts are large, or raise where an extra is missing."""
    return sorted({*globals(), *__all__} - ({"experiments", "protocol", "web"} - {*globals()}))
