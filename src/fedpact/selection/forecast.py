"""``forecast``: before anybody labels, what a fixed plan and adaptive labelling will take, beside everyone alone.

What a plan asks for is known in advance. What adaptive labelling asks for depends on the labels, so it is
simulated: in every run one candidate is the truth and labels as the assumption says, all of them right
(``realizable``), or each wrong with probability ``noise``, then evenly one of the other labels that candidates
give there (``noisy`` and ``agnostic``: real labels need not be so kind). If every candidate was the truth once and
all labels are right, the most labels of any run are the most that there can be.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from fedpact.coded import Refusal, refusal_of
from fedpact.describe.any_federation import takes_federation
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.label_matrix import decode
from fedpact.describe.numbers import Number, check_at_least, read_whole_number
from fedpact.describe.progress import Progress
from fedpact.describe.settings import ASSUMPTIONS, Assumed, Guarantee
from fedpact.errors import FederationError, InfeasibleError
from fedpact.planning.plan import plan
from fedpact.result import Result
from fedpact.selection.list_points import MOST_CANDIDATES, MOST_POINTS, list_points
from fedpact.selection.select import Answer
from fedpact.selection.selector import Selector
from fedpact.statistics.standalone import find_shortfalls, standalone

if TYPE_CHECKING:
    from fedpact.drawing import Figure

HOWS = ("alone", "fixed", "adaptive")
NOISE = 0.05
RUNS = 100
SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastRow(Assumed):
    """One way to label, under one assumption."""

    noise: float | None = None
    how: Annotated[str, HOWS]
    """Everyone alone, by a fixed plan together, or adaptively."""
    batch: int | None = None
    """Labels before one looks again: of every site where nothing is assumed, else of all together."""
    labels: float | None = None
    """Labels of all sites, on average over runs; None where they cannot be told."""
    labels_worst: int | None = None
    """The most labels of any run."""
    cost: float | None = None
    rounds: float | None = None
    """How often labels are asked for, on average."""
    is_bound: bool = False
    """Whether ``labels_worst`` is the most that there can be, not only the most that was seen."""
    runs: int = 0
    """Simulated runs."""
    certified: float | None = None
    """Share of the runs in which every site had its proof before its points ran out."""
    refusal: Refusal | None = None
    """Why there is no such way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast(Result):
    """Labels and costs of ways to label, under several assumptions, before anybody labels."""

    ROWS: ClassVar = "rows"

    rows: tuple[ForecastRow, ...]
    noise: float
    """How often a simulated label is wrong, where labels may be."""
    epsilon: dict[str, float]
    delta: float
    guarantee: Guarantee
    confidence: float | None = None
    name: str
    """The federation's name."""

    def row(self, assume: str, how: str, batch: int | None = None) -> ForecastRow:
        """Give the row of a way to label; of several batch sizes the first, if none is named."""
        for row in self.rows:
            if (row.assume, row.how) == (assume, how) and batch in (None, row.batch):
                return row
        raise FederationError(f"the forecast has no row of assume {assume!r}, how {how!r} and batch {batch!r}")

    def plot(self) -> Figure:
        """Draw the labels of every row, as a matplotlib figure; needs ``fedpact[plot]``."""
        from fedpact.drawing import draw_bars

        return draw_bars(
            {
                f"{row.assume}: {row.how}" + (f" ({row.batch})" if row.batch else ""): row.labels
                for row in self.rows
                if row.labels is not None
            },
            title=self.name,
            axis="labels",
            is_log=True,
        )


def _of_plan(fed: Federation, how: str, contributions: dict[str, int]) -> ForecastRow:
    m = list(contributions.values())
    return ForecastRow(
        assume=fed.assume,
        noise=fed.noise,
        how=how,
        labels=float(sum(m)),
        labels_worst=sum(m),
        cost=fed.cost_of(m),
        rounds=1.0,
        is_bound=True,
    )


def _go_alone(fed: Federation) -> ForecastRow:
    needs = standalone(fed)
    short = find_shortfalls(fed, needs)
    if short:
        refusal = Refusal(code="not-alone", agents=tuple(short))
        return ForecastRow(assume=fed.assume, noise=fed.noise, how="alone", refusal=refusal)
    return _of_plan(fed, "alone", {name: need or 0 for name, need in needs.items()})


def _plan(fed: Federation, confidence: Number | None) -> ForecastRow:
    try:
        return _of_plan(fed, "fixed", plan(fed, confidence=confidence).contributions)
    except InfeasibleError as error:
        return ForecastRow(assume=fed.assume, noise=fed.noise, how="fixed", refusal=refusal_of(error))


def simulate_labels(fed: Federation, truth: int, noise: float, rng: np.random.Generator) -> Answer:
    """Label by one candidate, each label wrong with probability ``noise``: evenly another that candidates give.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> simulate_labels(alice_bob(), 1, 0.0, np.random.default_rng(0))("bob", np.array([0, 1])).tolist()
    [0, 1]
    """
    said = dict(zip(fed.names, list_points(fed, has_twins=False)[0], strict=True))
    classes, known = getattr(fed.evidence, "classes", None), {}

    def label(site: str, points: Any) -> Any:
        for point in points.tolist():
            if (site, point) not in known:
                own = said[site][:, point]
                others = np.unique(own[own != own[truth]])
                is_wrong = len(others) and rng.random() < noise
                known[site, point] = rng.choice(others) if is_wrong else own[truth]
        return decode(np.array([known[site, point] for point in points.tolist()]), classes)

    return label


