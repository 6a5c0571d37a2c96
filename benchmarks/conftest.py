"""Collects one row per comparison, prints them as a table and keeps them as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

RESULTS = Path(__file__).parent.parent / "docs" / "results" / "benchmarks.json"
_ROWS: list[dict[str, object]] = []
_MEASURED: list[dict[str, object]] = []


@pytest.fixture
def compare() -> Callable[..., None]:
    """Note what was measured for ours and for the competitor, and insist on the ratio."""

    def note(what: str, *, unit: str, ours: float, competitor: str, theirs: float, at_least: float) -> None:
        ratio = theirs / ours
        _ROWS.append(
            {
                "what": what,
                "unit": unit,
                "ours": ours,
                "competitor": competitor,
                "theirs": theirs,
                "ratio": ratio,
                "at_least": at_least,
            }
        )
        assert ratio >= at_least, f"{what}: {ratio:.1f} times, at least {at_least} wanted"

    return note


@pytest.fixture
def record() -> Callable[..., None]:
    """Note what was measured without a competitor, and insist on the limit if there is one."""

    def note(what: str, *, unit: str, value: float, at_most: float | None = None) -> None:
        limit = {} if at_most is None else {"at_most": at_most}
        _MEASURED.append({"what": what, "unit": unit, "value": value, **limit})
        if at_most is not None:
            assert value <= at_most, f"{what}: {value:.3g} {unit}, at most {at_most} wanted"

    return note


def _update(kind: str, new: list[dict[str, object]]) -> list[dict[str, object]]:
    """What was measured before, with what was measured anew in its place, so that one file can be run alone."""
    before = json.loads(RESULTS.read_text())[kind] if RESULTS.exists() else []
    rows = {(row["what"], row.get("competitor")): row for row in [*before, *new]}
    return list(rows.values())


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if not _ROWS and not _MEASURED:
        return
    print("\n")
    for row in _ROWS:
        print(
            f"{row['what']}: {row['ours']:.4g} against {row['theirs']:.4g} {row['unit']} ({row['competitor']}), "
            f"ratio {row['ratio']:.1f}, at least {row['at_least']:g}"
        )
    for row in _MEASURED:
        limit = f", at most {row['at_most']:g}" if "at_most" in row else ""
        print(f"{row['what']}: {row['value']:.4g} {row['unit']}{limit}")
    if exitstatus == 0:
        machine = {"cores": os.cpu_count(), "python": platform.python_version(), "numpy": np.__version__}
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        rows, measured = _update("rows", _ROWS), _update("measured", _MEASURED)
        content = {"command": "make bench", "machine": machine, "rows": rows, "measured": measured}
        RESULTS.write_text(json.dumps(content, indent=2) + "\n")
