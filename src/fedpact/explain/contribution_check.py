"""A check of a contribution in words: what was found, in which pairs, and how much such a check can see."""

from __future__ import annotations

from typing import Any

from fedpact.explain.explanation import Explanation, Mark
from fedpact.explain.generic import explain_as, make_table
from fedpact.explain.words import words_of
from fedpact.mechanism.sample_checks.result import CheckedPair, ContributionCheck

_WORDS = words_of("contribution-check")
_NUMBERS = ("reported", "allowed", "observed", "p_value", "adjusted")
_COLUMNS = ", ".join(["first", "second", *(f"{key} number" for key in _NUMBERS), "is_suspicious"])


def _list_pair(pair: CheckedPair) -> tuple[Any, ...]:
    return (
        *pair.pair,
        f"{pair.reported:.3g}",
        _WORDS.say("exact" if pair.low == pair.high else "range", low=pair.low, high=pair.high),
        f"{pair.observed / pair.m:.3g}" if pair.m else None,
        f"{pair.p_value:.2g}",
        f"{pair.adjusted:.2g}",
        Mark(_WORDS.say("suspicious"), "bad") if pair.is_suspicious else None,
    )


def explain_contribution_check(seen: ContributionCheck) -> Explanation:
    """Explain a check of a contribution."""
    site = _WORDS.say("nameless") if seen.site is None else seen.site
    key = "blind" if seen.detectable is None else "sees"
    power = _WORDS.say(key, false_alarm=seen.false_alarm, detectable=seen.detectable, power=seen.power)
    table = make_table(_WORDS, "pairs", _COLUMNS, map(_list_pair, seen.pairs))
    return explain_as(
        seen,
        title=_WORDS.say("title", site=site, m=seen.m, tested=seen.tested),
        sentences=(power,) if seen.counted else (),
        tables=(table,) if seen.pairs else (),
    )
