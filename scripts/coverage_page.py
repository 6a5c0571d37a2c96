"""docs/results/test-coverage.md, written from test-coverage.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from results_pages import table

Row = Mapping[str, Any]


def write_page(found: Row) -> str:
    """Write what was measured as a page."""
    return f"""# What the tests run

Made by `make coverage` (`scripts/measure_coverage.py`, coverage {found["coverage"]}, Python {found["python"]}).
A branch is one of the ways in which the code can go on where there are several; `make coverage` fails if the
tests take less than {found["limit"]:.0%} of the branches of a layer. Nothing is left out but imports for the type
checker; compiled loops count where tests run them as the Python that they are written in.

{write_table(found["layers"])}

## Branches that no test takes, from line to line

{write_missed(found["layers"])}
"""


def write_table(rows: Sequence[Row]) -> str:
    """Write a line for each layer."""
    return table(("layer", "files", "lines", "run", "branches", "taken"), map(write_row, rows), 1)


def write_row(row: Row) -> list[Any]:
    """Write the counts of a layer and their shares."""
    lines, branches = row["lines_run"] / row["lines"], branch_share(row)
    return [row["layer"], row["files"], row["lines"], f"{lines:.2%}", row["branches"], f"{branches:.2%}"]


def write_missed(rows: Sequence[Row]) -> str:
    """Write a line for each file with branches that are not taken; one to a line below 0 leaves its function."""
    files = [(name, file["branches"]) for row in rows for name, file in row["missed"].items() if file["branches"]]
    lines = [f"- `{name}`: {', '.join(write_branch(*one) for one in branches)}" for name, branches in files]
    return "\n".join(lines) or "None."


def write_branch(start: int, end: int) -> str:
    """Write a branch as the lines it leads from and to."""
    return f"{start} to {end}" if end > 0 else f"{start} to the end"


def branch_share(row: Row) -> float:
    """How many of a layer's branches the tests take."""
    return float(row["branches_run"] / row["branches"])
