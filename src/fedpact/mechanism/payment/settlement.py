"""A settlement: what each agent is paid, what that leaves it with, and who has to bring the money."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

from fedpact.describe.settings import Assumed, Guarantee, Objective
from fedpact.drawing import draw_bars
from fedpact.mechanism.payment.rules import CODES
from fedpact.result import Result

if TYPE_CHECKING:
    from fedpact.drawing import Figure

RuleCode: TypeAlias = Annotated[str, CODES]
"""A rule of fedpact's, or the user's own."""


class SettlementStatus(StrEnum):
    """Whether the targets are met, and the agents stay."""

    ACCEPTED = "accepted"
    """Every agent is at least as well off as alone."""
    REJECTED = "rejected"
    """Some agents would be better off alone."""
    MISSED = "missed"
    """Some targets are not met by the contributions, whatever is paid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement(Assumed, Result):
    """Payments for a contribution vector."""

    DERIVED: ClassVar = ("deficit", "cost", "overpayment", "leaving", "status")

    payments: dict[str, float]
    """From the operator to each agent, its fee taken off; a negative payment is owed to the operator."""
    fees: dict[str, float]
    """What is taken off each payment: a fee, a pivot or a share of the cost."""
    contributions: dict[str, int]
    labelling: dict[str, float]
    """What its contribution costs each agent."""
    met: dict[str, bool]
    """Whether each target is known to be met."""
    utility: dict[str, float]
    """What its target is worth to each agent, if met, less its labelling, plus its payment."""
    utility_alone: dict[str, float]
    """The same for an agent that labels by itself what it needs; zero for one that cannot reach its target so."""
    worth: dict[str, float]
    """What meeting its target is worth to each agent."""
    spend: float
    """What the operator pays out before fees."""
    recovered: float
    """What comes back as fees."""
    cost_recovery: float | None
    """Share of the spend that fees should about bring back, if that was asked for."""
    rule: RuleCode
    pivot: str | None
    """For the VCG rules "none" or "clarke"."""
    objective: Objective
    guarantee: Guarantee
    name: str
    """The federation's."""

    @property
    def deficit(self) -> float:
        """Money that has to come from outside: spend less what is recovered."""
        return self.spend - self.recovered

    @property
    def cost(self) -> float:
        """What all labelling costs."""
        return sum(self.labelling.values())

    @property
    def overpayment(self) -> float:
        """What all payments together are above the cost of labelling."""
        return self.deficit - self.cost

    @property
    def leaving(self) -> tuple[str, ...]:
        """Agents that would be better off alone."""
        return tuple(
            name
            for name, alone in self.utility_alone.items()
            if self.utility[name] < alone - 1e-9 * max(self.worth[name], abs(self.utility[name]))
        )

    @property
    def status(self) -> SettlementStatus:
        """Whether the targets are met, and the agents stay."""
        if not all(self.met.values()):
            return SettlementStatus.MISSED
        return SettlementStatus.REJECTED if self.leaving else SettlementStatus.ACCEPTED

    def plot(self) -> Figure:
        """Draw what each agent is paid, as a matplotlib figure; needs ``fedpact[plot]``."""
        paid = {name: payment for name, payment in self.payments.items() if payment}
        return draw_bars(
            paid or self.payments,
            title=f"rule {self.rule}: spend {self.spend:.6g}, deficit {self.deficit:.6g}",
            axis="payment",
        )
