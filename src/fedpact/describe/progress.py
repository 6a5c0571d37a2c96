"""How far long work has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[float, float], None]
"""Called now and then with how much is done and how much there is in all."""
