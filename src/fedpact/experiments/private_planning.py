"""From private data to a plan, without showing the data: the whole way.

1. *train*: candidates are trained from public points; every site can train the same ones.
2. *predict*, *report*: each site predicts its own points and sends a file with how often candidates disagree.
3. *plan*: the operator, who has seen nothing but those files, reads them and plans, once taking the sites'
   points for all there is and once, with confidence, for draws from more that nobody has seen.
4. *pay*: by pay-what-you-contribute, each is paid what its labelling costs; every sample costs 1.

A site cannot be asked for more samples than it has points, if a plan within that is found.

The promise of a plan is about a truth in the class. The labels of real data are of no candidate's making; how
far the best candidate is from them is computed beside, from private labels that no earlier stage looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fedpact.candidates.train import train
from fedpact.candidates.trained import TrainedCandidates
from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import read_chance, read_whole_number
from fedpact.describe.progress import Progress
from fedpact.describe.report_files import read_report
from fedpact.errors import FederationError, InfeasibleError
from fedpact.experiments.data.site_data import SiteData
from fedpact.experiments.private_plan import CandidateRun, PrivatePlan, PrivatePlanning, SiteReport
from fedpact.experiments.sweep.read_values import read_share
from fedpact.mechanism.payment.settle import settle
from fedpact.planning.plan import plan
from fedpact.statistics.make_report import report
from fedpact.statistics.standalone import standalone

EPSILONS = (0.1, 0.2, 0.3)
METHODS = ("lp", "union", "tree")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is asked for, checked."""

    counts: tuple[int, ...]
    epsilon: tuple[float, ...]
    delta: float
    confidence: float
    method: str
    seed: int


def _read_all(values: Any, field: str, read: Callable[[Any, str], Any]) -> tuple[Any, ...]:
    """Read one value or several different ones."""
    given = values if isinstance(values, Sequence) and not isinstance(values, str) else [values]
    found = tuple(read(value, field) for value in given)
    if not found or len(set(found)) < len(found):
        raise FederationError(f"{field} must be one value or several different ones; it is {list(given)}")
    return found


def _read_count(value: Any, field: str) -> int:
    return read_whole_number(value, field, least=2)


def read_wish(candidates: Any, epsilon: Any, delta: Any, confidence: Any, method: str, seed: Any) -> Wish:
    """Check what is asked for, before anything is trained."""
    read_choice(method, "method", METHODS)
    return Wish(
        counts=_read_all(candidates, "candidates", _read_count),
        epsilon=_read_all(epsilon, "epsilon", read_share),
        delta=read_chance(delta, "delta"),
        confidence=read_chance(confidence, "confidence"),
        method=method,
        seed=read_whole_number(seed, "seed"),
    )


class _Steps:
    """Tells a progress function how much of everything is done."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def reach(self, done: int) -> None:
        self.done = done
        if self.progress is not None:
            self.progress(self.done, self.total)


def _send_reports(trained: TrainedCandidates, data: SiteData, outbox: Path) -> list[SiteReport]:
    """Let every site predict its points and write its report into a folder, ``1.npz``, ``2.npz``, ..."""
    sent = []
    for number, (site, own) in enumerate(data.private.items(), 1):
        found = trained.predict(own.points)
        path = outbox / f"{number}.npz"
        made = report(found.labels, name=site, candidates=found.candidates, n_classes=len(trained.classes))
        made.save(path)
        sent.append(SiteReport(name=site, points=made.n, report_bytes=path.stat().st_size))
    return sent


def _find_least_error(trained: TrainedCandidates, data: SiteData) -> float:
    """Share of all sites' points that the best candidate gets wrong."""
    own = data.private.values()
    truth = np.concatenate([site.labels for site in own])
    said = trained.predict(np.concatenate([site.points for site in own])).decode()
    return float((said != truth).mean(axis=1).min())


def _plan_within(bounded: Federation, free: Federation, method: str, confidence: float | None) -> PrivatePlan:
    """Plan with every site's number of points as its capacity, if that can be, else without; and settle."""
    fed = bounded
    try:
        found = plan(fed, method, confidence=confidence)
    except InfeasibleError:
        fed = free
        found = plan(fed, method, confidence=confidence)
    return PrivatePlan(
        epsilon=float(fed.epsilon[0]),
        confidence=confidence,
        plan=found,
        has_capacities=fed is bounded,
        settlement=settle(fed, found, rule="pwyc"),
        alone=standalone(fed),
    )


def _run(data: SiteData, count: int, wish: Wish, steps: _Steps) -> CandidateRun:
    before = steps.done
    public = data.public
    trained = train(
        public.points,
        public.labels,
        count=count,
        rng=wish.seed,
        progress=lambda done, _: steps.reach(before + int(done)),
    )
    with TemporaryDirectory() as outbox:
        sites = _send_reports(trained, data, Path(outbox))
        reports = [read_report(Path(outbox) / f"{number}.npz") for number in range(1, len(sites) + 1)]
    bounded, free = (
        Federation.from_reports(
            reports, epsilon=wish.epsilon[0], delta=wish.delta, capacity=capacity, name=data.name
        )
        for capacity in (data.sizes, None)
    )
    plans = []
    for epsilon in wish.epsilon:
        asked = bounded.replace(epsilon=epsilon), free.replace(epsilon=epsilon)
        for confidence in (None, wish.confidence):
            plans.append(_plan_within(*asked, wish.method, confidence))
            steps.reach(before + count + len(plans))
    return CandidateRun(
        H=trained.H,
        H_different=free.H,
        training=trained.status.value,
        least_error=_find_least_error(trained, data),
        sites=tuple(sites),
        plans=tuple(plans),
    )


def plan_privately(
    data: SiteData,
    *,
    candidates: Any = 100,
    epsilon: Any = EPSILONS,
    delta: Any = 0.05,
    confidence: Any = 0.95,
    method: str = "tree",
    seed: int = 0,
    progress: Progress | None = None,
) -> PrivatePlanning:
    """Train, predict, report, plan and pay, for public and private points of any kind.

    Parameters
    ----------
    data
        Public points with labels, and the points of every site.
    candidates
        How many candidates to train; of several numbers each is a class of its own, the same seed making the
        smaller one the beginning of the larger.
    epsilon
        The error that every site tolerates; of several numbers each is planned for.
    delta
        Largest probability with which a target may be missed.
    confidence
        With which the rates are taken for estimates in every second plan.
    method
        "lp", "union" or "tree", which give the same plan wherever they run.
    seed
        Of the training.
    progress
        Called with the number of candidates trained and plans made, and how many there will be.

    Examples
    --------
    >>> from fedpact.experiments.data.digit_sites import load_digit_sites
    >>> data = load_digit_sites(np.random.default_rng(0))
    >>> seen = plan_privately(data, candidates=10, epsilon=0.3, method="lp")
    >>> plain, sure = (one.plan.cost for one in seen.runs[0].plans)
    >>> seen.runs[0].H, plain < sure
    (10, True)
    """
    wish = read_wish(candidates, epsilon, delta, confidence, method, seed)
    steps = _Steps(progress, sum(wish.counts) + 2 * len(wish.epsilon) * len(wish.counts))
    return PrivatePlanning(
        runs=tuple(_run(data, count, wish, steps) for count in wish.counts),
        data=data.name,
        public_points=len(data.public.labels),
        epsilon=wish.epsilon,
        delta=wish.delta,
        confidence=wish.confidence,
        method=wish.method,
        seed=wish.seed,
        versions={package: version(package) for package in ("fedpact", "numpy", "scikit-learn")},
    )
