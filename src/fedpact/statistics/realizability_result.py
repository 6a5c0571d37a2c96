"""What labelled samples say about the candidates: whether one can be right, and what stands if none is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from fedpact.describe.names import nearest
from fedpact.describe.numbers import read_number
from fedpact.errors import FederationError
from fedpact.showing.shows import Shows
from fedpact.showing.table import ShownTable


class RealizabilityStatus(Enum):
    """What the labels say, in words a user can act on."""

    CONSISTENT = (
        "not refuted: some candidate makes no mistake, and nothing that was seen speaks against the guarantee"
    )
    CONSISTENT_WHERE_SEEN = (
        "not refuted: some candidate makes no mistake, but some sites have no labelled samples; ask them for some"
    )
    WITHIN_NOISE = (
        "not refuted, but every candidate makes mistakes, and the guarantee is for labels without any; "
        "label by a teacher"
    )
    REFUTED = (
        "refuted: every candidate makes more mistakes than the noise allows, so the guarantee does not apply; "
        "label by a teacher, or add better candidates"
    )
    NO_SAMPLES = "nothing can be said: no labelled sample was contributed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRate:
    """How often a candidate is wrong: counted, and between which limits."""

    mistakes: int
    m: int
    """Number of samples."""
    low: float
    high: float

    @property
    def rate(self) -> float | None:
        """Share of the samples on which it is wrong; None without samples."""
        return self.mistakes / self.m if self.m else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"rate": self.rate, **asdict(self)}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> ErrorRate:
        """Read what :meth:`to_dict` wrote."""
        return cls(**{key: value for key, value in entry.items() if key != "rate"})

    def __str__(self) -> str:
        if not self.m:
            return "not known without samples"
        limits = f"between {self.low:.3g} and {self.high:.3g}"
        return f"{self.mistakes:,} of {self.m:,} samples ({self.rate:.3g}; {limits})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Realizability(Shows):
    """Whether some candidate can be right, and how wrong the best one is.

    The limits of all errors hold for all candidates and sites at once, with the chance ``confidence``.
    """

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
    def excess(self) -> str:
        """How far the labels are from what some candidate says, in a sentence with the numbers."""
        if self.best is None:
            return "no labelled sample was contributed"
        total = sum(self.samples.values())
        if self.consistent:
            makes = "makes" if self.consistent == 1 else "make"
            share = f"{self.consistent:,} of {len(self.mistakes):,} candidates"
            return f"{share} {makes} no mistake on {total:,} samples"
        return (
            f"every candidate makes mistakes; the best, {self.best!r}, on {self.error}, so that with "
            f"confidence {self.confidence:g} every candidate errs at a rate of {self.error.low:.3g} or more, "
            f"where the noise is {self.noise:g}; p-value {self.p_value:.3g}"
        )

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
        given = epsilon if isinstance(epsilon, Mapping) else dict.fromkeys(self.errors, epsilon)
        for site in given:
            if site not in self.errors:
                raise FederationError(f"epsilon: there is no site {site!r}; {nearest(str(site), self.errors)}")
        limits = self.error_with_teacher.items()
        return {site: min(1.0, limit + _read_epsilon(given, site)) for site, limit in limits}

    def shown(self) -> ShownTable:
        """Show how often the best candidate is wrong at every site."""
        return ShownTable(
            title="Can a candidate be right?",
            status=self.status.value,
            facts={"best": self.best, "without a mistake": self.consistent, "p-value": self.p_value},
            columns=[("site", str), ("samples", int), ("mistakes", int), ("low", float), ("high", float)],
            rows=[(site, one.m, one.mistakes, one.low, one.high) for site, one in self.errors.items()],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "best": self.best,
            "error": self.error.to_dict(),
            "errors": {site: error.to_dict() for site, error in self.errors.items()},
            "consistent": self.consistent,
            "p_value": self.p_value,
            "is_refuted": self.is_refuted,
            "teacher": self.teacher,
            "error_with_teacher": self.error_with_teacher,
            "excess": self.excess,
            "mistakes": {name: dict(sites) for name, sites in self.mistakes.items()},
            "samples": dict(self.samples),
            "status": self.status.value,
            "noise": self.noise,
            "false_alarm_rate": self.false_alarm_rate,
            "confidence": self.confidence,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Realizability:
        """Read what :meth:`to_dict` wrote."""
        derived = ("is_refuted", "teacher", "error_with_teacher", "excess")
        values = {key: value for key, value in entry.items() if key not in derived}
        values["error"] = ErrorRate.from_dict(entry["error"])
        values["errors"] = {site: ErrorRate.from_dict(error) for site, error in entry["errors"].items()}
        values["status"] = RealizabilityStatus(entry["status"])
        return cls(**values)


def _read_epsilon(given: Mapping[str, Any], site: str) -> float:
    if site not in given:
        raise FederationError(f"epsilon must have a number for every site; {site!r} has none")
    epsilon = read_number(given[site], "epsilon")
    if not 0 <= epsilon <= 1:
        raise FederationError(f"epsilon must lie between 0 and 1; site {site!r} has {epsilon:g}")
    return epsilon
