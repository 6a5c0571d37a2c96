"""What federated averaging loses against training on all samples in one place.

Both start from the same weights and look at every sample equally often: in every round each site trains for some
epochs on its own quota and the mean goes on, while pooled training goes on for as many epochs over all quotas
together. Both take equally many steps one after the other: pooled batches are larger by as much as there are more
samples than at the site that takes most steps, so what is measured is averaging and not a lack of steps. With all
samples in one step and one epoch per round they are the same method, whatever the sites hold. They may still part
in float32: a rounding that switches a ReLU at one sample grows from there on. In float64 it is not seen.

Which of the two predicts better is decided at held-out points, only by those where just one of them is right: if
neither were better, each of these would be a fair coin (McNemar's test, exact). A difference that such coins show
in more than one of twenty cases is called none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.numbers import read_whole_number
from fedpact.drawing.figures import draw_lines
from fedpact.errors import FederationError
from fedpact.result import Result
from fedpact.statistics.binomial_tail import upper_tail
from fedpact.training.averaging import LocalTraining, fed_avg, rng_of_round
from fedpact.training.trainable import (
    Trainable,
    cross_entropies,
    read_batch,
    read_codes,
    read_rate,
    score_points,
    train_locally,
)
from fedpact.training.weights import Weights

if TYPE_CHECKING:
    from fedpact.drawing.figures import Figure

LEVEL = 0.05
_SAME = {"float64": 1e-9, "float32": 1e-4}
_POOL = ""


class GapStatus(StrEnum):
    """How averaging compares with pooled training."""

    EQUAL = "equal"
    """The weights are those of pooled training, up to rounding."""
    ALIKE = "alike"
    """The weights differ; held-out points do not tell which of the two predicts better."""
    BEHIND = "behind"
    """Pooled training predicts held-out points better: local steps drifted apart."""
    AHEAD = "ahead"
    """Averaging predicts held-out points better than pooled training with the same epochs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapScore:
    """How good weights are."""

    loss: float
    """Training objective at all quotas together."""
    accuracy: float
    """Share of all held-out points that are predicted right."""
    site_loss: dict[str, float | None]
    """Objective at every site's quota; None for one without samples."""
    site_accuracy: dict[str, float | None]
    """At every site's held-out points; None for one without any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapRound:
    """Both ways of training after one round; round 0 is the start."""

    round: int
    averaged: GapScore
    pooled: GapScore
    distance: float
    """Largest difference between any two weights of theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragingGap(Result):
    """Federated averaging beside pooled training, round by round."""

    ROWS: ClassVar = "rounds"

    rounds: tuple[GapRound, ...]
    only_averaged: int
    """Held-out points that in the end only averaging gets right."""
    only_pooled: int
    p_value: float
    """How often fair coins would differ at least as much."""
    status: GapStatus
    m: dict[str, int]
    """Samples of every site."""
    steps: tuple[int, int]
    """Gradient steps per round one after the other: of the site that takes most, and of pooled training."""
    epochs: int
    learning_rate: float
    batch: int | None
    pooled_batch: int | None
    """Samples per step of pooled training."""
    seed: int
    version: str

    @property
    def last(self) -> GapRound:
        """The last round."""
        return self.rounds[-1]

    @property
    def loss_gap(self) -> float:
        """Training loss of averaging less that of pooled training, in the end."""
        return self.last.averaged.loss - self.last.pooled.loss

    @property
    def accuracy_gap(self) -> float:
        """Held-out accuracy of pooled training less that of averaging, in the end."""
        return self.last.pooled.accuracy - self.last.averaged.accuracy

    def plot(self) -> Figure:
        """Draw held-out errors against rounds, of all sites and of the worst; needs ``fedpact[plot]``."""
        last = self.last.averaged.site_accuracy
        worst = min((site for site in last if last[site] is not None), key=lambda site: last[site] or 0.0)
        lines = {}
        for label, scores in (
            ("averaged", [one.averaged for one in self.rounds]),
            ("pooled", [one.pooled for one in self.rounds]),
        ):
            lines[f"{label}, all sites"] = [1 - score.accuracy for score in scores]
            lines[f"{label}, {worst}"] = [1 - (score.site_accuracy[worst] or 0.0) for score in scores]
        return draw_lines(
            lines,
            title=f"{self.epochs} local epochs per round, {sum(self.m.values()):,} samples",
            x=[one.round for one in self.rounds],
            x_axis="round",
            y_axis="share of held-out points predicted wrong",
            scale="linear",
            dashed=[label for label in lines if label.startswith("pooled")],
        )


