"""A profitable misreport in words: who reports what, what that changes, and what it brings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import list_rows, make_facts
from fedpact.explain.numbers import join_values
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fedpact.mechanism.obliviousness.refute_payment import Refutation
    from fedpact.mechanism.witness import Witness

_WORDS = words_of("witness")


def _say_plan(contributions: Mapping[str, int]) -> str:
    return join_values(contributions) or _WORDS.say("nothing")


def _list_reports(lie: Witness) -> list[str]:
    said = [_WORDS.say("given", name=name, report=join_values(one)) for name, one in lie.given.items()]
    if lie.deviation == "split":
        names = (_WORDS.say("as", name=name, report=join_values(one)) for name, one in lie.reports.items())
        return [*said, _WORDS.say("split", name=lie.agents[0], n=len(lie.reports), reports="; ".join(names))]
    return [*said, *(_WORDS.say("lie", name=name, report=join_values(one)) for name, one in lie.reports.items())]


def list_witness(lie: Witness) -> list[str]:
    """Say who lies, what that changes and what it brings, one sentence each."""
    before, after = _say_plan(lie.contributions_truthful), _say_plan(lie.contributions_lying)
    changed = {name for name, is_met in lie.met_lying.items() if is_met != lie.met_truthful[name]}
    lost = tuple(name for name in lie.met_lying if name in changed and lie.met_truthful[name])
    won = tuple(name for name in lie.met_lying if name in changed and lie.met_lying[name])
    return [
        *_list_reports(lie),
        _WORDS.say("same" if before == after else "moved", before=before, after=after),
        *([_WORDS.say("lost", agents=lost)] if lost else []),
        *([_WORDS.say("won", agents=won)] if won else []),
        _WORDS.say(
            "gain",
            agents=lie.agents,
            n=len(lie.agents),
            lying=lie.utility_lying,
            truthful=lie.utility_truthful,
            gain=lie.gain,
        ),
    ]


def explain_witness(lie: Witness) -> Explanation:
    """Explain a profitable misreport."""
    keys = ("contributions_truthful", "contributions_lying", "met_truthful", "met_lying")
    return Explanation(
        kind=lie.kind,
        title=_WORDS.say("title"),
        headline=list_witness(lie)[-1],
        sentences=tuple(list_witness(lie)[:-1]),
        tables=(list_rows(lie, _WORDS, "agent", *keys),),
    )


def explain_refutation(found: Refutation) -> Explanation:
    """Explain why a payment is refuted."""
    paid = {"payment_truthful": found.payment_truthful, "payment_lying": found.payment_lying}
    return replace(
        explain_witness(found.witness),
        kind=found.kind,
        title=_WORDS.say("refuted"),
        facts=make_facts(_WORDS, paid),
    )
