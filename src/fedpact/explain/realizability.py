"""Realizability in words: whether a candidate can be right, how wrong the best is, what a teacher promises."""

from __future__ import annotations

from typing import Any

from fedpact.explain.explanation import Explanation, Mark, Table
from fedpact.explain.generic import explain_as, make_table, values_of
from fedpact.explain.words import words_of
from fedpact.statistics.realizability_result import ErrorRate, Realizability, SiteTarget

_WORDS = words_of("realizability")
_MOODS = {"within": "good", "above": "bad", "unsettled": "so-so"}


def _write_row(site: str, error: ErrorRate) -> tuple[str, int, int, float | None, float, float]:
    limits = float(f"{error.low:.3g}"), float(f"{error.high:.3g}")
    return site, error.m, error.mistakes, error.rate, *limits


_COLUMNS = "site, m count, mistakes count, rate number, low number, high number"


def _write_target(site: str, target: SiteTarget) -> tuple[Any, ...]:
    verdict = Mark(_WORDS.say(f"verdict.{target.verdict}"), _MOODS[target.verdict])  # type: ignore[arg-type]
    return *_write_row(site, target.error), target.epsilon, verdict, target.more or None


def _list_sites(seen: Realizability) -> Table:
    if seen.targets is not None and seen.chosen is not None:
        held = [_write_target(site, target) for site, target in seen.targets.items()]
        columns = f"{_COLUMNS}, epsilon number, target, more count"
        return make_table(_WORDS, "sites", columns, held, title=_WORDS.say("target.title", chosen=seen.chosen))
    rows = [_write_row(site, error) for site, error in seen.errors.items()]
    total = _write_row(_WORDS.say("all"), seen.error) if len(rows) > 1 else None
    return make_table(_WORDS, "sites", _COLUMNS, rows, total=total)


def _say_targets(seen: Realizability) -> tuple[str, ...]:
    """Say where the error of the chosen candidate is above epsilon, and what would settle it elsewhere."""
    if seen.targets is None or seen.chosen is None:
        return ()
    is_open = {site: one for site, one in seen.targets.items() if one.verdict == "unsettled"}
    sites = {
        "above": [site for site, one in seen.targets.items() if one.verdict == "above"],
        "more": [site for site, one in is_open.items() if one.more is not None],
        "endless": [site for site, one in is_open.items() if one.more is None and one.error.m],
        "unseen": [site for site, one in is_open.items() if not one.error.m],
    }
    needs = [_WORDS.say("target.need", site=site, more=is_open[site].more) for site in sites["more"]]
    return (
        _WORDS.say("target.what", chosen=seen.chosen),
        *(_WORDS.say(f"target.{key}", sites=who, needs=needs, n=len(who)) for key, who in sites.items() if who),
    )


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
    first = _WORDS.say_those({"best": True, excess: True}, **values)
    return *first, *_say_targets(seen), *_WORDS.say_those({"teacher.promise": not is_right}, **values)


def explain_realizability(seen: Realizability) -> Explanation:
    """Explain what labelled samples say about the candidates."""
    return explain_as(seen, sentences=_list_sentences(seen), tables=(_list_sites(seen),))
