"""What came of planning for sites that did not show their data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fedpact.experiments.private_sites_page import draw
from fedpact.mechanism.payment.settlement import Settlement
from fedpact.planning.result import Plan
from fedpact.result import Record

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteReport:
    """What one site did: it predicted its own points, counted, and sent a report."""

    name: str
    points: int
    """Unlabelled points, none of which left the site."""
    report_bytes: int
    """Size of the file that did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivatePlan:
    """One plan made from the reports."""

    epsilon: float
    confidence: float | None
    """With which the rates are taken for estimates; None if the sites' points are taken for all there is."""
    plan: Plan
    has_capacities: bool
    """Whether no site is asked for more samples than it has points; else no such plan was found."""
    settlement: Settlement
    """By pay-what-you-contribute, without a fee."""
    alone: dict[str, int | None]
    """Samples that each site needs alone, its points taken for all there is (:func:`fedpact.game.standalone`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRun:
    """Everything that was done with one class of candidates."""

    H: int
    H_different: int
    """Candidates that some site sees to differ from every other."""
    training: str
    """How the training ended."""
    least_error: float
    """Share of all sites' points that the best candidate gets wrong; above 0, the class lacks the truth."""
    sites: tuple[SiteReport, ...]
    plans: tuple[PrivatePlan, ...]

    def at(self, epsilon: float, confidence: float | None) -> PrivatePlan:
        """Return the plan for one epsilon, with or without confidence."""
        return next(one for one in self.plans if (one.epsilon, one.confidence) == (epsilon, confidence))


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivatePlanning(Record):
    """Plans for sites that sent reports only, for every class of candidates and every epsilon."""

    ROWS: ClassVar = "runs"

    runs: tuple[CandidateRun, ...]
    """One per class of candidates, as asked for."""
    data: str
    public_points: int
    epsilon: tuple[float, ...]
    delta: float
    confidence: float
    method: str
    seed: int
    versions: dict[str, str]
    """Of the packages that decide what is learned."""

    def plot(self) -> Figure:
        """Draw samples per site, with and without confidence, for the first class and the middle epsilon.

        Needs ``fedpact[plot]``.
        """
        return draw(self.to_dict())
