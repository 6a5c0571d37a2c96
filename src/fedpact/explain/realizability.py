"""Realizability in words: whether a candidate can be right, how wrong the best is, what a teacher promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation, Table
from fedpact.explain.generic import explain_as, make_table
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


def _say_excess(seen: Realizability) -> str:
    """Say how far the labels are from what some candidate says."""
    return _WORDS.say(
        "excess.none" if seen.consistent else "excess.some",
        consistent=seen.consistent,
        H=len(seen.mistakes),
        samples=seen.error.m,
        best=seen.best,
        mistakes=seen.error.mistakes,
        rate=seen.error.rate or 0.0,
        low=seen.error.low,
        high=seen.error.high,
        confidence=seen.confidence,
        noise=seen.noise,
        p_value=seen.p_value,
    )


def _say_teacher(seen: Realizability) -> str:
    """Say what stands if the sites label by the best candidate."""
    limits = [
        _WORDS.say("teacher.limit", site=site, limit=limit) for site, limit in seen.error_with_teacher.items()
    ]
    return _WORDS.say("teacher.promise", teacher=seen.teacher, limits=limits, confidence=seen.confidence)


def _list_sentences(seen: Realizability) -> list[str]:
    if seen.best is None:
        return []
    said = [_WORDS.say("best", H=len(seen.mistakes), best=seen.best), _say_excess(seen)]
    return said if seen.consistent else [*said, _say_teacher(seen)]


def explain_realizability(seen: Realizability) -> Explanation:
    """Explain what labelled samples say about the candidates."""
    return explain_as(
        seen,
        sentences=tuple(_list_sentences(seen)),
        tables=(_list_sites(seen),),
    )
