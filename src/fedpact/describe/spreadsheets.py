"""CSV files as people and their spreadsheets write them: commas, semicolons or tabs, any ends of lines.

What others wrote goes into a cell as text that no spreadsheet takes for a formula.

Nothing is guessed about content: a quote that is never closed, or bytes that are not UTF-8, are refused with
the line, since half a file read in silence would lose somebody's work.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedpact.describe.parsing import one_line, read_text
from fedpact.errors import FederationError

_SEPARATORS = ",;\t"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table of texts."""

    head: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    """The line on which each row ends, and its cells, as many as the head has; empty rows are left out."""


def _read(path: Path) -> list[str]:
    try:
        text = read_text(path)
    except FederationError as error:
        is_encoding = "UTF-8" in str(error)
        more = '; in the spreadsheet, save it as "CSV UTF-8"' if is_encoding else ""
        raise FederationError(one_line(f"{path}: {error}{more}")) from None
    return io.StringIO(text, newline=None).readlines()


def read_sheet(path: Path) -> Sheet:
    """Read a CSV file with a first line that names its columns.

    Raises
    ------
    FederationError
        If there is no such file, or it is not CSV in UTF-8.
    """
    lines = _read(path)
    declares = bool(lines) and lines[0].lower().startswith("sep=")
    body = lines[1:] if declares else lines
    separator = max(_SEPARATORS, key=next((line for line in body if line.strip()), "").count)
    reader = csv.reader(body, delimiter=separator, strict=True)
    try:
        listed = [(reader.line_num + declares, cells) for cells in reader]
    except csv.Error as error:
        raise FederationError(one_line(f"{path}, line {reader.line_num + declares}: not CSV: {error}")) from None
    rows = [(line, cells) for line, cells in listed if any(cell.strip() for cell in cells)]
    if not rows:
        raise FederationError(one_line(f"{path}: there is nothing in it; the first line must name the columns"))
    width = len(rows[0][1])
    padded = [(line, [*cells, *[""] * width][:width]) for line, cells in rows]
    head, *others = [(line, tuple(cell.strip() for cell in cells)) for line, cells in padded]
    return Sheet(head=head[1], rows=tuple(others))


def find_column(sheet: Sheet, name: str, path: Path) -> int:
    """Find the one column of a name, however it is capitalised."""
    places = [place for place, title in enumerate(sheet.head) if title.casefold() == name]
    if len(places) != 1:
        found = ", ".join(sheet.head[:10])
        wrong = "is not there" if not places else "is there twice"
        raise FederationError(
            one_line(f"{path}: the first line must name the column {name} once; {name} {wrong}: {found}")
        )
    return places[0]


def defuse(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula; numbers stay as they are.

    Examples
    --------
    >>> defuse("=cmd()"), defuse("-0.5"), defuse("north"), defuse("-1+1")
    ("'=cmd()", '-0.5', 'north', "'-1+1")
    """
    return f"'{text}" if text.startswith(_FORMULA) and not _is_number(text) else text


def is_same_cell(text: str, other: str) -> bool:
    """Whether two cells are of one text, whichever was defused, or of one number: spreadsheets drop zeros.

    Examples
    --------
    >>> is_same_cell("'=x", "=x"), is_same_cell("7", "0007"), is_same_cell("a", "b")
    (True, True, False)
    """
    one, two = text.strip(), other.strip()
    is_one_number = _is_number(one) and _is_number(two) and float(one) == float(two)
    return is_one_number or defuse(one) == defuse(two)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def to_csv(head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> bytes:
    """Write a table with commas, so that any spreadsheet and :func:`read_sheet` read it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue().encode()
