"""What a payment rule is: how it pays an agent, what it needs, and in which sense truth is a best report.

*Ex post*: truth is a best report if the others' are true. *Dominant*: whatever they are. Where data are private
the costs are known, and the other way round. A rule is a class in a file of its own, and one line in the table in
:mod:`fedpact.mechanism.payment.rules`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Linear
from fedpact.describe.federation import Federation
from fedpact.errors import RuleError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Terms:
    """A payment rule and what the operator announces with it, before any report is taken."""

    rule: str
    fee: NDArray[np.float64]
    """(k,) what each agent pays for taking part, under ``pwyc``; negative is a subsidy."""
    cost_recovery: float
    """Share of what the others need without an agent that all fees ask for, under ``pwyc``."""
    min_standalone: NDArray[np.int64] | None
    """(k,) samples that each agent is publicly known to need alone at the least; they bound its fee."""
    pivot: str
    """ "none" or "clarke", for the VCG rules."""
    ceiling: NDArray[np.float64] | None
    """(k,) the most that a sample of each agent may cost, under ``threshold``; None if nothing was declared."""

    @property
    def has_fees(self) -> bool:
        """Whether anybody is charged."""
        return bool(self.fee.any()) or self.cost_recovery > 0

    def of(self, owners: NDArray[np.intp]) -> Terms:
        """Terms of a federation in whose places these agents stand, one perhaps under two names."""
        terms: dict[str, Any] = {own.name: getattr(self, own.name) for own in fields(self)}
        by_agent = {name: term[owners] for name, term in terms.items() if isinstance(term, np.ndarray)}
        return Terms(**terms | by_agent)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """A federation as reported, the contributions made from it, and whose target was met in truth."""

    fed: Federation
    """As the plan saw it: at its confidence, with its teacher."""
    m: NDArray[np.int64]
    """(k,)"""
    met: NDArray[np.bool_]
    """(k,)"""
    worth: NDArray[np.float64]
    """(k,)"""
    terms: Terms
    sharing: NDArray[np.bool_] | None = None
    """(k,) who bears a part of the cost where it is split; None: everybody."""

    @property
    def sharers(self) -> NDArray[np.bool_]:
        """(k,) who bears a part of the cost where it is split."""
        return np.ones(self.fed.k, dtype=bool) if self.sharing is None else self.sharing

    @property
    def labelling(self) -> NDArray[np.float64]:
        """(k,) what each contribution costs, as reported."""
        return self.fed.costs_by_agent(self.m)


@dataclass(frozen=True, slots=True)
class Payment:
    """What an agent is paid, and what of it is kept back."""

    gross: float
    fee: float

    @property
    def net(self) -> float:
        """What reaches the agent."""
        return self.gross - self.fee


class Truthful(StrEnum):
    """In which sense truth is known to be a best report."""

    NO = "no"
    """In none."""
    EX_POST = "ex-post"
    """If the others report the truth."""
    EX_POST_IF_WORTH_IT = "ex-post-if-worth-it"
    """If the others report the truth and every target is worth its cost."""
    DOMINANT = "dominant"
    """Whatever the others report."""


def check_linear_costs(fed: Federation, what: str, advice: str = "") -> None:
    """Raise unless every agent's cost is one number per sample."""
    for agent in fed.agents:
        if not isinstance(agent.cost, Linear):
            raise RuleError(
                f"{what} must be one number per sample; agent {agent.name!r} has another cost{advice}",
                code="nonlinear-cost",
                agents=(agent.name,),
            )


class Rule(ABC):
    """A payment rule."""

    in_data: Truthful
    """In which sense truth is a best report about the data, the costs being known."""
    in_costs: Truthful
    """In which sense truth is a best report about the costs, the data being known."""
    terms: ClassVar[tuple[str, ...]] = ()
    """Which fields of :class:`Terms` belong to it."""
    needs_optimum: ClassVar[bool] = False
    """Whether it pays only for a plan that is proved to be the cheapest."""
    is_partial: ClassVar[bool] = False
    """Whether ``pay`` raises in some federations, so that a run asks it before anybody labels."""
    private: ClassVar[str] = "data"
    """What it is meant to keep honest: "data" or "costs"."""

    @abstractmethod
    def pay(self, case: Case, agent: int) -> Payment:
        """Return what one agent is paid."""

    @property
    @final
    def pays_for_any_plan(self) -> bool:
        """Whether it pays for contributions as they were made, as a run needs it."""
        return not self.needs_optimum and not isinstance(self, PlanningRule)

    @final
    def find_sense(self, private: str, *, is_self_sufficient: bool) -> Truthful:
        """Return in which sense truth is a best report, where "data" or "costs" are private.

        Paying on realised welfare needs that meeting every target is optimal, as it is where all could do so
        alone.
        """
        sense = self.in_data if private == "data" else self.in_costs
        if self.needs_optimum and sense is Truthful.EX_POST and not is_self_sufficient:
            return Truthful.EX_POST_IF_WORTH_IT
        return sense


class PlanningRule(Rule):
    """A payment rule that pays for contributions of its own, made by the paper's program."""

    @abstractmethod
    def contribute(self, fed: Federation, terms: Terms) -> NDArray[np.int64]:
        """(k,) the contributions that it pays for."""

    @abstractmethod
    def quota_costs(self, fed: Federation, terms: Terms) -> list[list[float]]:
        """For every agent the costs per sample at which its quota changes: an audit tries lies around them."""
