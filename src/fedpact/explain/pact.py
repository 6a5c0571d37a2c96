"""A pact in words: who takes part, on which terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import make_facts, make_table
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.protocol.pact import Pact

_WORDS = words_of("pact")
_FACTS = ("delta", "objective", "guarantee", "confidence", "false_alarm_rate")


def explain_pact(pact: Pact) -> Explanation:
    """Explain a pact."""
    fees = pact.fee or {}
    rows = [
        (agent.name, agent.epsilon, str(agent.cost), agent.capacity, *([fees[agent.name]] if fees else []))
        for agent in pact.agents
    ]
    columns = "agent, epsilon number, cost, capacity count" + (", fee number" if fees else "")
    return Explanation(
        kind=pact.kind,
        title=_WORDS.say("title", name=pact.name),
        headline=_WORDS.say("headline", k=len(pact.agents), method=pact.method, rule=pact.rule),
        facts=make_facts(_WORDS, {key: getattr(pact, key) for key in _FACTS}),
        tables=(make_table(_WORDS, "agents", columns, rows),),
    )
