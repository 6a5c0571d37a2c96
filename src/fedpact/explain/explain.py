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

_MODULES = {
    "audit": "audit witness",
    "comparison": "comparison",
    "contribution_check": "contribution-check",
    "divergence": "divergence",
    "documents": "labelling pact report",
    "dynamics": "dynamics",
    "equilibria": "equilibria mixed-equilibrium",
    "federation": "federation file-check summary",
    "frontier": "frontier",
    "keys": "key-set keys-check",
    "ledger": "books-check ledger-check",
    "plan": "plan shadow-prices",
    "realizability": "realizability",
    "rule_comparison": "rule-comparison",
    "run": "run-outcome",
    "settlement": "settlement",
    "share": "share",
    "statement": "statement",
    "verification": "verification",
}
"""Modules -> the kinds that say more than their fields do, each by its ``explain_KIND``."""
_OWN = {kind: module for module, kinds in _MODULES.items() for kind in kinds.split()}


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
