"""Shadow prices in words: whose target costs how much at the margin, and what certainty costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedpact.explain.explanation import Explanation, Table
from fedpact.explain.generic import make_table
from fedpact.explain.words import words_of

if TYPE_CHECKING:
    from fedpact.planning.shadow_prices import ShadowPrices

_WORDS = words_of("shadow-prices")


def _list_agents(prices: ShadowPrices) -> Table:
    """List whose target costs something, the largest share first."""
    priced = [(name, price) for name, price in prices.epsilon.items() if price.rate > 0 or price.share > 0]
    steps = ("rate",) if prices.objective == "expected" else ("next_epsilon", "saving")
    columns = ", ".join(["agent", "epsilon number", "share share", *(f"{step} number" for step in steps)])
    rows = [
        (name, price.epsilon, price.share, *(getattr(price, step) for step in steps))
        for name, price in sorted(priced, key=lambda entry: -entry[1].share)
    ]
    return make_table(_WORDS, "agents", columns, rows)


def explain_shadow_prices(prices: ShadowPrices) -> Explanation:
    """Explain shadow prices."""
    table, said = _list_agents(prices), []
    free = sum(price.rate == 0 for price in prices.epsilon.values())
    if free:
        said.append(_WORDS.say("free", free=free, k=len(prices.epsilon)))
    if prices.halving_delta:
        said.append(words_of("plan").say("answers.certainty", more=prices.halving_delta))
    return Explanation(
        kind=prices.kind,
        title=_WORDS.say("title", name=prices.name),
        headline=_WORDS.say("headline" if table.rows else "headline_nothing", cost=prices.fractional_cost),
        sentences=tuple(said),
        tables=(table,) if table.rows else (),
    )
