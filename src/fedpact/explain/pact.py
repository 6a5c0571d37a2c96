"""A pact in words: who takes part, on which terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.explain.explanation import Column, Explanation, Fact, Table
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.protocol.pact import Pact

_WORDS = words_of("pact")
_FACTS = ("delta", "objective", "guarantee", "confidence", "false_alarm_rate")


def explain_pact(pact: Pact) -> Explanation:
    """Explain a pact."""
    fees = pact.fee or {}
    rows = [(agent.name, agent.epsilon, str(agent.cost), agent.capacity) for agent in pact.agents]
    kinds = {"agent": "text", "epsilon": "number", "cost": "text", "capacity": "count"} | (
        {"fee": "number"} if fees else {}
    )
    return Explanation(
        kind=pact.kind,
        title=_WORDS.say("title", name=pact.name),
        headline=_WORDS.say("headline", k=len(pact.agents), method=pact.method, rule=pact.rule),
        facts=tuple(Fact(label=_WORDS.name(key), value=getattr(pact, key)) for key in _FACTS),
        tables=(
            Table(
                name="agents",
                columns=tuple(Column(_WORDS.say(f"columns.{key}"), kind) for key, kind in kinds.items()),  # type: ignore[arg-type]
                rows=tuple((*row, *([fees[row[0]]] if fees else [])) for row in rows),
            ),
        ),
    )
