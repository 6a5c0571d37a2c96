"""A selection in words: which candidate each site should use, what is proved of it, and what labels that took."""

from __future__ import annotations

from typing import Any

from fedpact.describe.ties import exceeds
from fedpact.explain.explanation import Chart, Explanation, Mark, Table
from fedpact.explain.generic import explain_as, make_chart, make_facts, make_table, say_status
from fedpact.explain.numbers import format_number
from fedpact.explain.words import words_of
from fedpact.selection.result import Selection

_WORDS = words_of("selection")
_DESCRIBED = 12


def _is_proved(found: Selection, site: str) -> bool:
    return not exceeds(found.certified_epsilon[site], found.epsilon[site])


def _say_epsilon(found: Selection) -> str:
    asked = set(found.epsilon.values())
    return format_number(asked.pop()) if len(asked) == 1 else _WORDS.say("own_epsilon")


def _say_verdict(found: Selection) -> str:
    """Say what is certified, or how far that is."""
    about = "agnostic" if found.assume == "agnostic" else "truth"
    key = {
        "certified": f"{about}-{found.scope}",
        "no-common-candidate": "no-common",
        "assumption-refuted": "refuted",
    }.get(found.status, "not-yet")
    return _WORDS.say(
        f"verdict.{key}",
        epsilon=_say_epsilon(found),
        chosen=next(iter(found.chosen.values())),
        certified=sum(_is_proved(found, site) for site in found.chosen),
        k=len(found.chosen),
    )


def _list_sentences(found: Selection) -> tuple[str, ...]:
    """Say why labelling ended and what to do, which promise it is, and how points were chosen."""
    is_refuted = found.status == "assumption-refuted"
    is_certain = found.assume == "realizable" and found.how == "adaptive" and found.confidence is None
    is_for_all = found.guarantee == "joint" or (found.assume == "noisy" and found.how == "adaptive")
    said = [] if found.status == "certified" else [say_status(found)]
    told = {
        f"next.{found.assume}": is_refuted and found.assume != "agnostic",
        "promise.certain": is_certain and not is_refuted,
        "promise.all": is_for_all and not is_certain and not is_refuted,
        "promise.each": not (is_for_all or is_certain or is_refuted),
        "promise.pools": found.is_sampled and not is_refuted,
        "promise.distributions": found.confidence is not None and not is_refuted,
        "how.implied-free": found.how == "implied-free",
    }
    return (*said, *_WORDS.say_those(told, delta=found.delta, confidence=found.confidence))


def _list_sites(found: Selection) -> Table:
    columns = "site, chosen, proved text, asked_for number, labels count, in_question count"
    rows = [
        (
            site,
            _WORDS.say("none") if found.witness else chosen,
            Mark(format_number(found.certified_epsilon[site]), "good" if _is_proved(found, site) else "bad"),
            found.epsilon[site],
            found.labels_asked[site],
            found.steps[site][-1].in_question if found.steps[site] else None,
        )
        for site, chosen in found.chosen.items()
    ]
    return make_table(_WORDS, "sites", columns, rows)


def _list_witnesses(found: Selection) -> Table:
    rows = [(name, bad.site, bad.better) for name, bad in found.witness.items()]
    return make_table(_WORDS, "witness", "chosen, witness_site, better", rows)


def _chart(found: Selection, name: str, column: str) -> Chart:
    """Give what was proved, or who was in question, at every change: a row for a site and a number of labels."""
    steps = [(site, step) for site, own in found.steps.items() for step in own]
    rows: list[tuple[Any, ...]] = [
        (site, step.labels, step.epsilon if name == "proved" else step.in_question) for site, step in steps
    ]
    of = _WORDS.say("chart.of_site" if found.assume == "agnostic" else "chart.of_all")
    said = [_WORDS.say(f"{name}.description", what=_WORDS.say("chart.best"), of=of)]
    for site in list(found.steps)[:_DESCRIBED]:
        own = [row for row in rows if row[0] == site]
        if own:
            ends = {"first": own[0][2], "last": own[-1][2], "labels": own[-1][1]}
            said.append(_WORDS.say(f"{name}.line", site=site, **ends))
    return make_chart(_WORDS, name, f"site, labels, {column}", rows, said, _WORDS.say(f"{name}.title"))


def explain_selection(found: Selection) -> Explanation:
    """Explain a selection."""
    told = {"labels": found.labels, "cost": found.cost}
    facts = make_facts(_WORDS, told, is_in_headline=True) + make_facts(_WORDS, {"rounds": found.rounds})
    return explain_as(
        found,
        headline=_WORDS.say("headline", verdict=_say_verdict(found), **told),
        facts=facts,
        sentences=_list_sentences(found),
        charts=(_chart(found, "proved", "proved"), _chart(found, "left", "in_question")),
        tables=(_list_sites(found), *([_list_witnesses(found)] if found.witness else [])),
    )
