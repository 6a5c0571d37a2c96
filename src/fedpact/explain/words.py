"""The words of each kind of result, from ``words/KIND.toml``, filled in.

A text names its values in braces, and how they are written::

    {cost}              a number to six digits, names as a list, a dash for nothing
    {samples:#sample}   a count with its noun: "1 sample", "2,000 samples"; other plurals as "#cover/covers"
    {samples:?is/are}   the first word for one, the second for any other number
    {share:%}           a share in percent
    {ratio:.3f}         as Python formats it

A key with a dot, such as ``status.optimal``, stands in the table ``[status]``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

from fedpact.explain.numbers import count_of, format_number, format_share, join_names


class _Filler(Formatter):
    """Formats the values that texts name."""

    def format_field(self, value: Any, spec: str) -> str:
        """Write a value as its specification says."""
        if spec.startswith("#"):
            return count_of(value, *spec[1:].split("/"))
        if spec.startswith("?"):
            one, many = spec[1:].split("/")
            return one if value == 1 else many
        if spec == "%":
            return format_share(value)
        return format(value, spec) if spec else write(value)


_FILLER = _Filler()


def write(value: Any) -> str:
    """Write a value as people read it.

    Examples
    --------
    >>> [write(value) for value in (True, 1234, 2 / 3, None, ("a", "b"), "x")]
    ['yes', '1,234', '0.666667', '–', 'a and b', 'x']
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return format_number(value)
    if isinstance(value, tuple | list):
        return join_names([write(entry) for entry in value])
    return str(value)


def sentence(text: str) -> str:
    """Begin a text with a capital and end it with a full stop.

    Examples
    --------
    >>> sentence("every target is met"), sentence("")
    ('Every target is met.', '')
    """
    return text[:1].upper() + text[1:] + ("" if not text or text.endswith((".", "!", "?")) else ".")


def _flatten(entry: Mapping[str, Any], before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in entry.items():
        found |= _flatten(value, f"{before}{key}.") if isinstance(value, Mapping) else {f"{before}{key}": value}
    return found


class Words:
    """The texts of one kind of result."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def __contains__(self, key: str) -> bool:
        return key in self.texts

    def say(self, key: str, /, **values: Any) -> str:
        """Fill a text in."""
        return _FILLER.vformat(self.texts[key], (), values)

    def say_those(self, told: Mapping[str, bool], /, **values: Any) -> tuple[str, ...]:
        """Fill in those texts that are to be said, all from the same values."""
        return tuple(self.say(key, **values) for key, is_said in told.items() if is_said)

    def name(self, key: str) -> str:
        """Return what a field is called: as the words say, else its key with spaces."""
        return self.texts.get(f"fields.{key}", key.replace("_", " "))


@cache
def words_of(kind: str) -> Words:
    """Return the words of a kind of result; empty if it has none.

    Examples
    --------
    >>> words_of("plan").say("status.optimal")
    'no cheaper contribution vector meets the targets'
    """
    place = files("fedpact.explain").joinpath("words", f"{kind}.toml")
    return Words(_flatten(tomllib.loads(place.read_text(encoding="utf-8"))) if place.is_file() else {})
