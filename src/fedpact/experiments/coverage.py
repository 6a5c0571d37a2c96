"""How often plans from estimated rates miss the true target, with and without regard to the estimation error.

Federations are drawn whose truth is known (:mod:`fedpact.experiments.simulated_federations`). Their agents see
n unlabelled points each, and three plans are made from what is seen:

- ``confident``: by ``method``, at a confidence;
- ``trusting``: by the same method, with the estimates taken for the truth;
- ``optimal``: the cheapest for the estimates, by branch and bound, which leaves no slack for anything.

A plan misses if on the true distributions some agent's failure probability exceeds delta. That is computed,
not simulated; what neither the exact sum nor a certified interval decides is counted apart and taken for missed
in the upper limits. A plan at a confidence may miss with probability 1 - confidence at most, whatever the truth
is, so it may over any mixture of truths. Every federation is drawn anew and planned for at one n, so the rows
of different n are independent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import read_chance, read_whole_number
from fedpact.describe.ties import exceeds
from fedpact.drawing.figures import Panel, draw_panels
from fedpact.errors import FederationError
from fedpact.experiments.simulated_federations import FAMILIES, draw_sites, draw_truth
from fedpact.planning.plan import Start, plan_from
from fedpact.statistics.confidence import at_confidence, clopper_pearson
from fedpact.statistics.verification import verify

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure
    from fedpact.planning.result import Plan

NAME = "coverage"
POINTS = (30, 100, 300, 1000)
FEDERATIONS = 300
METHODS = ("lp", "union", "tree")
ALL = "all"
LIMITS_HOLD = 0.99
_NODES = 300
LABELS = {
    "confident": "planned at the confidence",
    "trusting": "estimates taken for the truth",
    "optimal": "optimum of the estimates",
}


class CoverageStatus(Enum):
    """How often plans at the confidence miss, beside what they promise."""

    WITHIN = (
        "plans at the confidence miss no more often than promised: so say the upper limits of all rows at once"
    )
    NOT_ABOVE = "no row refutes the promise; more federations would tell how much less often plans miss"
    ABOVE = "some row misses more often than promised: plans do not keep what they say"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """One way of planning, at one number of unlabelled points."""

    family: str
    """Of the federations; "all" for all of them together."""
    n: int
    """Unlabelled points of every agent."""
    plan: str
    """"confident", "trusting" or "optimal"."""
    federations: int
    missed: int
    """In how many some agent's true failure probability exceeds delta."""
    undecided: int
    """In how many that could not be decided for certain."""
    low: float
    """Lower limit of the chance to miss (Clopper and Pearson)."""
    high: float
    """Upper limit of the chance to miss, with the undecided taken for missed."""
    cost_ratio: float
    """Mean cost, relative to that of the plan by the same ``method`` that knows the truth."""

    @property
    def share(self) -> float:
        """Share of federations that were missed."""
        return self.missed / self.federations


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageSimulation:
    """How often plans from estimates miss the true target."""

    rows: tuple[CoverageRow, ...]
    """All families together."""
    by_family: tuple[CoverageRow, ...]
    status: CoverageStatus
    is_complete: bool
    """Whether all federations that were asked for are counted."""
    confidence: float
    """Of the confident plans: they may miss with one less this."""
    limits_hold: float
    """With which probability the limits of all ``rows`` are right at once; those of ``by_family`` likewise."""
    method: str
    """Of the confident and the trusting plans."""
    version: str
    """Of fedpact."""

    def row(self, plan: str, n: int, family: str = ALL) -> CoverageRow:
        """Return one row."""
        rows = self.rows if family == ALL else self.by_family
        return next(row for row in rows if (row.plan, row.n, row.family) == (plan, n, family))

    def plot(self) -> Figure:
        """Draw the share missed against n, the promise, and what plans cost; needs ``fedpact[plot]``."""
        x = sorted({row.n for row in self.rows})
        table = {label: [self.row(plan, n) for n in x] for plan, label in LABELS.items()}
        missed = Panel(
            title="federations missed",
            y_axis="share of federations in which a target is missed",
            lines={label: [row.share for row in rows] for label, rows in table.items()},
            limits={label: [(row.low, row.high) for row in rows] for label, rows in table.items()},
            level=(f"promised at confidence {self.confidence:g}", 1 - self.confidence),
        )
        cost = Panel(
            title="what that costs",
            y_axis="cost relative to planning from the truth",
            lines={label: [row.cost_ratio for row in rows] for label, rows in table.items()},
            limits={},
            level=("planned from the truth", 1.0),
        )
        return draw_panels(x, [missed, cost], x_axis="unlabelled points of every site")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "experiment": NAME,
            "rows": [asdict(row) for row in self.rows],
            "by_family": [asdict(row) for row in self.by_family],
            "status": self.status.value,
            "is_complete": self.is_complete,
            "confidence": self.confidence,
            "limits_hold": self.limits_hold,
            "method": self.method,
            "version": self.version,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> CoverageSimulation:
        """Read what :meth:`to_dict` wrote."""
        values = {key: value for key, value in entry.items() if key != "experiment"}
        for key in ("rows", "by_family"):
            values[key] = tuple(CoverageRow(**row) for row in entry[key])
        values["status"] = CoverageStatus(entry["status"])
        return cls(**values)


class _Trial(NamedTuple):
    """One plan of one federation."""

    family: str
    n: int
    plan: str
    is_missed: bool | None
    cost_ratio: float


