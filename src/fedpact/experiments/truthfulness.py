"""Whether pay-what-you-contribute ever rewards a lie among truthful agents: a soak over planners and federations.

For any planner that meets the reported targets there is a proof (:mod:`fedpact.mechanism.payment.rules`). Here the
program is tried, not the proof: every planner plans for random federations of every kind, with ties and
capacities among them, and one agent at a time misreports. A gain would be a defect of a planner, of the engine
or of the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from fedpact.describe.constructions import alice_bob, no_pure_equilibrium
from fedpact.describe.counterexamples import expected_min_counterexample, pwyc_not_dominant
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import read_whole_number
from fedpact.errors import FederationError, InfeasibleError
from fedpact.mechanism.audit.audit import audit
from fedpact.statistics.make_report import report

NAME = "truthfulness"
REPORTS = 100_000
PER_FEDERATION = 100
PLANNERS = ("lp", "union", "tree", "exact", "auto")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthfulnessRow:
    """One planner: in how many federations and misreports which gain was found."""

    method: str
    federations: int
    tried: int
    gain: float
    """The largest that an agent had from a lie while the others were truthful."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthfulnessSoak:
    """Gains from misreporting under pay-what-you-contribute, by planner."""

    rows: tuple[TruthfulnessRow, ...]
    version: str

    @property
    def tried(self) -> int:
        """Misreports in total."""
        return sum(row.tried for row in self.rows)

    @property
    def gain(self) -> float:
        """The largest gain of all."""
        return max(row.gain for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--json`` prints them."""
        return {
            "experiment": NAME,
            "rule": "pwyc",
            "gain": self.gain,
            "tried": self.tried,
            "rows": [asdict(row) for row in self.rows],
            "version": self.version,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> TruthfulnessSoak:
        """Read what :meth:`to_dict` wrote."""
        return cls(rows=tuple(TruthfulnessRow(**row) for row in entry["rows"]), version=entry["version"])


def _draw_masses(rng: np.random.Generator, k: int, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(k, n) masses in tenths, so that rates tie with epsilon and delta."""
    return rng.multinomial(10, rng.dirichlet(np.full(n, 0.7), k)) / 10


def draw_federation(rng: np.random.Generator, method: str) -> Federation:
    """Draw a small federation of any kind of evidence, objective and guarantee."""
    k, n, H = (int(rng.integers(low, high)) for low, high in ((2, 4), (2, 5), (2, 6)))
    labels = rng.integers(0, int(rng.integers(2, 4)), (H, n))
    options: dict[str, Any] = {
        "cost": rng.choice([0.05, 0.1, 0.2, 0.3], k),
        "epsilon": rng.choice([0.1, 0.2], k),
        "delta": float(rng.choice([0.1, 0.25, 0.5])),
        "objective": str(rng.choice(["pac", "expected"])),
        "guarantee": str(rng.choice(["per-agent", "joint"])),
        "capacity": None if rng.random() < 0.7 else rng.integers(5, 60, k).tolist(),
    }
    kind = rng.choice(["table", "predictions", "reports"])
    if kind == "table" or (kind == "reports" and method == "exact"):
        return Federation.from_table(labels, _draw_masses(rng, k, n), **options)
    own = {f"agent-{i + 1}": labels[:, rng.integers(0, n, 10)] for i in range(k)}
    if kind == "predictions":
        return Federation.from_predictions(own, **options)
    sent = [report(seen, name=name, n_classes=max(2, int(seen.max()) + 1)) for name, seen in own.items()]
    return Federation.from_reports(sent, **options)


def _federations(rng: np.random.Generator, method: str) -> Iterator[Federation]:
    """Yield the paper's small instances, then random ones without end."""
    yield from (alice_bob(), no_pure_equilibrium(), pwyc_not_dominant(), expected_min_counterexample())
    while True:
        yield draw_federation(rng, method)


def _soak(method: str, budget: int, rng: np.random.Generator, tick: Callable[[int], None]) -> TruthfulnessRow:
    tried, gain, count = 0, 0.0, 0
    for fed in _federations(rng, method):
        if tried >= budget:
            break
        reports = min(PER_FEDERATION, budget - tried)
        try:
            seen = audit(fed, "pwyc", method=method, reports=reports, senses=["ex-post"], rng=rng)
        except InfeasibleError:  # the capacities leave no plan
            continue
        tried, gain, count = tried + seen.tried, max(gain, seen.gain), count + 1
        tick(seen.tried)
    return TruthfulnessRow(method=method, federations=count, tried=tried, gain=gain)


def reproduce_truthfulness(
    reports: int = REPORTS,
    *,
    rng: np.random.Generator | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TruthfulnessSoak:
    """Try misreports under pay-what-you-contribute with every planner.

    Parameters
    ----------
    reports
        Misreports in total, the same number for each of the five planners.
    rng
        ``numpy.random.default_rng(0)`` if not given.
    progress
        Called with the number of misreports tried and their total.

    Examples
    --------
    >>> found = reproduce_truthfulness(50)
    >>> found.tried, found.gain
    (50, 0.0)
    """
    total = read_whole_number(reports, "reports")
    if total < len(PLANNERS):
        raise FederationError(f"reports must be at least {len(PLANNERS)}, one per planner; it is {total}")
    rng = np.random.default_rng(0) if rng is None else rng
    done = 0

    def tick(tried: int) -> None:
        nonlocal done
        done += tried
        if progress is not None:
            progress(done, total)

    share, rest = divmod(total, len(PLANNERS))
    rows = tuple(_soak(method, share + (place < rest), rng, tick) for place, method in enumerate(PLANNERS))
    return TruthfulnessSoak(rows=rows, version=version("fedpact"))