class _Samples(NamedTuple):
    """Labelled points of all sites, one site after the other."""

    points: NDArray[np.float64]
    codes: NDArray[np.intp]
    labels: NDArray[Any]
    parts: dict[str, slice]

    @property
    def m(self) -> dict[str, int]:
        """Samples of every site."""
        return {site: part.stop - part.start for site, part in self.parts.items()}

    def own(self, site: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Points and labels of one site."""
        return self.points[self.parts[site]], self.labels[self.parts[site]]


class _Settings(NamedTuple):
    """How both ways of training go, checked."""

    rounds: int
    epochs: int
    learning_rate: float
    batch: int | None
    pooled_batch: int | None
    seed: int


def _join(model: Trainable, data: Mapping[str, Any], what: str) -> _Samples:
    if not isinstance(data, Mapping) or not data:
        raise FederationError(f"{what} must give the points and labels of every site; it is {type(data).__name__}")
    own, parts, first = {}, {}, 0
    for site, pair in data.items():
        points, labels = (np.asarray(part) for part in pair)
        if len(points) != len(labels):
            raise FederationError(
                f"{what} of site {site!r} must have one label per point; there are {len(labels)} and {len(points)}"
            )
        own[site] = points, labels
        parts[site] = slice(first, first + len(labels))
        first += len(labels)
    some = [pair for pair in own.values() if len(pair[1])]
    if not some:
        raise FederationError(f"{what} must hold a sample at some site; there is none")
    points, labels = (np.concatenate(part) for part in zip(*some, strict=True))
    return _Samples(points, read_codes(model, labels, len(points)), labels, parts)


def _by_site(values: NDArray[Any], parts: Mapping[str, slice], extra: float = 0.0) -> dict[str, float | None]:
    return {
        site: float(values[part].mean()) + extra if part.stop > part.start else None
        for site, part in parts.items()
    }


class _Judge:
    """Scores weights at the quotas and at held-out points."""

    def __init__(self, model: Trainable, quotas: _Samples, held_out: _Samples) -> None:
        self.model, self.quotas, self.held_out = model, quotas, held_out
        self.points = np.concatenate([quotas.points, held_out.points])

    def score(self, weights: Weights) -> tuple[GapScore, NDArray[np.bool_]]:
        """Score weights, and say whether each held-out point is predicted right."""
        scores = score_points(self.model, weights, self.points)
        m = len(self.quotas.codes)
        losses = cross_entropies(scores[:m], self.quotas.codes)
        right: NDArray[np.bool_] = scores[m:].argmax(axis=1) == self.held_out.codes
        penalty = self.model.penalty(weights)
        score = GapScore(
            loss=float(losses.mean()) + penalty,
            accuracy=float(right.mean()),
            site_loss=_by_site(losses, self.quotas.parts, penalty),
            site_accuracy=_by_site(right, self.held_out.parts),
        )
        return score, right

    def compare(self, number: int, averaged: Weights, pooled: Weights) -> GapRound:
        return GapRound(
            round=number,
            averaged=self.score(averaged)[0],
            pooled=self.score(pooled)[0],
            distance=_find_distance(averaged, pooled),
        )


def _find_distance(one: Weights, other: Weights) -> float:
    return max(float(np.abs(one[name] - other[name]).max(initial=0.0)) for name in one.names)


def _judge(last: GapRound, kind: str, counts: tuple[int, int], p_value: float) -> GapStatus:
    if last.distance <= _SAME[kind]:
        return GapStatus.EQUAL
    if p_value > LEVEL:
        return GapStatus.ALIKE
    return GapStatus.BEHIND if counts[1] > counts[0] else GapStatus.AHEAD


def _count_steps(m: int, epochs: int, batch: int | None) -> int:
    return epochs * (1 if batch is None else -(-m // batch))


def _match_steps(m: Mapping[str, int], batch: int | None) -> int | None:
    """Find how many samples per pooled step make as many steps as the largest site takes."""
    return None if batch is None else -(-sum(m.values()) // _count_steps(max(m.values()), 1, batch))


def _count_both(m: Mapping[str, int], settings: _Settings) -> tuple[int, int]:
    """Count the steps per round of the site that takes most, and of pooled training."""
    most = _count_steps(max(m.values()), settings.epochs, settings.batch)
    return most, _count_steps(sum(m.values()), settings.epochs, settings.pooled_batch)


def _toss_coins(one: int, other: int) -> float:
    """Return how often fair coins would fall at least as unequally."""
    return min(1.0, 2 * float(upper_tail(one + other, np.array(max(one, other)), 0.5)))


def _train_both(
    judge: _Judge, start: Weights, settings: _Settings, progress: Callable[[int, int], None] | None
) -> tuple[list[GapRound], Weights, Weights]:
    """Train by averaging and, after every round, as long on the pooled quotas."""
    samples, pooled, found = judge.quotas, start, [judge.compare(0, start, start)]
    options: dict[str, Any] = {"epochs": settings.epochs, "learning_rate": settings.learning_rate}

    def at(site: str) -> LocalTraining:
        points, labels = samples.own(site)
        return lambda number, weights: train_locally(
            judge.model,
            weights,
            points,
            labels,
            batch=settings.batch,
            rng=rng_of_round(settings.seed, number, site),
            **options,
        )

    def follow(number: int, averaged: Weights) -> None:
        nonlocal pooled
        rng, own = rng_of_round(settings.seed, number, _POOL), (samples.points, samples.labels)
        pooled = train_locally(judge.model, pooled, *own, batch=settings.pooled_batch, rng=rng, **options)
        found.append(judge.compare(number, averaged, pooled))
        if progress is not None:
            progress(number, settings.rounds)

    sites = {site: at(site) for site in samples.parts}
    averaged = fed_avg(sites, start, settings.rounds, m=samples.m, progress=follow).weights
    return found, averaged, pooled


def measure_gap(
    model: Trainable,
    start: Weights,
    quotas: Mapping[str, Any],
    held_out: Mapping[str, Any],
    *,
    rounds: int,
    epochs: int = 1,
    learning_rate: float = 0.1,
    batch: int | None = None,
    pooled_batch: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> AveragingGap:
    """Train by federated averaging and on the pooled quotas, and compare the two after every round.

    Parameters
    ----------
    model, start
        What is trained, and from where, both times.
    quotas
        Site -> (points, labels) that it contributed; their number is its weight. A site may have none.
    held_out
        Site -> (points, labels) that nothing is trained on.
    rounds, epochs
        How often weights are averaged, and epochs of every site in between.
    learning_rate, batch
        As for :func:`fedpact.training.train_locally`, at every site.
    pooled_batch
        Samples per step of pooled training; without it, so many that an epoch takes as many steps as at the site
        that takes most.
    seed
        Of the orders in which samples are looked at.
    progress
        Called with the number of rounds done and their total.

    Examples
    --------
    >>> from fedpact.training import SoftmaxModel, initial_weights
    >>> rng = np.random.default_rng(0)
    >>> model = SoftmaxModel(classes=(0, 1), features=2)
    >>> def draw(n, shift):
    ...     points = rng.normal(size=(n, 2)) + shift
    ...     return points, points[:, 0] > 0
    >>> quotas, others = ({"a": draw(n, -1), "b": draw(n, 1)} for n in (20, 200))
    >>> one, ten = (
    ...     measure_gap(model, initial_weights(model), quotas, others, rounds=20 // epochs, epochs=epochs)
    ...     for epochs in (1, 10)
    ... )
    >>> one.status.name, one.last.distance < 1e-12, ten.last.distance > 0.01
    ('EQUAL', True, True)
    """
    samples = _join(model, quotas, "quotas")
    judge = _Judge(model, samples, _join(model, held_out, "held_out"))
    size, pooled_size = read_batch(batch), read_batch(pooled_batch)
    settings = _Settings(
        rounds=read_whole_number(rounds, "rounds", least=1),
        epochs=read_whole_number(epochs, "epochs", least=1),
        learning_rate=read_rate(learning_rate),
        batch=size,
        pooled_batch=_match_steps(samples.m, size) if pooled_size is None else pooled_size,
        seed=seed,
    )
    found, averaged, pooled = _train_both(judge, start, settings, progress)
    right, other = judge.score(averaged)[1], judge.score(pooled)[1]
    counts = int((right & ~other).sum()), int((other & ~right).sum())
    p_value = _toss_coins(*counts)
    return AveragingGap(
        rounds=tuple(found),
        only_averaged=counts[0],
        only_pooled=counts[1],
        p_value=p_value,
        status=_judge(found[-1], start[start.names[0]].dtype.name, counts, p_value),
        m=samples.m,
        steps=_count_both(samples.m, settings),
        epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        batch=settings.batch,
        pooled_batch=settings.pooled_batch,
        seed=seed,
        version=version("fedpact"),
    )
