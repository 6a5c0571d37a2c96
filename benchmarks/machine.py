"""On what was measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import Any

PEERS = ("numpy", "scipy", "highspy", "numba", "cvxpy", "clarabel", "quantecon", "nashpy", "torch")


def say_machine() -> dict[str, Any]:
    """Number of processors and versions of everything that is compared."""
    peers = {name: version(name) for name in PEERS}
    return {"cores": os.cpu_count(), "python": platform.python_version(), **peers}
