"""From a file to one table of plain values: encoding, syntax, nesting, repeated and unknown keys.

Nothing here knows what a federation is; :mod:`fedpact.describe.files` gives the keys their meaning.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from fedpact.describe.names import nearest
from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError, Problems

DEEPEST = 20
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape in JSON that may leave half of a character."""

Values: TypeAlias = dict[str, Any]


def syntax_of(path: Path) -> str:
    """Tell TOML from JSON by the ending of the file's name."""
    syntax = {".toml": "TOML", ".json": "JSON"}.get(path.suffix.lower())
    if syntax is None:
        raise FederationError(f"a federation file must end in .toml or .json; this one ends in {path.suffix!r}")
    return syntax


def has_known_keys(table: Values, known: Collection[str], where: str, problems: Problems) -> bool:
    """Note every key of ``table`` that is not known, with the nearest one that is."""
    unknown = [key for key in table if key not in known]
    for key in unknown:
        problems.add(f"{where}unknown key {shorten(key)} ({nearest(key, known)})")
    return not unknown


def one_line(text: str) -> str:
    r"""Escape what would break a message into lines or garble a terminal.

    Examples
    --------
    >>> print(one_line("two" + chr(10) + "lines"))
    two\nlines
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def parse(path: Path, problems: Problems) -> Values:
    """Read the table that a TOML or JSON file holds; a key given twice is noted, the rest raises at once."""
    syntax, text = syntax_of(path), read_text(path)
    try:
        data = (
            tomllib.loads(text)
            if syntax == "TOML" or not text.strip()
            else json.loads(text, object_pairs_hook=partial(_note_repeats, problems))
        )
        is_deep = _is_deep(data)
        if _HALF.search(text) is not None:
            json.dumps(data, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise FederationError(r"a text holds half of a character (\ud800 to \udfff without its partner)") from None
    except RecursionError:
        is_deep, data = True, {}
    except ValueError as error:
        raise FederationError(f"not valid {syntax}: {error}") from None
    if is_deep:
        raise FederationError(f"nested too deeply; at most {DEEPEST} levels are read")
    if not isinstance(data, dict):
        raise FederationError(f"the top level must be a table of keys and values; it is {shorten(data)}")
    return data


@contextmanager
def about(path: str | PathLike[str]) -> Iterator[None]:
    """Start every problem with the path, on one line."""
    try:
        yield
    except FederationError as error:
        raise FederationError([one_line(f"{path}: {problem}") for problem in error.problems]) from None


def read_bytes(path: Path) -> bytes:
    """Read a file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FederationError("no such file") from None
    except (OSError, ValueError) as error:
        raise FederationError(f"cannot be read: {getattr(error, 'strerror', error)}") from None


def read_text(path: Path) -> str:
    """Read a UTF-8 file."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FederationError(f"not UTF-8 text: {error.reason} at byte {error.start}") from None


def _note_repeats(problems: Problems, pairs: list[tuple[str, Any]]) -> Values:
    table: Values = {}
    for key, value in pairs:
        if key in table:
            problems.add(f"key {shorten(key)} is given twice in one table; keep one of them")
        table[key] = value
    return table


def _is_deep(data: Any, levels: int = DEEPEST) -> bool:
    children = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return any(levels == 1 or _is_deep(child, levels - 1) for child in children)
