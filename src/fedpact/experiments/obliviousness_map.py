"""Maps of where the paper's programs are locally oblivious, beside where the paper says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fedpact.drawing.figures import Square, draw_regions
from fedpact.mechanism.obliviousness.result import ObliviousnessStatus

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

NAME = "obliviousness"
WRONG = (
    "pac: for epsilon > 0 the program's plans are bounded, so it cannot be locally oblivious at all large plans; "
    "fractional plans of two agents with equal costs end at log(H/delta) / (-log(1 - epsilon))",
    "pac: the lower end 2 H log H is not needed: with the rest of the mass on one point it holds for small plans",
    "expected: the stated upper end 2 log(H) / epsilon is too large, by a little",
    "expected: the paper's construction reaches at most 6 of 8 cases, because no report of an agent raises the "
    "other's entry; two rare points reach all 8",
)
_CASES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ObliviousnessPoint:
    """One plan of a map."""

    m: tuple[int, int]
    reached: int
    """Of 8 cases, a neighbour and an agent that reports, how many two rare points reach."""
    reached_by_paper: int | None
    """The same for the paper's construction for the expected objective."""
    status: ObliviousnessStatus
    status_of_paper: ObliviousnessStatus | None
    construction: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        paper = None if self.status_of_paper is None else self.status_of_paper.value
        return asdict(self) | {"m": list(self.m), "status": self.status.value, "status_of_paper": paper}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> ObliviousnessPoint:
        """Read what :meth:`to_dict` wrote."""
        paper = entry["status_of_paper"]
        read = {
            "m": (entry["m"][0], entry["m"][1]),
            "status": ObliviousnessStatus(entry["status"]),
            "status_of_paper": None if paper is None else ObliviousnessStatus(paper),
        }
        return cls(**dict(entry) | read)


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A map for one objective, and the ends of the region: stated, corrected, and proved."""

    objective: str
    H: int
    epsilon: float
    points: tuple[ObliviousnessPoint, ...]
    stated: tuple[float, float | None]
    """Between which the paper's lemma puts both entries; None is no upper end."""
    corrected: tuple[float, float]
    """Between which the errata put them: fractional plans never go beyond the upper end."""
    largest: float
    """Beyond which no plan has an entry."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        own = {"stated": list(self.stated), "corrected": list(self.corrected)}
        return asdict(self) | own | {"points": [point.to_dict() for point in self.points]}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Region:
        """Read what :meth:`to_dict` wrote."""
        read = {key: tuple(entry[key]) for key in ("stated", "corrected")}
        return cls(
            **dict(entry)
            | read
            | {"points": tuple(ObliviousnessPoint.from_dict(some) for some in entry["points"])}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSearch:
    """All reports of agent 1 on a grid, in the paper's construction for the expected objective."""

    m: tuple[int, int]
    reports: int
    plans: int
    """How many different plans they lead to."""
    highest_other: int
    """Largest entry of agent 2 in any of them."""
    highest_own: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"m": list(self.m)}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> ReportSearch:
        """Read what :meth:`to_dict` wrote."""
        return cls(**dict(entry) | {"m": (entry["m"][0], entry["m"][1])})


@dataclass(frozen=True, slots=True, kw_only=True)
class ObliviousnessMap:
    """Where the paper's programs are locally oblivious, for both objectives."""

    pac: Region
    expected: Region
    search: ReportSearch
    version: str
    """Of fedpact."""

    @property
    def errata(self) -> tuple[str, ...]:
        """What is wrong with the lemmas as printed."""
        return WRONG

    def plot(self) -> Figure:
        """Draw both maps, and what the paper's construction reaches; needs ``fedpact[plot]``."""
        panels = {
            f"pac, H = {self.pac.H}, epsilon = {self.pac.epsilon:g}": _by_status(self.pac),
            f"expected, H = {self.expected.H}, epsilon = {self.expected.epsilon:g}": _by_status(self.expected),
            "expected, the paper's construction": _by_reached(self.expected),
        }
        squares = [_squares(region) for region in (self.pac, self.expected, self.expected)]
        return draw_regions(panels, squares, x_axis="samples of agent 1", y_axis="samples of agent 2")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "experiment": NAME,
            "pac": self.pac.to_dict(),
            "expected": self.expected.to_dict(),
            "search": self.search.to_dict(),
            "errata": list(self.errata),
            "version": self.version,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> ObliviousnessMap:
        """Read what :meth:`to_dict` wrote."""
        return cls(
            pac=Region.from_dict(entry["pac"]),
            expected=Region.from_dict(entry["expected"]),
            search=ReportSearch.from_dict(entry["search"]),
            version=entry["version"],
        )


def _by_status(region: Region) -> dict[str, list[tuple[int, int]]]:
    names = {ObliviousnessStatus.HOLDS: "holds", ObliviousnessStatus.TOO_LARGE: "cannot hold"}
    out: dict[str, list[tuple[int, int]]] = {name: [] for name in ("holds", "not found", "cannot hold")}
    for point in region.points:
        out[names.get(point.status, "not found")].append(point.m)
    return out


def _by_reached(region: Region) -> dict[str, list[tuple[int, int]]]:
    out: dict[str, list[tuple[int, int]]] = {"all 8 cases": [], "6 of 8": [], "fewer": []}
    for point in region.points:
        reached = point.reached_by_paper or 0
        out["all 8 cases" if reached == _CASES else "6 of 8" if reached == 6 else "fewer"].append(point.m)
    return out


def _squares(region: Region) -> list[Square]:
    return [
        Square("as the paper states it", *region.stated),
        Square("where fractional plans end", 0.0, region.corrected[1]),
    ]
