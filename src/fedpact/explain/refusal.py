"""Why part of a question has no answer, in words."""

from __future__ import annotations

from fedpact.explain.words import words_of
from fedpact.refusal import Refusal


def say_refusal(refusal: Refusal) -> str:
    """Say what stood in the way.

    Examples
    --------
    >>> say_refusal(Refusal(code="capacity", agents=("alice",)))
    'No plan exists: with everybody at capacity alice still misses the target.'
    """
    agents, values = refusal.agents, refusal.values or {}
    return words_of("common").say(f"refusal.{refusal.code}", agents=agents, n=len(agents), **values)
