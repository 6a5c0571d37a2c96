"""Amounts for people: cents where these are exact, else six digits; what is left of a rounding error is nothing.

A column of amounts has one number of decimals. The statements and the ledger keep the numbers as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log10

_TOL = 1e-9
_CENTS = 2
_DIGITS = 6
_PLAIN = 1e15
"""From here on the digits before the point are no longer all known."""


def without_dust(value: float, total: float) -> float:
    """Return an amount, or 0 if it is nothing beside the largest one.

    Examples
    --------
    >>> without_dust(4.44e-16, 12.5), without_dust(0.25, 12.5)
    (0.0, 0.25)
    """
    return 0.0 if abs(value) <= _TOL * abs(total) else value


def _is_cents(value: float, total: float) -> bool:
    return abs(value) < _PLAIN and abs(value - round(value, _CENTS)) <= _TOL * abs(total)


def _decimals_of(value: float, total: float) -> int:
    if value == 0 or _is_cents(value, total):
        return _CENTS
    return max(_CENTS, _DIGITS - 1 - floor(log10(abs(value))))


def count_decimals(values: Iterable[float]) -> int:
    """Count the decimals that a column of amounts is written with.

    Examples
    --------
    >>> count_decimals([15.2, 0.8, 4.44e-16]), count_decimals([15.2, 1 / 3]), count_decimals([1e6 / 3])
    (2, 6, 2)
    """
    listed = list(values)
    total = max(map(abs, listed), default=0.0)
    return max((_decimals_of(without_dust(value, total), total) for value in listed), default=_CENTS)


def plain_amount(value: float, total: float) -> str:
    """Write an amount for a program to read: without dust, in cents where these are exact, else every digit.

    Examples
    --------
    >>> plain_amount(0.1 + 0.2, 0.3), plain_amount(-4e-16, 0.3), plain_amount(1 / 3, 1.0)
    ('0.30', '0.00', '0.3333333333333333')
    """
    shown = without_dust(value, total)
    return f"{shown:.{_CENTS}f}" if _is_cents(shown, total) else repr(value)


def format_money(value: float, decimals: int, total: float) -> str:
    """Write an amount with a true minus sign.

    Examples
    --------
    >>> format_money(1234.5, 2, 1234.5), format_money(-0.125, 3, 2.0), format_money(-4e-16, 2, 2.0)
    ('1,234.50', '−0.125', '0.00')
    """
    shown = without_dust(value, total)
    text = f"{abs(shown):,.{decimals}f}" if abs(shown) < _PLAIN else f"{abs(shown):.{_DIGITS}g}"
    return f"−{text}" if shown < 0 and text.strip("0.,") else text
