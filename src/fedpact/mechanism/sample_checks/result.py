"""What a check of a contribution found: whether it is suspicious, in which pairs, and how much could be seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from fedpact.result import Result


class ContributionStatus(StrEnum):
    """What a check found."""

    CONSISTENT = "consistent"
    """The samples look like what was reported."""
    FLAGGED = "flagged"
    """The samples do not look like what was reported."""
    TOO_FEW = "too-few"
    """So few samples cannot look suspicious."""
    NO_SAMPLES = "no-samples"
    """No samples were contributed."""
    NO_PAIRS = "no-pairs"
    """With fewer than two hypotheses there is no pair to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPair:
    """How often two hypotheses were reported to differ, and how often they did."""

    DERIVED: ClassVar = ("first", "second")

    pair: tuple[str, str]
    reported: float
    """Rate at which the two differ, as reported."""
    low: float
    high: float
    """Least and largest rate that an honest site may have, given its report."""
    observed: int
    """On how many of the m samples they differ; from mistakes alone, the possible count that is likeliest."""
    m: int
    p_value: float
    """Chance, at most, of so unlikely a count if the report is true; two-sided."""
    adjusted: float
    """The same of any pair at all: the least level at which this pair is suspicious."""
    is_suspicious: bool

    @property
    def first(self) -> str:
        """The one hypothesis."""
        return self.pair[0]

    @property
    def second(self) -> str:
        """The other."""
        return self.pair[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributionCheck(Result):
    """Whether a site's samples look like its report, and how much such a check can see."""

    DERIVED: ClassVar = ("is_flagged",)
    ROWS: ClassVar = "pairs"

    site: str | None
    m: int
    """Number of samples."""
    suspicious: int
    """Number of suspicious pairs."""
    pairs: tuple[CheckedPair, ...]
    """The least likely pairs, up to ten, the least likely first, suspicious or not."""
    false_alarm: float
    """Certified: an honest site is flagged with at most this chance, and this is at most the level."""
    detectable: float | None
    """A rate that is off by more than this is caught with the chance ``power``; None if no lie is.

    From mistakes alone that holds of the rates between the hypothesis that labels the samples and any other.
    """
    detectable_at_best: float | None
    """The same of the pair that is easiest to check."""
    easiest: tuple[str, str] | None
    """A pair that is easiest to check."""
    cutoff: float
    """Pairs with a p-value of at most this are suspicious."""
    tested: int
    """Number of pairs."""
    counted: int
    """Number of pairs that some outcome of m samples would make suspicious."""
    status: ContributionStatus
    false_alarm_rate: float
    tolerance: float
    power: float
    fresh: bool
    """Whether the samples were taken for new draws, and the reported rates for estimates."""
    distinct: bool = False
    """Whether the samples were taken for different points of the report, drawn without replacement."""

    @property
    def is_flagged(self) -> bool:
        """Whether the samples do not look like what was reported."""
        return self.status is ContributionStatus.FLAGGED
