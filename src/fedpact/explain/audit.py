"""An audit in words: the largest gains that were found, the misreport that brings the worst, the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import make_facts, make_table
from fedpact.explain.rule import name_rule
from fedpact.explain.witness import list_witness
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.mechanism.audit.result import Audit

_WORDS = words_of("audit")


def say_truthful(seen: Audit) -> str:
    """Say in which sense truth is known to be a best report, and about what."""
    sense, private = _WORDS.say(f"truthful.{seen.truthful}"), _WORDS.say(f"private.{seen.private}")
    return _WORDS.say("known", sense=sense, private=private)


def gain_of(gain: float, tried: int) -> float | None:
    """Return a gain; None where nothing was tried."""
    return gain if tried or gain else None


def explain_audit(seen: Audit) -> Explanation:
    """Explain an audit."""
    tried = _WORDS.say("tried" if seen.is_complete else "stopped", tried=seen.tried)
    said = [] if seen.witness is None else list_witness(seen.witness)
    if seen.undecided:
        said.append(_WORDS.say("undecided", n=seen.undecided))
    rows = [
        (_WORDS.say(f"scenario.{one.scenario}"), gain_of(one.gain, one.tried), one.tried) for one in seen.findings
    ]
    return Explanation(
        kind=seen.kind,
        title=_WORDS.say("title", name=seen.name, rule=name_rule(seen.rule, seen.pivot)),
        headline=_WORDS.say(f"status.{seen.status}", tried=tried),
        facts=make_facts(_WORDS, {"method": seen.method, "truthful": say_truthful(seen)}),
        sentences=tuple(said),
        tables=(make_table(_WORDS, "scenarios", "scenario, gain number, tried count", rows),),
    )
