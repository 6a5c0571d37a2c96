"""A table in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: int) -> str:
    """Write a table, the first columns to the left and the others to the right."""
    rule = [":--"] * left + ["--:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (head, rule, *rows))
