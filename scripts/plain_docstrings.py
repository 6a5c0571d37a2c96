"""Docstrings as MkDocs reads them.

References, as in ``:func:`~fedpact.plan` ``, become the names that they end in, and the star of h* becomes one
that does not begin an emphasis. Parameters that share a description get one each: otherwise all would be shown
with the type and the default of the first. Tables under rules of equals signs become Markdown's. Fields
that ``__init__`` fills are shown without the code that does it.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:func|class|meth|mod|attr|data|exc|obj):`(~?)([^`]+)`")
_STAR = re.compile(r"(?<![\w*`])([a-z])\*(?![\w*])")
_SHARED = re.compile(r"^(\w+(?:, \w+)+)\n((?: {4}.+(?:\n|\Z))+)", flags=re.MULTILINE)

_TABLE = re.compile(r"^(=+(?: +=+)+)\n(.+)\n\1\n((?:.+\n)+?)\1$", flags=re.MULTILINE)


def _cells(line: str, places: list[tuple[int, int]]) -> list[str]:
    """Cut a line where the columns begin; the last goes on to its end."""
    ends = [end for _, end in places[:-1]]
    return [line[start:end].strip() for (start, _), end in zip(places, [*ends, None], strict=True)]


def _tabulate(found: re.Match[str]) -> str:
    places = [rule.span() for rule in re.finditer("=+", found[1])]
    rows: list[list[str]] = []
    for line in found[3].splitlines():
        cells = _cells(line, places)
        if rows and not cells[0]:  # the row before goes on
            cells = [f"{first} {more}".strip() for first, more in zip(rows.pop(), cells, strict=True)]
        rows.append(cells)
    lines = [_cells(found[2], places), ["---"] * len(places), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _shorten(found: re.Match[str]) -> str:
    return f"`{found[2].rpartition('.')[2] if found[1] else found[2]}`"


def _split(found: re.Match[str]) -> str:
    return "".join(f"{name}\n{found[2].rstrip()}\n" for name in found[1].split(", "))


def rewrite(text: str) -> str:
    """Rewrite one docstring."""
    text = _TABLE.sub(_tabulate, text)
    return _SHARED.sub(_split, _STAR.sub("\\1\N{ASTERISK OPERATOR}", _ROLE.sub(_shorten, text)))


class PlainDocstrings(griffe.Extension):
    """Rewrites every docstring as it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one object."""
        if isinstance(obj, griffe.Attribute) and obj.annotation is None and "instance-attribute" in obj.labels:
            obj.value = None
        if obj.docstring is not None:
            obj.docstring.value = rewrite(obj.docstring.value)