def _choose_truths(H: int, runs: int, rng: np.random.Generator) -> list[int]:
    """List candidates as evenly as it goes, in random order."""
    return [int(one) for start in range(0, runs, H) for one in rng.permutation(H)[: runs - start]]


def _simulate(
    fed: Federation, batch: int, noise: float, truths: Sequence[int], seed: int, deadline: float, confidence: Any
) -> Iterator[tuple[int, float, int, bool]]:
    """Yield labels, cost, rounds and whether all was proved, of every run; of one at least."""
    for run, truth in enumerate(truths):
        if run and time.monotonic() > deadline:
            return
        answer = simulate_labels(fed, truth, noise, np.random.default_rng([seed, run]))
        selector = Selector(fed, confidence=confidence, rng=seed + run)
        while asked := selector.ask(batch):
            for site, points in asked.items():
                selector.tell(site, points, answer(site, np.array(points)))
        labels = list(selector.labels_asked.values())
        yield sum(labels), fed.cost_of(labels), selector.rounds, selector.is_certified


def _of_runs(
    fed: Federation, batch: int, found: list[tuple[int, float, int, bool]], *, is_bound: bool
) -> ForecastRow:
    labels, cost, rounds, certified = (np.array(column, dtype=np.float64) for column in zip(*found, strict=True))
    return ForecastRow(
        assume=fed.assume,
        noise=fed.noise,
        how="adaptive",
        batch=batch,
        labels=float(labels.mean()),
        labels_worst=int(labels.max()),
        cost=float(cost.mean()),
        rounds=float(rounds.mean()),
        is_bound=is_bound,
        runs=len(found),
        certified=float(certified.mean()),
    )


def _read_list(values: Any, field: str) -> tuple[Any, ...]:
    found = (values,) if isinstance(values, str | int) else tuple(values)
    if not found:
        raise FederationError(f"{field} must name at least one")
    return found


@takes_federation
def forecast(
    fed: Federation,
    *,
    assume: Sequence[str] | str | None = None,
    noise: Number | None = None,
    batch: Sequence[int] | int = (1, 25),
    confidence: Number | None = None,
    runs: int = RUNS,
    time_limit: float = SECONDS,
    rng: int = 0,
    progress: Progress | None = None,
) -> Forecast:
    """Say, before anybody labels, how many labels a fixed plan and adaptive labelling take, beside everyone alone.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example. From reports, which hold no points, adaptive labelling
        cannot be simulated.
    assume
        Assumptions to forecast under; all, that of the federation first, if not given.
    noise
        How often a label is wrong; as the federation says, else 0.05: at most where that is assumed, and in
        simulated labels of ``noisy`` and ``agnostic``.
    batch
        How many labels come in before one looks again.
    confidence
        As for :func:`fedpact.select`; everyone alone is then left out.
    runs, time_limit
        Simulated runs of every row, and seconds after which no more are begun.
    rng
        A seed.
    progress
        Called with the number of rows done and their total.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> seen = forecast(alice_bob(), assume="realizable", batch=1)
    >>> [(row.how, row.labels, row.labels_worst, row.is_bound) for row in seen.rows]
    [('alone', 28.0, 28, True), ('fixed', 5.0, 5, True), ('adaptive', 2.0, 2, True)]
    """
    batches = [read_whole_number(one, "batch", least=1) for one in _read_list(batch, "batch")]
    runs, seed = read_whole_number(runs, "runs", least=1), read_whole_number(rng, "rng")
    own_first = sorted(ASSUMPTIONS, key=lambda one: one != fed.assume)
    assumptions, rows = _read_list(own_first if assume is None else assume, "assume"), []
    noise = fed.noise or NOISE if noise is None else noise
    check_at_least(time_limit, "time_limit", 0)
    noisy = fed.replace(noise=noise)
    feds = [fed.replace(assume=one, noise=noise if one == "noisy" else None) for one in assumptions]
    feds = [one for one, name in zip(feds, assumptions, strict=True) if one.assume == name]  # no noise is none
    has_points = not isinstance(fed.evidence, Reports)
    total = len(feds) * ((confidence is None) + 1 + has_points * len(batches))
    deadline = time.monotonic() + time_limit
    for at, asked in enumerate(feds):
        level = 0.0 if asked.assume == "realizable" else noisy.noise or 0.0
        if confidence is None:
            rows.append(_go_alone(asked))
        rows.append(_plan(asked, confidence))
        for place, size in enumerate(batches if has_points else ()):
            generator = np.random.default_rng(seed)
            is_every = asked.assume == "realizable" and runs >= fed.H
            truths = list(range(fed.H)) if is_every else _choose_truths(fed.H, runs, generator)
            left = (len(feds) - at) * len(batches) - place
            until = time.monotonic() + max(0.0, deadline - time.monotonic()) / left
            found = list(_simulate(asked, size, level, truths, seed, until, confidence))
            is_bound = (
                is_every and len(found) == fed.H <= MOST_CANDIDATES and max(fed.evidence.sizes) <= MOST_POINTS
            )
            rows.append(_of_runs(asked, size, found, is_bound=is_bound))
            if progress is not None:
                progress(len(rows), total)
    return Forecast(
        rows=tuple(rows),
        noise=noisy.noise or 0.0,
        epsilon=dict(zip(fed.names, fed.epsilon.tolist(), strict=True)),
        delta=fed.delta,
        guarantee=fed.guarantee,
        confidence=None if confidence is None else float(confidence),
        name=fed.name,
    )
