"""Reading an experiment's parameters, numbers and lists of them, before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

from fedpact.describe.numbers import read_chance, read_number, read_whole_number, shorten
from fedpact.errors import FederationError
from fedpact.experiments.sweep.experiment import Settings

Value = TypeVar("Value")
Number = TypeVar("Number", int, float)


def read_positive(value: Any, key: str) -> float:
    """Read a number above 0.

    Examples
    --------
    >>> read_positive("1/100", "learning_rate")
    0.01
    """
    number = read_number(value, key)
    if number <= 0:
        raise FederationError(f"{key} must be above 0; it is {number:g}")
    return number


def read_within(value: Any, key: str, low: float, high: float) -> float:
    """Read a number between two ends, both among them.

    Examples
    --------
    >>> read_within(5, "fee", 0, 10)
    5.0
    """
    number = read_number(value, key)
    if not low <= number <= high:
        raise FederationError(f"{key} must lie between {low:g} and {high:g}; it is {number:g}")
    return number


def read_share(value: Any, key: str) -> float:
    """Read a number between 0 and 1, both among them.

    Examples
    --------
    >>> read_share("1/2", "lambdas")
    0.5
    """
    return read_within(value, key, 0, 1)


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


def read_rising(settings: Settings, key: str, read: Callable[[Any, str], Number]) -> list[Number]:
    """Read a list of numbers, each larger than the one before it.

    Examples
    --------
    >>> read_rising({"lambdas": [0, "1/2"]}, "lambdas", read_share)
    [0.0, 0.5]
    """
    found = read_each(settings, key, read)
    if any(one >= following for one, following in pairwise(found)):
        raise FederationError(
            f"{key} must hold every value once, from the lowest to the highest; it is {shorten(settings[key])}"
        )
    return found


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
