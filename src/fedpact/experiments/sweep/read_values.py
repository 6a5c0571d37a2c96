"""Reading the lists among an experiment's parameters, before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fedpact.describe.numbers import read_chance, read_whole_number
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


def read_span(settings: Settings, key: str) -> tuple[float, float]:
    """Read a list of two probabilities, the lower first.

    Examples
    --------
    >>> read_span({"epsilon": [0.05, "2/5"]}, "epsilon")
    (0.05, 0.4)
    """
    ends = read_each(settings, key, read_chance)
    if len(ends) != 2 or ends[0] > ends[1]:
        raise FederationError(f"{key} must be two numbers, the lower first; it is {settings[key]}")
    return ends[0], ends[1]


def read_size(value: Any, key: str, *, least: int, most: int) -> int:
    """Read a whole number between two ends.

    Examples
    --------
    >>> read_size(3, "agents", least=1, most=4)
    3
    """
    size = read_whole_number(value, key, least=least)
    if size > most:
        raise FederationError(f"{key} must be at most {most:,}; it is {size}")
    return size


def read_ends(settings: Settings, key: str, *, least: int, most: int) -> tuple[int, int]:
    """Read a list of two whole numbers, the fewest and the most.

    Examples
    --------
    >>> read_ends({"agents": [2, 3]}, "agents", least=1, most=4)
    (2, 3)
    """
    ends = read_each(settings, key, lambda value, name: read_size(value, name, least=least, most=most))
    if len(ends) != 2 or ends[0] > ends[1]:
        raise FederationError(f"{key} must be two whole numbers, the fewest first; it is {settings[key]}")
    return ends[0], ends[1]
