"""Collects one row per comparison, prints them as a table and keeps them as JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from machine import say_machine
from results_pages import keep, read

HERE = Path(__file__).parent
KEYS = {"rows": ("what", "competitor"), "plans": ("federation", "program"), "measured": ("what",)}
"""What was kept, and what tells its entries apart."""
Row = dict[str, Any]
_FOUND: dict[str, list[Row]] = {kind: [] for kind in KEYS}


@pytest.fixture
def compare() -> Callable[..., None]:
    """Note what was measured for ours and for the competitor, and insist on the ratio."""

    def note(what: str, *, unit: str, ours: float, competitor: str, theirs: float, at_least: float) -> None:
        ratio = theirs / ours
        row = {"what": what, "unit": unit, "ours": ours, "competitor": competitor, "theirs": theirs}
        _FOUND["rows"].append(row | {"ratio": ratio, "at_least": at_least})
        assert ratio >= at_least, f"{what}: {ratio:.1f} times, at least {at_least} wanted"

    return note


@pytest.fixture
def set_beside() -> Callable[..., None]:
    """Note the plan that a program makes: its seconds, its cost and how many targets it meets."""

    def note(federation: str, *, program: str, seconds: float, cost: float, met: int, targets: int) -> None:
        row = {"federation": federation, "program": program, "seconds": seconds, "cost": cost}
        _FOUND["plans"].append(row | {"met": met, "targets": targets})

    return note


@pytest.fixture
def record() -> Callable[..., None]:
    """Note what was measured without a competitor, and insist on the limit if there is one."""

    def note(what: str, *, unit: str, value: float, at_most: float | None = None) -> None:
        limit = {} if at_most is None else {"at_most": at_most}
        _FOUND["measured"].append({"what": what, "unit": unit, "value": value, **limit})
        if at_most is not None:
            assert value <= at_most, f"{what}: {value:.3g} {unit}, at most {at_most} wanted"

    return note


def _is_whole(session: pytest.Session) -> bool:
    """Whether every benchmark was run, so that nothing measured before is kept."""
    run, options = {item.path for item in session.items}, session.config.option
    is_cut = options.keyword or options.markexpr or any("::" in name for name in session.config.args)
    return run >= set(HERE.glob("bench_*.py")) and not is_cut


def _update(kind: str, before: list[Row]) -> list[Row]:
    """What was measured before, with what was measured anew in its place, so that one file can be run alone."""
    rows = {tuple(row[key] for key in KEYS[kind]): row for row in [*before, *_FOUND[kind]]}
    return list(rows.values())


def _print_found() -> None:
    print("\n")
    for row in _FOUND["rows"]:
        print(
            f"{row['what']}: {row['ours']:.4g} against {row['theirs']:.4g} {row['unit']} ({row['competitor']}), "
            f"ratio {row['ratio']:.3g}, at least {row['at_least']:g}"
        )
    for row in _FOUND["plans"]:
        print(
            f"{row['federation']}, {row['program']}: cost {row['cost']:.5g}, {row['met']} of {row['targets']} "
            f"targets, {row['seconds']:.3g} seconds"
        )
    for row in _FOUND["measured"]:
        limit = f", at most {row['at_most']:g}" if "at_most" in row else ""
        print(f"{row['what']}: {row['value']:.4g} {row['unit']}{limit}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Print what was found, and keep it if all was as wanted."""
    if not any(_FOUND.values()):
        return
    _print_found()
    if exitstatus == 0:
        before = {} if _is_whole(session) else read("benchmarks")
        kept = {kind: _update(kind, before.get(kind, [])) for kind in KEYS}
        keep("benchmarks", {"command": "make bench", "machine": say_machine(), **kept})
