"""How often each candidate was wrong, as ``.csv``: ``candidate,mistakes``, a line for each."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import fedpact as fp
from fedpact.describe.numbers import read_whole_number, shorten
from fedpact.describe.parsing import about, read_text

_HEADER = ["candidate", "mistakes"]


def _read_row(row: list[str], line: int) -> tuple[str, int]:
    if len(row) != len(_HEADER) or not row[0].strip():
        raise fp.FederationError(
            f"line {line} must be a candidate and its mistakes; it is {shorten(','.join(row))}"
        )
    return row[0].strip(), read_whole_number(row[1].strip(), f"line {line}: mistakes of {row[0].strip()!r}")


def read_mistake_file(path: Path) -> dict[str, int]:
    """Read the mistakes of every candidate by its name."""
    with about(path):
        lines = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
        try:
            header = [cell.strip() for cell in next(lines, [])]
            if header != _HEADER:
                raise fp.FederationError(f"line 1 must be {','.join(_HEADER)}; it is {shorten(','.join(header))}")
            rows = [_read_row(row, lines.line_num) for row in lines if row]
        except csv.Error as error:
            raise fp.FederationError(f"line {lines.line_num}: not valid CSV: {error}") from None
        found = dict(rows)
        if len(found) < len(rows) or not rows:
            raise fp.FederationError("every candidate must have a line, and only one")
        return found
