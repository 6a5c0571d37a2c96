"""A mixed equilibrium in words: what each agent draws, and what nobody gains by doing otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation, Table
from fedpact.explain.generic import list_facts, make_table, say_status
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.game.mixed import MixedEquilibrium

_WORDS = words_of("mixed-equilibrium")


def _list_agents(found: MixedEquilibrium) -> Table:
    rows = []
    for name, mixture in found.strategies.items():
        drawn = ", ".join(_WORDS.say("drawn", count=count, share=share) for count, share in mixture.items())
        expected = found.expected_contributions[name]
        rows.append((name, drawn, expected, found.probability_met[name], found.regret[name]))
    columns = "agent, drawn prose, expected_contributions number, probability_met number, regret number"
    return make_table(_WORDS, "agents", columns, rows)


def explain_mixed_equilibrium(found: MixedEquilibrium) -> Explanation:
    """Explain a mixed equilibrium."""
    worth = tuple(_WORDS.say("worth_of", worth=value, name=name) for name, value in found.worth.items())
    return Explanation(
        kind=found.kind,
        title=_WORDS.say("title_pure" if found.is_pure else "title"),
        headline=say_status(found),
        facts=list_facts(found, _WORDS),
        sentences=(_WORDS.say("worth", worth=worth),),
        tables=(_list_agents(found),),
    )
