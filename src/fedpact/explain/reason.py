"""Why a message was not accepted, a site was given up, or a run stopped, in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedpact.explain.words import words_of

_WORDS = words_of("reason")


def _say_without(lost: Mapping[str, Mapping[str, Any]]) -> str:
    said = [
        _WORDS.say("lost", site=site, why=say_reason(one["code"], one["values"])) for site, one in lost.items()
    ]
    return _WORDS.say("without", sites=", ".join(said)) if said else ""


def say_refusal(refusal: Mapping[str, Any]) -> str:
    """Say why there is no plan: a clause."""
    agents, values = tuple(refusal["agents"]), refusal.get("values") or {}
    said = words_of("common").say(f"refusal.{refusal['code']}", agents=agents, n=len(agents), **values)
    return said[:1].lower() + said[1:].rstrip(".")


def say_reason(code: str, values: Mapping[str, Any]) -> str:
    """Say a reason: a clause, which goes on after a colon or stands in brackets.

    Examples
    --------
    >>> say_reason("late", {"seconds": 60.0})
    'no answer within 60 s'
    >>> say_reason("no-plan", {"refusal": {"code": "no-plan", "agents": []}, "without": {}})
    'no plan exists'
    """
    said = dict(values)
    if "without" in said:
        said["without"] = _say_without(said["without"])
    if "refusal" in said:
        said["what"] = say_refusal(said["refusal"])
    key = "no-plan-detail" if code == "no-plan" and "detail" in said else code
    return _WORDS.say(key, **said)
