"""Numbers as people write them: 0.25, 1, or the string "1/3"."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, TypeAlias, TypeVar

from fedpact.errors import FederationError

_LONGEST = 60

Number: TypeAlias = int | float | str | Fraction
"""A number; a string may hold a fraction, as in "1/3"."""

N = TypeVar("N", int, float)


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
        raise FederationError(f"{field} must be a number or a fraction in a string; it is {shorten(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise FederationError(f"{field} must be a finite number; it is {shorten(value)}")
    return number


def read_whole_number(value: Any, field: str, *, least: int = 0, most: int | None = None) -> int:
    """Read a whole number, 0 or more, or from ``least`` to ``most``.

    Examples
    --------
    >>> read_whole_number(3.0, "capacity")
    3
    """
    number = read_number(value, field)
    if number < 0 or number != int(number):
        raise FederationError(f"{field} must be a whole number >= {least}; it is {shorten(value)}")
    whole = int(value) if isinstance(value, Integral) else int(number)
    if most is not None and not least <= whole <= most:
        raise FederationError(f"{field} must lie between {least} and {most:,}; it is {shorten(value)}")
    return check_at_least(whole, field, least)


_RULES = {
    "[]": "lie between {low:g} and {high:g}",
    "()": "lie strictly between {low:g} and {high:g}",
    "[": "be at least {low:g}",
    "(": "be above {low:g}",
    "]": "be at most {high:g}",
    ")": "be below {high:g}",
}


def read_in(ends: str, low: float, high: float, value: Any, field: str) -> float:
    """Read a number of an interval, whose ends belong to it where the bracket is square.

    Examples
    --------
    >>> read_in("[)", 0, 1, "1/2", "gamma")
    0.5
    >>> read_in("[)", 0, 1, 1, "gamma")
    Traceback (most recent call last):
    fedpact.errors.FederationError: gamma must be below 1; it is 1
    """
    number = read_number(value, field)
    is_low = number < low or (number == low and ends[0] == "(")
    if is_low or number > high or (number == high and ends[1] == ")"):
        rule = _RULES.get(ends) or _RULES[ends[0] if is_low else ends[1]]
        raise FederationError(
            f"{field} must {rule.format(low=low, high=high)}; it is {str(number).removesuffix('.0')}"
        )
    return number


def read_chance(value: Any, field: str) -> float:
    """Read a probability strictly between 0 and 1.

    Examples
    --------
    >>> read_chance("1/20", "delta")
    0.05
    """
    return read_in("()", 0, 1, value, field)


def check_at_least(value: N, field: str, least: int) -> N:
    """Hand a number on unless it is too small, or not a number; it may be infinite.

    Examples
    --------
    >>> check_at_least(float("inf"), "time_limit", 0)
    inf
    >>> check_at_least(0, "max_rounds", 1)
    Traceback (most recent call last):
    fedpact.errors.FederationError: max_rounds must be 1 or more; it is 0
    """
    if not value >= least:
        raise FederationError(f"{field} must be {least} or more; it is {value}")
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
        raise FederationError(f'{field} must be a number or a fraction like "1/3"; it is {shorten(text)}')
    return number
