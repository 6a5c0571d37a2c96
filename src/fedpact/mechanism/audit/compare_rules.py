"""``compare_rules``: payment rules side by side, what they cost and what an audit finds against them.

``settle_rules`` is the half of it that pays for one plan and audits nothing.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

from fedpact.coded import Refusal, refusal_of
from fedpact.describe.any_federation import takes_federation
from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import Number
from fedpact.describe.progress import Progress, count_done
from fedpact.describe.settings import Assumed, PerAgent
from fedpact.errors import FederationError, InfeasibleError, NoPlanFoundError
from fedpact.game.best_response import read_worth
from fedpact.game.game import game_of
from fedpact.mechanism.audit.audit import audit, read_budget, read_seconds
from fedpact.mechanism.audit.result import Audit
from fedpact.mechanism.payment.rule import PlanningRule
from fedpact.mechanism.payment.rules import OWNERS, RULES, VARIANTS, read_terms
from fedpact.mechanism.payment.settle import settle
from fedpact.mechanism.payment.settlement import RuleCode, Settlement
from fedpact.mechanism.payment.vcg import find_optimum_method
from fedpact.planning.methods import PLANNERS
from fedpact.planning.plan import plan
from fedpact.planning.result import Plan
from fedpact.result import Result
from fedpact.statistics.request import ask

N_MISREPORTS = 200
_EXACT_SECONDS = 20.0


class RulesStatus(StrEnum):
    """Whether all rules were looked at, and all misreports tried that were asked for."""

    COMPLETE = "complete"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """One rule: what it pays and what was found against it, or why it cannot be applied."""

    rule: RuleCode
    pivot: str | None
    settlement: Settlement | None = None
    audit: Audit | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleComparison(Assumed, Result):
    """Payment rules side by side."""

    ROWS: ClassVar = "rows"
    DERIVED: ClassVar = ("status",)

    rows: tuple[RuleRow, ...] = field(metadata={"key": "rules"})
    method: str
    """Planner of the rules that do not need the optimum."""
    name: str
    """The federation's."""
    is_complete: bool
    """Whether all rules that there were then were looked at, and all reports tried that were asked for."""

    @property
    def status(self) -> RulesStatus:
        """The same as a code."""
        return RulesStatus.COMPLETE if self.is_complete else RulesStatus.STOPPED

    def row(self, rule: str, pivot: str | None = None) -> RuleRow:
        """Return the first row of a rule, or that with a given pivot."""
        found = [row for row in self.rows if row.rule == rule and pivot in (None, row.pivot)]
        if not found:
            raise FederationError(f"no row is about rule {rule!r} with pivot {pivot!r}")
        return found[0]


def _make_row(
    fed: Federation,
    find_plan: Callable[[bool], Plan],
    rule: str,
    pivot: str | None,
    terms: Mapping[str, Any],
    look: Callable[..., Audit | None],
) -> RuleRow:
    """Settle by a rule and ``look`` at it, with the terms that belong to it; or say why it does not apply."""
    given = {term: value for term, value in {**terms, "pivot": pivot}.items() if rule in OWNERS.get(term, RULES)}
    try:
        found = None if isinstance(RULES[rule], PlanningRule) else find_plan(RULES[rule].needs_optimum)
        bill = settle(fed, found, rule, **given)
        return RuleRow(rule=rule, pivot=pivot, settlement=bill, audit=look(**given))
    except (FederationError, InfeasibleError) as error:
        return RuleRow(rule=rule, pivot=pivot, refusal=refusal_of(error))


def settle_rules(fed: Federation, plan: Plan, *, progress: Progress | None = None, **terms: Any) -> RuleComparison:
    """Settle a plan by every rule, without audits; ``terms`` as for :func:`fedpact.settle`.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> fed = alice_bob()
    >>> found = settle_rules(fed, plan(fed), fee=1)
    >>> {(row.rule, row.pivot): row.settlement.deficit for row in found.rows[:3]}
    {('pwyc', None): 3.0, ('vcg', 'none'): 51.0, ('vcg', 'clarke'): 23.0}
    """
    rows = tuple(
        _make_row(fed, lambda _: plan, rule, pivot, terms, lambda **_: None)
        for rule, pivot in count_done(VARIANTS, progress)
    )
    return RuleComparison(
        rows=rows, method=plan.method, is_complete=True, name=fed.name, assume=plan.assume, noise=plan.noise
    )


@takes_federation
def compare_rules(
    fed: Federation,
    *,
    method: str = "lp",
    n_misreports: int = N_MISREPORTS,
    ceiling: PerAgent[Number] | None = None,
    worth: PerAgent[Number] | None = None,
    teacher: str | None = None,
    time_limit: float | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> RuleComparison:
    """Settle by every rule, audit every rule, and set them side by side.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    method
        How the mechanisms plan, but for the VCG rules, which need the optimum, and "threshold", which plans by
        itself.
    n_misreports, worth, teacher, rng
        As for :func:`fedpact.audit`, for every rule.
    ceiling
        The most that a sample may cost, for "threshold".
    time_limit
        Seconds for the audit of every rule, and for the optimum that some need. An interrupt from the keyboard
        ends the table with the rule under way.
    progress
        Called with the number of rules done and their total.

    Examples
    --------
    >>> from fedpact.describe.examples import pwyc_not_dominant
    >>> table = compare_rules(pwyc_not_dominant("1/20"), n_misreports=10, ceiling=1)
    >>> [round(table.row(rule).audit.gain, 3) for rule in ("pwyc", "vcg", "vcg-verified")]
    [0.0, 0.15, 0.0]
    """
    read_choice(method, "method", PLANNERS)
    read_budget(n_misreports)
    fed = ask(fed, teacher=teacher)
    read_worth(game_of(fed), worth)
    read_terms(fed, OWNERS["ceiling"][0], ceiling=ceiling)
    seconds = read_seconds(time_limit)
    streams = (np.random.default_rng(0) if rng is None else rng).spawn(len(VARIANTS))

    @cache
    def find_plan(needs_optimum: bool) -> Plan:
        if needs_optimum:
            return plan(fed, find_optimum_method(fed), time_limit=min(_EXACT_SECONDS, seconds))
        return plan(fed, method)

    with contextlib.suppress(FederationError, NoPlanFoundError):
        find_plan(False)  # raises where no plan exists at all
    rows: list[RuleRow] = []
    for (rule, pivot), stream in zip(VARIANTS, streams, strict=True):
        start, planner = time.monotonic(), method if RULES[rule].pays_for_any_plan else None
        look = partial(
            audit, fed, rule, method=planner, n_misreports=n_misreports, time_limit=time_limit, rng=stream
        )
        rows.append(_make_row(fed, find_plan, rule, pivot, {"ceiling": ceiling, "worth": worth}, look))
        if progress is not None:
            progress(len(rows), len(VARIANTS))
        seen = rows[-1].audit
        if seen is not None and not seen.is_complete and time.monotonic() - start < seconds:
            break  # interrupted from the keyboard
    audits = [row.audit for row in rows if row.audit is not None]
    is_complete = len(rows) == len(VARIANTS) and all(audit.is_complete for audit in audits)
    return RuleComparison(
        rows=tuple(rows),
        method=method,
        is_complete=is_complete,
        name=fed.name,
        assume=fed.assume,
        noise=fed.noise,
    )
