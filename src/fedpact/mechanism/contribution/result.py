"""What a check of a contribution found: whether it is suspicious, in which pairs, and how much could be seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable


class ContributionStatus(Enum):
    """What a check found, in words a user can act on."""

    CONSISTENT = "consistent: the samples look like what was reported"
    FLAGGED = "flagged: the samples do not look like what was reported; ask the site to explain or to report again"
    TOO_FEW = "nothing can be said: so few samples cannot look suspicious; ask for more"
    NO_SAMPLES = "nothing can be said: no samples were contributed"
    NO_PAIRS = "nothing can be said: with fewer than two hypotheses there is no pair to compare"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPair:
    """How often two hypotheses were reported to differ, and how often they did."""

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "pair": list(self.pair),
            "reported": self.reported,
            "low": self.low,
            "high": self.high,
            "observed": self.observed,
            "m": self.m,
            "p_value": self.p_value,
            "adjusted": self.adjusted,
            "is_suspicious": self.is_suspicious,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> CheckedPair:
        """Read what :meth:`to_dict` wrote."""
        first, second = entry["pair"]
        return cls(**{**entry, "pair": (first, second)})


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributionCheck(Shows):
    """Whether a site's samples look like its report, and how much such a check can see."""

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

    def shown(self) -> ShownTable:
        """Show the least likely pairs."""
        return ShownTable(
            title="Check of a contribution" if self.site is None else f"Check of {self.site}'s contribution",
            status=self.status.value,
            facts={
                "samples": self.m,
                "pairs": self.tested,
                "suspicious": self.suspicious,
                "false alarm at most": self.false_alarm,
                "sees lies above": self.detectable_at_best,
            },
            columns=[
                ("first", str),
                ("second", str),
                ("reported", float),
                ("observed", int),
                ("p_value", float),
                ("adjusted", float),
                ("is_suspicious", bool),
            ],
            rows=[
                (*one.pair, one.reported, one.observed, one.p_value, one.adjusted, one.is_suspicious)
                for one in self.pairs
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "site": self.site,
            "m": self.m,
            "is_flagged": self.is_flagged,
            "suspicious": self.suspicious,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "false_alarm": self.false_alarm,
            "detectable": self.detectable,
            "detectable_at_best": self.detectable_at_best,
            "easiest": None if self.easiest is None else list(self.easiest),
            "cutoff": self.cutoff,
            "tested": self.tested,
            "counted": self.counted,
            "status": self.status.value,
            "false_alarm_rate": self.false_alarm_rate,
            "tolerance": self.tolerance,
            "power": self.power,
            "fresh": self.fresh,
            "distinct": self.distinct,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> ContributionCheck:
        """Read what :meth:`to_dict` wrote."""
        values = {key: value for key, value in entry.items() if key != "is_flagged"}
        values["pairs"] = tuple(CheckedPair.from_dict(pair) for pair in entry["pairs"])
        values["easiest"] = None if entry["easiest"] is None else tuple(entry["easiest"])
        values["status"] = ContributionStatus(entry["status"])
        return cls(**values)
