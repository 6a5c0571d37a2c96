"""What came of planning for sites that did not show their data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fedpact.experiments.private_sites_page import draw
from fedpact.mechanism.payment.settlement import Settlement
from fedpact.planning.result import Plan
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable, rows_by_name

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "epsilon": self.epsilon,
            "confidence": self.confidence,
            "plan": self.plan.to_dict(),
            "has_capacities": self.has_capacities,
            "settlement": self.settlement.to_dict(),
            "alone": dict(self.alone),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> PrivatePlan:
        """Read what :meth:`to_dict` wrote."""
        settlement = Settlement.from_dict(entry["settlement"])
        return cls(**{**entry, "plan": Plan.from_dict(entry["plan"]), "settlement": settlement})


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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "H": self.H,
            "H_different": self.H_different,
            "training": self.training,
            "least_error": self.least_error,
            "sites": [asdict(site) for site in self.sites],
            "plans": [one.to_dict() for one in self.plans],
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> CandidateRun:
        """Read what :meth:`to_dict` wrote."""
        values = dict(entry)
        values["sites"] = tuple(SiteReport(**site) for site in entry["sites"])
        values["plans"] = tuple(PrivatePlan.from_dict(one) for one in entry["plans"])
        return cls(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivatePlanning(Shows):
    """Plans for sites that sent reports only, for every class of candidates and every epsilon."""

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

    def shown(self) -> ShownTable:
        """Show what every plan asks of each site."""
        return ShownTable(
            title="Plans from reports alone",
            status=self.data,
            facts={"delta": self.delta, "method": self.method, "public points": self.public_points},
            columns=[
                ("candidates", int),
                ("epsilon", float),
                ("confidence", float),
                ("site", str),
                ("samples", int),
                ("alone", int),
                ("payment", float),
            ],
            rows=[
                (run.H, one.epsilon, one.confidence, *row)
                for run in self.runs
                for one in run.plans
                for row in rows_by_name(one.plan.contributions, one.alone, one.settlement.payments)
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "data": self.data,
            "runs": [run.to_dict() for run in self.runs],
            "public_points": self.public_points,
            "epsilon": list(self.epsilon),
            "delta": self.delta,
            "confidence": self.confidence,
            "method": self.method,
            "seed": self.seed,
            "versions": dict(self.versions),
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> PrivatePlanning:
        """Read what :meth:`to_dict` wrote."""
        values = dict(entry)
        values["runs"] = tuple(CandidateRun.from_dict(run) for run in entry["runs"])
        values["epsilon"] = tuple(entry["epsilon"])
        return cls(**values)
