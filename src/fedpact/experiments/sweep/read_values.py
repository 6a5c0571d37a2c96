"""Reading the lists among an experiment's parameters, before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fedpact.errors import FederationError
from fedpact.experiments.sweep.experiment import Settings

Value = TypeVar("Value")


def read_each(settings: Settings, key: str, read: Callable[[Any, str], Value]) -> list[Value]:
    """Read every entry of a list that must not be empty.

    Examples
    --------
    >>> from fedpact.describe.numbers import read_number
    >>> read_each({"epsilon": ["1/8", 0.5]}, "epsilon", read_number)
    [0.125, 0.5]
    """
    if not settings[key]:
        raise FederationError(f"{key} must hold at least one value; it is empty")
    return [read(value, key) for value in settings[key]]
