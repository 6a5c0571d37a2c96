"""Realizability in words: whether a candidate can be right, how wrong the best is, what a teacher promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation, Table
from fedpact.explain.generic import explain_as, make_table, values_of
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.statistics.realizability_result import ErrorRate, Realizability

_WORDS = words_of("realizability")


def _write_row(site: str, error: ErrorRate) -> tuple[str, int, int, float | None, float, float]:
    limits = float(f"{error.low:.3g}"), float(f"{error.high:.3g}")
    return site, error.m, error.mistakes, error.rate, *limits


def _list_sites(seen: Realizability) -> Table:
    columns = "site, m count, mistakes count, rate number, low number, high number"
    rows = [_write_row(site, error) for site, error in seen.errors.items()]
    total = _write_row(_WORDS.say("all"), seen.error) if len(rows) > 1 else None
    return make_table(_WORDS, "sites", columns, rows, total=total)


def _list_sentences(seen: Realizability) -> tuple[str, ...]:
    """Say how far the labels are from what some candidate says, and what stands if the sites label by the best."""
    if seen.best is None:
        return ()
    is_right, error = bool(seen.consistent), seen.error
    limits = [
        _WORDS.say("teacher.limit", site=site, limit=limit) for site, limit in seen.error_with_teacher.items()
    ]
    counts = {"H": len(seen.mistakes), "samples": error.m, "mistakes": error.mistakes, "rate": error.rate or 0.0}
    values = values_of(seen) | counts | {"low": error.low, "high": error.high, "limits": limits}
    excess = "excess.none" if is_right else "excess.some"
    return _WORDS.say_those({"best": True, excess: True, "teacher.promise": not is_right}, **values)


def explain_realizability(seen: Realizability) -> Explanation:
    """Explain what labelled samples say about the candidates."""
    return explain_as(seen, sentences=_list_sentences(seen), tables=(_list_sites(seen),))
