"""What labelled samples say about the candidates: whether one can be right, and what stands if none is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from fedpact.describe.settings import read_epsilon, read_per_agent
from fedpact.result import Result


class RealizabilityStatus(StrEnum):
    """What the labels say of the candidates."""

    CONSISTENT = "consistent"
    """Some candidate makes no mistake."""
    CONSISTENT_WHERE_SEEN = "consistent-where-seen"
    """Some candidate makes no mistake, but some sites have no labelled samples."""
    WITHIN_NOISE = "within-noise"
    """Every candidate makes mistakes, no more of them than the noise allows."""
    REFUTED = "refuted"
    """Every candidate makes more mistakes than the noise allows."""
    NO_SAMPLES = "no-samples"
    """No labelled sample was contributed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRate:
    """How often a candidate is wrong: counted, and between which limits."""

    DERIVED: ClassVar = ("rate",)

    mistakes: int
    m: int
    """Number of samples."""
    low: float
    high: float

    @property
    def rate(self) -> float | None:
        """Share of the samples on which it is wrong; None without samples."""
        return self.mistakes / self.m if self.m else None


class TargetVerdict(StrEnum):
    """What the limits of an error say of the epsilon of a site."""

    WITHIN = "within"
    """The error is epsilon at most."""
    ABOVE = "above"
    """The error is above epsilon."""
    UNSETTLED = "unsettled"
    """Epsilon is between the limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteTarget:
    """Whether a candidate's error on true labels is within a site's epsilon."""

    epsilon: float
    error: ErrorRate
    verdict: TargetVerdict
    more: int | None
    """Further labels, at the fewest, that settle it if the candidate goes on to err at this rate; 0 if it is
    settled, None if there is no rate yet, or one so near to epsilon that 2^40 labels would not do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Realizability(Result):
    """Whether some candidate can be right, and how wrong the best one is.

    The limits of all errors hold for all candidates and sites at once, with the chance ``confidence``.
    """

    INDEX: ClassVar = "site"
    ROWS: ClassVar = "errors"
    DERIVED: ClassVar = ("is_refuted", "teacher", "error_with_teacher", "excess")

    best: str | None
    """The candidate with the fewest mistakes, the first of several; None without samples."""
    error: ErrorRate
    """Its error on all samples; the limits are of the sites' average, weighted by their samples."""
    errors: dict[str, ErrorRate]
    """Its error at each site."""
    consistent: int
    """Number of candidates that make no mistake."""
    p_value: float
    """Chance, at most, of so many mistakes of every candidate if one were right up to the noise."""
    mistakes: dict[str, dict[str, int]]
    """Mistakes of every candidate at every site."""
    samples: dict[str, int]
    """Labelled samples of every site."""
    status: RealizabilityStatus
    noise: float
    false_alarm_rate: float
    confidence: float
    chosen: str | None = field(default=None, metadata={"is_optional": True})
    """The candidate whose error is held against each site's epsilon: the best, unless another was named."""
    targets: dict[str, SiteTarget] | None = field(default=None, metadata={"is_optional": True})
    """Whether its error is within epsilon at each site; None if no epsilon was given."""

    @property
    def is_refuted(self) -> bool:
        """Whether no candidate is right, at this level."""
        return self.status is RealizabilityStatus.REFUTED

    @property
    def teacher(self) -> str | None:
        """The candidate to label by, if labels by hand fit none: the best one."""
        return self.best

    @property
    def error_with_teacher(self) -> dict[str, float]:
        """Upper confidence limit of the teacher's error at every site; 1 where there are no samples."""
        return {site: error.high for site, error in self.errors.items()}

    @property
    def unseen(self) -> tuple[str, ...]:
        """Sites without labelled samples."""
        return tuple(site for site, m in self.samples.items() if not m)

    @property
    def excess(self) -> float:
        """How far every candidate's error is above the noise, at least, with this confidence."""
        return max(0.0, self.error.low - self.noise)

    def bound(self, epsilon: Any) -> dict[str, float]:
        """Error on true labels, at most, of whatever agrees with all samples that the teacher has labelled.

        If sites label by a candidate t, then t is right by construction. A plan for ``epsilon`` and delta
        promises that with probability 1 - delta every hypothesis that agrees with all samples differs from t
        with probability epsilon_i at most at site i; where it does not differ, it errs just where t does. So it
        errs with probability err_i(t) + epsilon_i at most, and err_i(t) is at most ``error_with_teacher``,
        at all sites with the chance ``confidence``. The bound of a site holds with probability confidence - delta
        at least, and those of all sites at once if the plan's guarantee is joint. The samples that the teacher
        labels must be new draws, as t was chosen on these.

        Parameters
        ----------
        epsilon
            One number for all sites, or a mapping with one for each.

        Examples
        --------
        >>> error = ErrorRate(mistakes=2, m=100, low=0.001, high=0.08)
        >>> seen = Realizability(
        ...     best="forest", error=error, errors={"alice": error}, consistent=0, p_value=0.0,
        ...     mistakes={"forest": {"alice": 2}}, samples={"alice": 100}, status=RealizabilityStatus.REFUTED,
        ...     noise=0.0, false_alarm_rate=0.01, confidence=0.95,
        ... )
        >>> seen.bound(0.1)
        {'alice': 0.18}
        """
        more = read_per_agent(tuple(self.errors), epsilon, "epsilon", read_epsilon)
        limits = self.error_with_teacher.items()
        return {site: min(1.0, limit + own) for (site, limit), own in zip(limits, more, strict=True)}
