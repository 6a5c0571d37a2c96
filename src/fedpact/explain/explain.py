"""Explain a result: by the function of its kind, else by its fields."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError
from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import explain_fields
from fedpact.result import Shown, read_result

_OWN = {
    "audit": "audit",
    "books-check": "ledger",
    "comparison": "comparison",
    "contribution-check": "contribution_check",
    "divergence": "divergence",
    "dynamics": "dynamics",
    "equilibria": "equilibria",
    "federation": "federation",
    "file-check": "federation",
    "frontier": "frontier",
    "key-set": "keys",
    "keys-check": "keys",
    "labelling": "labelling",
    "ledger-check": "ledger",
    "mixed-equilibrium": "mixed",
    "pact": "pact",
    "plan": "plan",
    "realizability": "realizability",
    "refutation": "witness",
    "report": "report",
    "rule-comparison": "rule_comparison",
    "run-outcome": "run",
    "settlement": "settlement",
    "shadow-prices": "shadow_prices",
    "share": "share",
    "statement": "statement",
    "summary": "federation",
    "verification": "verification",
    "witness": "witness",
}
"""Kinds that say more than their fields do -> the module whose ``explain_KIND`` says it."""


def explain(result: Any) -> Explanation:
    """Say a result, or its dictionary, in words: headline, facts, sentences, tables, chart data, certificate.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> from fedpact.planning.plan import plan
    >>> explain(plan(alice_bob())).headline
    '2 of 2 agents label 5 samples, for a cost of 5 in all: proved optimal.'
    """
    if isinstance(result, Mapping):
        result = read_result(result)
    if not isinstance(result, Shown):
        raise FederationError(f"a result, or its dictionary, is needed; it is {shorten(result)}")
    module = _OWN.get(result.kind)
    if module is None:
        return explain_fields(result)
    name = f"explain_{result.kind.replace('-', '_')}"
    found: Explanation = getattr(import_module(f"fedpact.explain.{module}"), name)(result)
    return found
