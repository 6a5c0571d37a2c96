"""What is measured is kept as a JSON under docs/results, with a page that is written from nothing else.

This is for all pages but those of experiments, which ``make reproduce NAME=...`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent.parent / "docs" / "results"
WRITERS = {
    "benchmarks": "benchmarks_page",
    "faults": "simulation.page",
    "fuzz": "fuzz.page",
    "ladder": "ladder_page",
    "release": "release_page",
    "soak": "simulation.soak.page",
    "test-coverage": "coverage_page",
}
"""The module of each page, with its ``write_page(JSON)``; imported when it is needed."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]], left: int) -> str:
    """Write a table in Markdown, the first columns to the left and the others to the right."""
    rule = [":--"] * left + ["--:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (head, rule, *rows))


def write_page(name: str, found: Mapping[str, Any]) -> str:
    """Write the page of a JSON."""
    return str(import_module(WRITERS[name]).write_page(found))


def read(name: str) -> dict[str, Any]:
    """Read what was kept; empty if nothing was."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def keep(name: str, found: Mapping[str, Any]) -> None:
    """Write the JSON, and its page if it has one of its own."""
    text = json.dumps(found, indent=2, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
    if name in WRITERS:
        (RESULTS / f"{name}.md").write_text(write_page(name, found), encoding="utf-8")
