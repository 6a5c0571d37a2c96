"""Payment rules by name: the words of the one table in :mod:`fedpact.mechanism.payment.rules`."""

from __future__ import annotations

from fedpact.explain.words import words_of

_WORDS = words_of("rule")


def name_rule(rule: str, pivot: str | None = None) -> str:
    """Return what a rule is called.

    Examples
    --------
    >>> name_rule("pwyc"), name_rule("vcg", "clarke")
    ('Pay what you contribute', 'VCG with Clarke pivots')
    """
    title = _WORDS.say(f"title.{rule}")
    return _WORDS.say("clarke.title", title=title) if pivot == "clarke" else title


def say_rule(rule: str, pivot: str | None = None) -> str:
    """Say what an agent is paid under a rule."""
    meaning = _WORDS.say(f"meaning.{rule}")
    return _WORDS.say("clarke.meaning", meaning=meaning) if pivot == "clarke" else meaning
