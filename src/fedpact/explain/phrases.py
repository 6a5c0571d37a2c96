"""Phrases that explanations share: who contributes how much, how a rule is called, why something was refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedpact.coded import Refusal
from fedpact.describe.numbers import shorten
from fedpact.explain.generic import say_refusal
from fedpact.explain.words import words_of
from fedpact.plain import from_plain
from fedpact.statistics.standalone import Shortfall

_RULES = words_of("rule")


def name_rule(rule: str, pivot: str | None = None) -> str:
    """Return what a rule is called.

    Examples
    --------
    >>> name_rule("pwyc"), name_rule("vcg", "clarke")
    ('Pay what you contribute', 'VCG with Clarke pivots')
    """
    title = _RULES.say(f"title.{rule}")
    return _RULES.say("clarke.title", title=title) if pivot == "clarke" else title


def say_rule(rule: str, pivot: str | None = None) -> str:
    """Say what an agent is paid under a rule."""
    meaning = _RULES.say(f"meaning.{rule}")
    return _RULES.say("clarke.meaning", meaning=meaning) if pivot == "clarke" else meaning


_WORDS = words_of("common")
_NAMED = 6


def say_profile(contributions: Mapping[str, int]) -> str:
    """Say who contributes how much, leaving out those who give nothing.

    Examples
    --------
    >>> say_profile({"alice": 2, "bob": 0, "carol": 1}), say_profile({"alice": 0})
    ('alice: 2, carol: 1', 'nobody contributes')
    """
    given = [f"{name}: {count:,}" for name, count in contributions.items() if count]
    more = _WORDS.say("more_profile", n=len(given) - _NAMED) if len(given) > _NAMED else ""
    return ", ".join(given[:_NAMED]) + more if given else _WORDS.say("nobody")


def say_shortfall(name: str, why: Shortfall) -> str:
    """Say why an agent cannot meet its target alone."""
    key = "shortfall.never" if why.need is None else "shortfall.capacity"
    return _WORDS.say(key, name=name, need=why.need, capacity=why.capacity)


def skip_middle(count: int, most: int) -> tuple[list[int], int]:
    """Return the first and the last of so many places, at most ``most``, and how many are left out between them.

    Examples
    --------
    >>> skip_middle(9, 4)
    ([0, 1, 7, 8], 5)
    """
    skipped = max(0, count - most)
    first = most // 2 if skipped else count
    return [*range(first), *range(first + skipped, count)], skipped


_REASONS = words_of("reason")


def _say_without(lost: Mapping[str, Mapping[str, Any]]) -> str:
    said = [
        _REASONS.say("lost", site=site, why=say_reason(one["code"], one["values"])) for site, one in lost.items()
    ]
    return _REASONS.say("without", sites=", ".join(said)) if said else ""


def _say_code(code: str, values: Mapping[str, Any]) -> str:
    said = dict(values)
    if "without" in said:
        said["without"] = _say_without(said["without"])
    if "refusal" in said:
        what = say_refusal(from_plain(Refusal, said["refusal"], "refusal"))
        said["what"] = what[:1].lower() + what[1:].rstrip(".")
    return _REASONS.say("no-plan-detail" if code == "no-plan" and "detail" in said else code, **said)


def say_reason(code: str, values: Mapping[str, Any]) -> str:
    """Say a reason: a clause, which goes on after a colon or stands in brackets.

    A ledger may be a stranger's: of a reason that no run of this version writes, it gives the code and the values.

    Examples
    --------
    >>> say_reason("late", {"seconds": 60.0})
    'no answer within 60 s'
    >>> say_reason("no-plan", {"refusal": {"code": "no-plan", "agents": [], "pair": None}, "without": {}})
    'no plan exists'
    """
    try:
        return _say_code(code, values)
    except (LookupError, TypeError, AttributeError, ValueError):
        return f"{shorten(code)} {shorten(values)}"
