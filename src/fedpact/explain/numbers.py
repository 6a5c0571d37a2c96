"""Numbers and names as people read them: on pages, terminals and in notebooks alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def format_number(value: float | None) -> str:
    """Six significant digits, thousands apart; a dash for nothing.

    Examples
    --------
    >>> format_number(66.11999999999999), format_number(1234567), format_number(None)
    ('66.12', '1,234,570', '–')
    """
    if value is None:
        return "–"
    text = f"{float(f'{value:.6g}'):,.10f}".rstrip("0").rstrip(".")
    return f"{value:.6g}" if value and text.strip("-0.,") == "" else text


def format_short(value: float) -> str:
    """Write a number as short as a label needs it: three digits, or the whole part.

    Examples
    --------
    >>> format_short(-3.88941), format_short(21.8506), format_short(1234.56), format_short(0)
    ('-3.89', '21.9', '1,235', '0')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else format_number(float(f"{value:.3g}"))


def format_share(share: float) -> str:
    """Write a share in percent, so that nothing looks like all or none of it.

    Examples
    --------
    >>> format_share(0.164), format_share(0.0004), format_share(0.99999), format_share(1.0)
    ('16.4%', 'less than 0.1%', 'more than 99.9%', '100%')
    """
    if 0 < share < 0.001:
        return "less than 0.1%"
    if 0.999 < share < 1:
        return "more than 99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def format_field(value: Any) -> str:
    """Write a value as a field of a form has it, so that reading it gives the same value.

    Examples
    --------
    >>> format_field(1.0), format_field(1 / 3), format_field({"quadratic": [1.0, 0.1]}), format_field(None)
    ('1', '0.3333333333333333', '{"quadratic": [1.0, 0.1]}', '')
    """
    if value is None:
        return ""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return repr(value).removesuffix(".0")


def count_of(number: int, what: str, many: str | None = None) -> str:
    """Say how many there are of something.

    Examples
    --------
    >>> count_of(1, "sample"), count_of(2000, "sample"), count_of(2, "equilibrium", "equilibria")
    ('1 sample', '2,000 samples', '2 equilibria')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {many or what + 's'}"


def join_names(names: list[str] | tuple[str, ...], most: int = 6) -> str:
    """List names as a sentence does; of many, the first and how many more.

    Examples
    --------
    >>> join_names(["a"]), join_names(["a", "b", "c"]), join_names(["a", "b", "c"], most=2)
    ('a', 'a, b and c', 'a, b and 1 more')
    """
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "nobody"


def join_values(values: Mapping[str, float], most: int = 6) -> str:
    """List names with their numbers, without zeros; of many, the largest and how many more.

    Examples
    --------
    >>> join_values({"x1": 0.25, "x2": 0.75, "x3": 0}), join_values({"a": 1, "b": 3, "c": 2}, most=2)
    ('x1 0.25, x2 0.75', 'b 3, c 2 and 1 more')
    """
    there = {name: value for name, value in values.items() if value}
    largest = sorted(there, key=lambda name: -there[name])[:most]
    more = f" and {len(there) - most:,} more" if len(there) > most else ""
    return ", ".join(f"{name} {format_number(there[name])}" for name in there if name in largest) + more
