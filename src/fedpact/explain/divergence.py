"""Divergence in words: which two agents' data differ most, and by how much."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from fedpact.explain.explanation import Chart, Explanation
from fedpact.explain.generic import explain_as, list_rows
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.statistics.disagreement import Divergence

_WORDS = words_of("divergence")
_AS_MATRIX = 20
_MOST_PAIRS = 200


def _list_pairs(found: Divergence) -> list[tuple[str, str, float]]:
    """List every two agents with their difference, the largest first."""
    places = combinations(range(len(found.names)), 2)
    pairs = [(found.names[i], found.names[j], float(found.values[i, j])) for i, j in places]
    return sorted(pairs, key=lambda pair: -pair[2])


def _describe(found: Divergence, pairs: list[tuple[str, str, float]]) -> str:
    (first, second, most), (*near, least) = pairs[0], pairs[-1]
    said = [_WORDS.say("chart.description")]
    if found.pair is not None and most > 0:
        h, g = found.pair
        said.append(_WORDS.say("chart.shown_by", value=most, first=first, second=second, h=h, g=g))
    else:
        said.append(_WORDS.say("chart.largest", value=most, first=first, second=second))
    if len(pairs) > 1:
        said.append(_WORDS.say("chart.smallest", value=least, first=near[0], second=near[1]))
    return " ".join(said)


def _chart(found: Divergence) -> Chart:
    """Give the matrix, or for many agents the pairs that differ most."""
    pairs = _list_pairs(found)
    columns: tuple[str, ...] = ("", *found.names)
    rows: list[tuple[Any, ...]] = [
        (name, *row) for name, row in zip(found.names, found.values.tolist(), strict=True)
    ]
    if len(found.names) > _AS_MATRIX:
        columns = (*[_WORDS.say("chart.pair")] * 2, _WORDS.say("chart.difference"))
        rows = [*pairs[:_MOST_PAIRS]]
    return Chart(
        name="divergence",
        title=_WORDS.say("chart.title"),
        description=_describe(found, pairs),
        columns=columns,
        rows=tuple(rows),
    )


def _say_headline(found: Divergence) -> str:
    if len(found.names) == 1:
        return _WORDS.say("headline_one")
    if found.agents is None:
        return _WORDS.say("headline_alike")
    return _WORDS.say("headline", largest=found.largest, first=found.agents[0], second=found.agents[1])


def explain_divergence(found: Divergence) -> Explanation:
    """Explain how much the agents' data differ."""
    has_pairs = len(found.names) > 1
    return explain_as(
        found,
        headline=_say_headline(found),
        sentences=(_WORDS.say("note"),) if has_pairs else (),
        charts=(_chart(found),) if has_pairs else (),
        tables=(list_rows(found, _WORDS),) if has_pairs else (),
    )
