"""Divergence in words: which two agents' data differ most, and by how much."""

from __future__ import annotations

from itertools import combinations

from fedpact.explain.explanation import Chart, Explanation
from fedpact.explain.generic import explain_as, list_rows, make_chart
from fedpact.explain.words import words_of
from fedpact.statistics.disagreement import Divergence

_WORDS = words_of("divergence")
_AS_MATRIX = 20
_MOST_PAIRS = 200


def _list_pairs(found: Divergence) -> list[tuple[str, str, float]]:
    """List every two agents with their difference, the largest first."""
    places = combinations(range(len(found.names)), 2)
    pairs = [(found.names[i], found.names[j], float(found.values[i, j])) for i, j in places]
    return sorted(pairs, key=lambda pair: -pair[2])


def _describe(found: Divergence, pairs: list[tuple[str, str, float]]) -> list[str]:
    (first, second, most), (*near, least) = pairs[0], pairs[-1]
    h, g = found.pair or ("", "")
    key = "chart.shown_by" if found.pair is not None and most > 0 else "chart.largest"
    said = [_WORDS.say("chart.description"), _WORDS.say(key, value=most, first=first, second=second, h=h, g=g)]
    if len(pairs) > 1:
        said.append(_WORDS.say("chart.smallest", value=least, first=near[0], second=near[1]))
    return said


def _chart(found: Divergence) -> Chart:
    """Give the matrix, or for many agents the pairs that differ most."""
    pairs = _list_pairs(found)
    if len(found.names) > _AS_MATRIX:
        columns = (*[_WORDS.say("chart.pair")] * 2, _WORDS.say("chart.difference"))
        return make_chart(_WORDS, "divergence", columns, pairs[:_MOST_PAIRS], _describe(found, pairs))
    rows = [(name, *row) for name, row in zip(found.names, found.values.tolist(), strict=True)]
    return make_chart(_WORDS, "divergence", ("", *found.names), rows, _describe(found, pairs))


def explain_divergence(found: Divergence) -> Explanation:
    """Explain how much the agents' data differ."""
    has_pairs, (first, second) = len(found.names) > 1, found.agents or ("", "")
    key = "headline" if found.agents else "headline_alike" if has_pairs else "headline_one"
    return explain_as(
        found,
        headline=_WORDS.say(key, largest=found.largest, first=first, second=second),
        sentences=(_WORDS.say("note"),) if has_pairs else (),
        charts=(_chart(found),) if has_pairs else (),
        tables=(list_rows(found, _WORDS),) if has_pairs else (),
    )
