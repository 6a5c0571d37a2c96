"""A selection: which candidate each site should use, from how few labels, and what is proved of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar

from fedpact.describe.settings import Assumed, Guarantee
from fedpact.result import Result

if TYPE_CHECKING:
    from fedpact.drawing import Figure

SCOPES = ("each", "one")
WAYS = ("adaptive", "implied-free")


class SelectionStatus(StrEnum):
    """How far labelling came."""

    CERTIFIED = "certified"
    """Every site has a candidate that is proved to be as good as was asked for."""
    BUDGET_SPENT = "budget-spent"
    """The labels that were allowed, or that sites can give, were not enough."""
    POOL_EXHAUSTED = "pool-exhausted"
    """No point is left whose label would help."""
    NO_COMMON_CANDIDATE = "no-common-candidate"
    """Every candidate is proved to be too bad at some site."""
    ASSUMPTION_REFUTED = "assumption-refuted"
    """No candidate can be the truth that was assumed."""
    OPEN = "open"
    """Labels are still to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TooBad:
    """Where a candidate is proved to be too bad, and who is better there."""

    site: str
    better: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What was proved after some labels: of the site itself, or of all where one truth is assumed."""

    labels: int
    epsilon: float
    """How far the candidate to use is from the best at most."""
    in_question: int
    """Candidates that may be the truth; if nothing is assumed, that to use and those it is not proved against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(Assumed, Result):
    """Which candidate each site should use.

    Where nothing is assumed, a candidate is good if its error is at most epsilon above that of the best candidate
    at the site; where one is the truth, if it differs from the truth with probability epsilon at most.
    """

    INDEX: ClassVar = "site"

    noise: float | None = None
    scope: Annotated[str, SCOPES]
    """Whether every site has a candidate of its own, or one serves all."""
    how: Annotated[str, WAYS]
    """Whether points were chosen one after the other, or are those of a plan that matter."""
    status: SelectionStatus
    chosen: dict[str, str]
    """Site -> the candidate to use."""
    certified_epsilon: dict[str, float]
    """Site -> the least epsilon that is proved of it."""
    epsilon: dict[str, float]
    """Site -> what was asked for."""
    labels_asked: dict[str, int]
    rounds: int
    cost: float
    survivors: dict[str, tuple[str, ...]]
    """Site -> candidates that may be the best there, or the truth."""
    witness: dict[str, TooBad] = field(default_factory=dict)
    """Candidate -> where it is too bad, if no common one is good."""
    steps: dict[str, tuple[Step, ...]]
    """Site -> what was proved after how many labels."""
    delta: float
    """With which probability a site's promise may be wrong, or all of them at once under the joint guarantee."""
    guarantee: Guarantee
    confidence: float | None = None
    """With which probability limits of rates are right; None: the promise is about pools, not distributions."""
    name: str
    """The federation's name."""
    federation: str
    """Fingerprint of the federation."""
    is_sampled: bool = False
    """Whether rates that were counted on a sample are taken for the truth."""

    @property
    def labels(self) -> int:
        """All labels together."""
        return sum(self.labels_asked.values())

    def plot(self) -> Figure:
        """Draw what was proved, and who was left, against labels; needs ``fedpact[plot]``."""
        from fedpact.drawing import draw_steps

        return draw_steps(
            {
                site: (
                    [one.labels for one in steps],
                    [one.epsilon for one in steps],
                    [one.in_question for one in steps],
                )
                for site, steps in self.steps.items()
            },
            targets=self.epsilon,
            title=self.name,
        )
