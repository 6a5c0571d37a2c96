"""Why a message was not accepted, a site was given up, or a run stopped, in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedpact.describe.numbers import shorten
from fedpact.explain.generic import say_refusal
from fedpact.explain.words import words_of
from fedpact.plain import from_plain
from fedpact.refusal import Refusal

_WORDS = words_of("reason")


def _say_without(lost: Mapping[str, Mapping[str, Any]]) -> str:
    said = [
        _WORDS.say("lost", site=site, why=say_reason(one["code"], one["values"])) for site, one in lost.items()
    ]
    return _WORDS.say("without", sites=", ".join(said)) if said else ""


def _say(code: str, values: Mapping[str, Any]) -> str:
    said = dict(values)
    if "without" in said:
        said["without"] = _say_without(said["without"])
    if "refusal" in said:
        what = say_refusal(from_plain(Refusal, said["refusal"], "refusal"))
        said["what"] = what[:1].lower() + what[1:].rstrip(".")
    return _WORDS.say("no-plan-detail" if code == "no-plan" and "detail" in said else code, **said)


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
        return _say(code, values)
    except (LookupError, TypeError, AttributeError, ValueError):
        return f"{shorten(code)} {shorten(values)}"
