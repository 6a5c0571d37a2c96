"""Reading an experiment's parameters, numbers and lists of them, before anything is computed.

A number may be written as a fraction in a string: 0.25, 1, or "1/3".
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, TypeVar

import fedpact as fp
from reproduction.experiment import Settings

METHODS = ("auto", "lp", "union", "tree", "exact")
"""The planners of fedpact."""
_LONGEST = 60
Value = TypeVar("Value")
Number = TypeVar("Number", int, float)


def read_number(value: Any, field: str) -> float:
    """Read a finite number; a string may hold a fraction.

    Examples
    --------
    >>> read_number("1/4", "epsilon")
    0.25
    >>> read_number(float("nan"), "epsilon")
    Traceback (most recent call last):
    fedpact.errors.FederationError: epsilon must be a finite number; it is nan
    """
    if isinstance(value, str):
        return _read_string(value, field)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise fp.FederationError(f"{field} must be a number or a fraction in a string; it is {shorten(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise fp.FederationError(f"{field} must be a finite number; it is {shorten(value)}")
    return number


def read_whole_number(value: Any, field: str, *, least: int = 0) -> int:
    """Read a whole number, 0 or more, or at least ``least``.

    Examples
    --------
    >>> read_whole_number(3.0, "capacity")
    3
    """
    number = read_number(value, field)
    if number < 0 or number != int(number):
        raise fp.FederationError(f"{field} must be a whole number >= {least}; it is {shorten(value)}")
    return check_at_least(int(value) if isinstance(value, Integral) else int(number), field, least)


def read_chance(value: Any, field: str) -> float:
    """Read a probability strictly between 0 and 1.

    Examples
    --------
    >>> read_chance("1/20", "delta")
    0.05
    """
    number = read_number(value, field)
    if not 0 < number < 1:
        raise fp.FederationError(f"{field} must lie strictly between 0 and 1; it is {number:g}")
    return number


def check_at_least(value: int, field: str, least: int) -> int:
    """Hand a number on unless it is too small, or not a number; it may be infinite.

    Examples
    --------
    >>> check_at_least(0, "max_rounds", 1)
    Traceback (most recent call last):
    fedpact.errors.FederationError: max_rounds must be 1 or more; it is 0
    """
    if not value >= least:
        raise fp.FederationError(f"{field} must be {least} or more; it is {value}")
    return value


def shorten(value: Any) -> str:
    """``repr`` of a value on one line, cut where it would drown the message.

    Examples
    --------
    >>> shorten(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16...'
    """
    try:
        text = re.sub(r"\s*\n\s*", " ", repr(value))
    except ValueError:  # Python refuses to print an integer of more than 4300 digits
        text = f"a {type(value).__name__} too long to print"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _read_string(text: str, field: str) -> float:
    # A huge exponent ("1e999999999") would make Fraction compute for ever; float settles those first.
    try:
        number = float(Fraction(text)) if "/" in text and len(text) <= _LONGEST else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise fp.FederationError(f'{field} must be a number or a fraction like "1/3"; it is {shorten(text)}')
    return number


def nearest(name: str, known: Iterable[str]) -> str:
    """Suggest the known name that was most likely meant, or list them all."""
    names = list(known)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.4)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(map(shorten, names))}"


def read_choice(value: Any, field: str, allowed: Sequence[str]) -> str:
    """Read one of several words.

    Examples
    --------
    >>> read_choice("lp", "method", ("lp", "union"))
    'lp'
    """
    if value not in list(allowed):
        raise fp.FederationError(f"{field} must be one of {', '.join(allowed)}; it is {shorten(value)}")
    return str(value)


def read_example(value: Any, field: str) -> str:
    """Read the name of an example of the catalogue."""
    fp.examples.build(str(value))
    return str(value)


def read_positive(value: Any, key: str) -> float:
    """Read a number above 0.

    Examples
    --------
    >>> read_positive("1/100", "learning_rate")
    0.01
    """
    number = read_number(value, key)
    if number <= 0:
        raise fp.FederationError(f"{key} must be above 0; it is {number:g}")
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
        raise fp.FederationError(f"{key} must lie between {low:g} and {high:g}; it is {number:g}")
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
    >>> read_each({"epsilon": ["1/8", 0.5]}, "epsilon", read_number)
    [0.125, 0.5]
    """
    if not settings[key]:
        raise fp.FederationError(f"{key} must hold at least one value; it is empty")
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
        raise fp.FederationError(
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
        raise fp.FederationError(f"{key} must be two numbers, the lower first; it is {settings[key]}")
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
        raise fp.FederationError(f"{key} must be at most {most:,}; it is {size}")
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
        raise fp.FederationError(f"{key} must be two whole numbers, the fewest first; it is {settings[key]}")
    return ends[0], ends[1]
