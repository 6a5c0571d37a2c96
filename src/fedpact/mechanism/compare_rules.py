"""``compare_rules``: payment rules side by side, what they cost and what an audit finds against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedpact.describe.federation import Federation
from fedpact.errors import FedpactError
from fedpact.mechanism.audit import audit, read_budget
from fedpact.mechanism.audit_result import Audit
from fedpact.mechanism.payments import VCG
from fedpact.mechanism.result import Settlement
from fedpact.mechanism.settle import settle
from fedpact.planning.plan import plan
from fedpact.planning.result import Plan

REPORTS = 200
COMPARED = (
    ("pwyc", "none"),
    ("vcg", "none"),
    ("vcg", "clarke"),
    ("vcg-verified", "none"),
    ("vcg-verified", "clarke"),
    ("threshold", "none"),
    ("none", "none"),
    ("equal-split", "none"),
    ("proportional", "none"),
)
"""Rules and pivots, in the order of the table."""
_EXACT_SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """One rule: what it pays and what was found against it, or why it cannot be applied."""

    rule: str
    pivot: str | None
    settlement: Settlement | None
    audit: Audit | None
    refused: str | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "rule": self.rule,
            "pivot": self.pivot,
            "settlement": None if self.settlement is None else self.settlement.to_dict(),
            "audit": None if self.audit is None else self.audit.to_dict(),
            "refused": self.refused,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> RuleRow:
        """Read what :meth:`to_dict` wrote."""
        return cls(
            rule=entry["rule"],
            pivot=entry["pivot"],
            settlement=None if entry["settlement"] is None else Settlement.from_dict(entry["settlement"]),
            audit=None if entry["audit"] is None else Audit.from_dict(entry["audit"]),
            refused=entry["refused"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleComparison:
    """Payment rules side by side."""

    rows: tuple[RuleRow, ...]
    method: str
    """Planner of the rules that do not need the optimum."""

    def row(self, rule: str, pivot: str | None = None) -> RuleRow:
        """Return the first row of a rule, or that with a given pivot."""
        return next(row for row in self.rows if row.rule == rule and pivot in (None, row.pivot))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {"rules": [row.to_dict() for row in self.rows], "method": self.method}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> RuleComparison:
        """Read what :meth:`to_dict` wrote."""
        return cls(rows=tuple(RuleRow.from_dict(row) for row in entry["rules"]), method=entry["method"])


def compare_rules(
    fed: Federation,
    *,
    method: str = "lp",
    reports: int = REPORTS,
    ceiling: Any = None,
    worth: Any = None,
    time_limit: float | None = None,
    rng: np.random.Generator | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RuleComparison:
    """Settle by every rule, audit every rule, and set them side by side.

    Parameters
    ----------
    fed
        The federation.
    method
        How the mechanisms plan, but for the VCG rules, which need the optimum, and "threshold", which plans by
        itself.
    reports, worth, rng
        As for :func:`fedpact.audit`, for every rule.
    ceiling
        The most that a sample may cost, for "threshold".
    time_limit
        Seconds for the audit of every rule.
    progress
        Called with the number of rules done and their total.

    Examples
    --------
    >>> from fedpact.describe.examples import pwyc_not_dominant
    >>> table = compare_rules(pwyc_not_dominant("1/20"), reports=60, ceiling=1)
    >>> [round(table.row(rule).audit.gain, 3) for rule in ("pwyc", "vcg", "vcg-verified")]
    [0.0, 0.15, 0.0]
    """
    read_budget(reports)
    found = {"vcg": plan(fed, "exact", time_limit=_EXACT_SECONDS), "other": plan(fed, method)}
    rows = []
    for number, (rule, pivot) in enumerate(COMPARED):
        is_vcg = rule in VCG
        terms = {"pivot": pivot} if is_vcg else {"ceiling": ceiling} if rule == "threshold" else {}
        kept = found["vcg" if is_vcg else "other"]
        options = {"reports": reports, "time_limit": time_limit, "rng": rng, "worth": worth}
        if not is_vcg and rule != "threshold":
            options["method"] = method
        rows.append(_make_row(fed, kept, rule, terms, options))
        if progress is not None:
            progress(number + 1, len(COMPARED))
    return RuleComparison(rows=tuple(rows), method=method)


def _make_row(fed: Federation, found: Plan, rule: str, terms: dict[str, Any], options: dict[str, Any]) -> RuleRow:
    pivot = terms.get("pivot")
    try:
        bill = settle(fed, found, rule, worth=options["worth"], **terms)
        seen = audit(fed, rule, **terms, **options)
    except FedpactError as error:
        return RuleRow(rule=rule, pivot=pivot, settlement=None, audit=None, refused=str(error))
    return RuleRow(rule=rule, pivot=pivot, settlement=bill, audit=seen, refused=None)