def _is_missed(truth: Federation, m: Any) -> bool | None:
    """Whether a plan misses some agent's target; None if an estimate had to say."""
    seen = verify(truth, m)
    sure = [name for name, how in seen.how.items() if how != "estimate"]
    if any(exceeds(seen.failure[name].low, truth.delta) for name in sure):
        return True
    return False if len(sure) == truth.k and all(seen.met.values()) else None


def _plan(fed: Federation, method: str) -> Plan:
    return plan_from(fed, method, Start(), max_nodes=_NODES, raises_interrupt=True)


def _draw_needy(rng: np.random.Generator, family: str, method: str) -> tuple[Federation, float]:
    """Draw a truth for which something has to be labelled, and what a plan that knows it costs."""
    while True:
        truth = draw_truth(rng, family)
        cost = _plan(truth, method).cost
        if cost > 0:
            return truth, cost


def _try_plans(rng: np.random.Generator, family: str, n: int, method: str, level: float) -> Iterator[_Trial]:
    truth, cost = _draw_needy(rng, family, method)
    sites = draw_sites(rng, truth, n)
    found = {
        "confident": _plan(at_confidence(sites, level), method),
        "trusting": _plan(sites, method),
        "optimal": _plan(sites, "exact"),
    }
    for name, plan in found.items():
        yield _Trial(family, n, name, _is_missed(truth, plan.m), plan.cost / cost)


def _count(trials: Sequence[_Trial], family: str, risk: float) -> CoverageRow:
    """Sum up trials of one plan at one n."""
    size = len(trials)
    missed = sum(trial.is_missed is True for trial in trials)
    undecided = sum(trial.is_missed is None for trial in trials)
    low, high = (clopper_pearson(np.array([count]), size, risk) for count in (missed, missed + undecided))
    return CoverageRow(
        family=family,
        n=trials[0].n,
        plan=trials[0].plan,
        federations=size,
        missed=missed,
        undecided=undecided,
        low=float(low[0][0]),
        high=float(high[1][0]),
        cost_ratio=float(np.mean([trial.cost_ratio for trial in trials])),
    )


def _sum_up(trials: Iterable[_Trial], families: Sequence[str]) -> tuple[CoverageRow, ...]:
    """Rows by family, number of points and plan; the limits of all are right at once."""
    groups: dict[tuple[str, int, str], list[_Trial]] = {}
    for trial in trials:
        family = ALL if ALL in families else trial.family
        groups.setdefault((family, trial.n, trial.plan), []).append(trial)
    risk = (1 - LIMITS_HOLD) / (2 * len(groups))
    order = {name: place for place, name in enumerate((*families, *LABELS))}
    keys = sorted(groups, key=lambda key: (order[key[0]], key[1], order[key[2]]))
    return tuple(_count(groups[key], key[0], risk) for key in keys)


def _judge(rows: Sequence[CoverageRow], promise: float) -> CoverageStatus:
    confident = [row for row in rows if row.plan == "confident"]
    if any(row.low > promise for row in confident):
        return CoverageStatus.ABOVE
    is_within = all(row.high <= promise for row in confident)
    return CoverageStatus.WITHIN if is_within else CoverageStatus.NOT_ABOVE


def _read_points(points: Sequence[Any]) -> list[int]:
    counts = sorted({read_whole_number(n, "points", least=1) for n in points})
    if not counts:
        raise FederationError("points must hold at least one number of unlabelled points; it is empty")
    return counts


def reproduce_coverage(
    points: Sequence[Any] = POINTS,
    *,
    federations: int = FEDERATIONS,
    confidence: Any = 0.95,
    method: str = "union",
    rng: np.random.Generator | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CoverageSimulation:
    """Draw federations, plan from what their agents see, and count which plans miss the true target.

    Parameters
    ----------
    points
        Numbers of unlabelled points that every agent sees.
    federations
        How many are drawn for each of them; the families take turns.
    confidence
        Of the confident plans.
    method
        Of the confident and the trusting plans: "lp", "union" or "tree".
    rng
        ``numpy.random.default_rng(0)`` if not given.
    progress
        Called with the number of federations done and their total.

    Notes
    -----
    An interrupt from the keyboard ends the simulation; what was done by then is returned, as not complete.

    Examples
    --------
    >>> seen = reproduce_coverage([30], federations=6)
    >>> [(row.plan, row.missed) for row in seen.rows]
    [('confident', 0), ('trusting', 3), ('optimal', 3)]
    """
    counts = _read_points(points)
    total = len(counts) * read_whole_number(federations, "federations", least=1)
    level, method = read_chance(confidence, "confidence"), read_choice(method, "method", METHODS)
    rng = np.random.default_rng(0) if rng is None else rng
    trials: list[_Trial] = []
    with contextlib.suppress(KeyboardInterrupt):
        for done in range(total):
            turn, at = divmod(done, len(counts))
            trials += list(_try_plans(rng, FAMILIES[turn % len(FAMILIES)], counts[at], method, level))
            if progress is not None:
                progress(done + 1, total)
    if not trials:
        raise KeyboardInterrupt
    rows = _sum_up(trials, [ALL])
    return CoverageSimulation(
        rows=rows,
        by_family=_sum_up(trials, FAMILIES),
        status=_judge(rows, 1 - level),
        is_complete=len(trials) == total * len(LABELS),
        confidence=level,
        limits_hold=LIMITS_HOLD,
        method=method,
        version=version("fedpact"),
    )
