"""An audit in words: the largest gains that were found, the misreport that brings the worst, the verdict."""

from __future__ import annotations

from collections.abc import Mapping

from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import explain_as, list_rows, make_facts, make_table, values_of
from fedpact.explain.numbers import join_values
from fedpact.explain.phrases import name_rule
from fedpact.explain.words import words_of
from fedpact.mechanism.audit.result import Audit
from fedpact.mechanism.witness import Witness

_WITNESS = words_of("witness")


def _say_plan(contributions: Mapping[str, int]) -> str:
    return join_values(contributions) or _WITNESS.say("nothing")


def _list_reports(lie: Witness) -> list[str]:
    said = [_WITNESS.say("given", name=name, report=join_values(one)) for name, one in lie.given.items()]
    if lie.deviation == "split":
        names = (_WITNESS.say("as", name=name, report=join_values(one)) for name, one in lie.reports.items())
        return [*said, _WITNESS.say("split", name=lie.agents[0], n=len(lie.reports), reports="; ".join(names))]
    return [*said, *(_WITNESS.say("lie", name=name, report=join_values(one)) for name, one in lie.reports.items())]


def list_witness(lie: Witness) -> list[str]:
    """Say who lies, what that changes and what it brings, one sentence each."""
    before, after = _say_plan(lie.contributions_truthful), _say_plan(lie.contributions_lying)
    lost = tuple(name for name, is_met in lie.met_truthful.items() if is_met and not lie.met_lying[name])
    won = tuple(name for name, is_met in lie.met_lying.items() if is_met and not lie.met_truthful[name])
    known = {"same" if before == after else "moved": True, "lost": bool(lost), "won": bool(won), "gain": True}
    values = values_of(lie) | {"before": before, "after": after, "lost": lost, "won": won, "n": len(lie.agents)}
    return [*_list_reports(lie), *_WITNESS.say_those(known, **values)]


def explain_witness(lie: Witness) -> Explanation:
    """Explain a profitable misreport."""
    keys = ("contributions_truthful", "contributions_lying", "met_truthful", "met_lying")
    return explain_as(
        lie,
        headline=list_witness(lie)[-1],
        sentences=tuple(list_witness(lie)[:-1]),
        tables=(list_rows(lie, _WITNESS, "agent", *keys),),
    )


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
    return explain_as(
        seen,
        title=_WORDS.say("title", name=seen.name, rule=name_rule(seen.rule, seen.pivot)),
        headline=_WORDS.say(f"status.{seen.status}", tried=tried),
        facts=make_facts(_WORDS, {"method": seen.method, "truthful": say_truthful(seen)}),
        sentences=tuple(said),
        tables=(make_table(_WORDS, "scenarios", "scenario, gain number, tried count", rows),),
    )
