"""What an address asks beside the federation: the method, the order of play, fees, how long to search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import fedpact as fp
from fedpact.explain.numbers import format_field

METHODS = ("auto", "exact", "tree", "union", "lp")
ORDERS = ("round-robin", "random", "simultaneous")
MOST_REPORTS = 2_000
MOST_SECONDS = 240.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked for; without anything in the address, this."""

    method: str = "auto"
    order: str = "round-robin"
    seconds: float = 10.0
    """For each search."""
    fee: float | None = None
    """For the rule "pwyc", what everybody pays for taking part."""
    ceiling: float | None = None
    """For the rule "threshold", the most that a sample may cost."""
    audit: int | None = None
    """Misreports to try on every rule; None if no audit is asked for."""


def _read_choice(known: tuple[str, ...]) -> Callable[[str, str], str]:
    def read(text: str, field: str) -> str:
        if text not in known:
            raise fp.FederationError(f"{field} must be one of {', '.join(known)}; it is {text[:40]!r}")
        return text

    return read


def _read_number(low: float, high: float, *, is_whole: bool = False) -> Callable[[str, str], float]:
    kind: type[float] = int if is_whole else float
    rule = f"a whole number from {low} to {high:,}" if is_whole else f"a number from {low:g} to {high:g}"

    def read(text: str, field: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise fp.FederationError(f"{field} must be {rule}; it is {text[:40]!r}")
        return value

    return read


_READ: Mapping[str, Callable[[str, str], Any]] = {
    "method": _read_choice(METHODS),
    "order": _read_choice(ORDERS),
    "seconds": _read_number(0, MOST_SECONDS),
    "fee": _read_number(-1e12, 1e12),
    "ceiling": _read_number(0, 1e12),
    "audit": _read_number(1, MOST_REPORTS, is_whole=True),
}


def read_options(parameters: Iterable[tuple[str, str]]) -> tuple[Options, dict[str, str]]:
    """Read the options of an address, and say what is wrong with any of them.

    Examples
    --------
    >>> read_options([("method", "lp"), ("seconds", "-1")])[1]
    {'seconds': "seconds must be a number from 0 to 240; it is '-1'"}
    """
    found, problems = Options(), {}
    for field, text in parameters:
        if field not in _READ or not text.strip():
            continue
        try:
            found = replace(found, **{field: _READ[field](text.strip(), field)})
        except fp.FederationError as error:
            problems[field] = str(error)
    return found, problems


def list_options(options: Options) -> list[tuple[str, str]]:
    """Return the options that are not the usual ones, as an address has them."""
    usual = Options()
    given = {field: getattr(options, field) for field in _READ}
    return [
        (field, value if isinstance(value, str) else format_field(value))
        for field, value in given.items()
        if value != getattr(usual, field)
    ]
