"""Explain a result: by ``explain_KIND`` where a module has one, else by its fields."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fedpact.describe.numbers import shorten
from fedpact.errors import FederationError
from fedpact.explain.explanation import Explanation
from fedpact.explain.generic import explain_fields
from fedpact.result import Shown, read_result

_MODULES = {
    "audit": "witness",
    "documents": "labelling pact report",
    "equilibria": "mixed-equilibrium",
    "federation": "file-check summary",
    "keys": "key-set keys-check",
    "ledger": "books-check ledger-check",
    "plan": "shadow-prices",
    "run": "run-outcome",
}
"""Modules -> the kinds that they explain beside the one they are named after."""
_ELSEWHERE = {kind: module for module, kinds in _MODULES.items() for kind in kinds.split()}


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
    name = result.kind.replace("-", "_")
    place = f"fedpact.explain.{_ELSEWHERE.get(result.kind, name)}"
    if find_spec(place) is None:
        return explain_fields(result)
    found: Explanation = getattr(import_module(place), f"explain_{name}")(result)
    return found
