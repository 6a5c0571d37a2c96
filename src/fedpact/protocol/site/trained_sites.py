"""Sites for a trial on real data: candidates trained from public points, real labels, points to evaluate on.

Every site's points are split: from most it draws what it labels, on the others it looks at the outcome. No
candidate need be right about real labels; then what a plan promises is about the best candidate as a teacher, and
the evaluation says what was reached (see docs/explanation/realizability.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.candidates.predicted import Predicted
from fedpact.candidates.train import TrainedCandidates, train
from fedpact.describe.candidate_list import CandidateList
from fedpact.describe.costs import AnyCost
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number, read_chance, read_whole_number, shorten
from fedpact.describe.progress import Progress
from fedpact.describe.settings import PerAgent
from fedpact.errors import FederationError
from fedpact.protocol.site.pool import Pool
from fedpact.protocol.site.simulated_sites import seed_for
from fedpact.protocol.site.site import HeldOut, Site

HELD_OUT = 0.25


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainedSites:
    """Sites with real labels, and the candidates that they compare."""

    federation: Federation
    sites: dict[str, Site]
    trained: TrainedCandidates


def _split(count: int, share: float, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places to draw from, and places to evaluate on; at least one of each if there are two."""
    order = rng.permutation(count)
    aside = min(max(1, round(share * count)), count - 1)
    return np.sort(order[aside:]), np.sort(order[:aside])


def train_sites(
    public: tuple[ArrayLike, ArrayLike],
    private: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    epsilon: PerAgent[Number],
    delta: Number,
    candidates: int = 100,
    cost: PerAgent[AnyCost] = 1.0,
    held_out: Number = HELD_OUT,
    seed: int = 0,
    name: str = "federation",
    progress: Progress | None = None,
) -> TrainedSites:
    """Train candidates from public points, and make a site of every private set of labelled points.

    Parameters
    ----------
    public
        (points, labels), (n, d) and (n,).
    private
        Site -> (points, labels).
    epsilon, delta, cost
        Of the federation, as for :meth:`fedpact.Federation.from_predictions`.
    candidates
        How many to train.
    held_out
        Share of every site's points on which it evaluates the outcome.
    seed
        Of the training, of the split and of every site's draws.
    progress
        Called with candidates trained and in all.
    """
    seed, share = read_whole_number(seed, "seed"), read_chance(held_out, "held_out")
    points, labels = (np.asarray(part) for part in public)
    trained = train(points, labels, count=candidates, rng=seed, progress=progress)
    sites = {
        site: _make_site(site, trained, *map(np.asarray, own), share=share, seed=seed_for(seed, site))
        for site, own in private.items()
    }
    fed = Federation.from_predictions(
        {site: own.pool.predicted for site, own in sites.items()},
        epsilon=epsilon,
        delta=delta,
        cost=cost,
        name=name,
        hypotheses=trained.candidates.names,
    )
    return TrainedSites(federation=fed, sites=sites, trained=trained)


def _code(site: str, labels: NDArray[Any], classes: tuple[Any, ...]) -> NDArray[np.intp]:
    """Places of a site's labels among the classes, which are in order."""
    if len(labels) < 2:
        raise FederationError(
            f"a site needs 2 labelled points, one to draw and one to evaluate on; {site!r} has {len(labels)}"
        )
    values = np.array(classes)
    codes: NDArray[np.intp] = np.minimum(np.searchsorted(values, labels), len(values) - 1)
    strange = labels[values[codes] != labels]
    if len(strange):
        raise FederationError(
            f"site {site!r} has a point labelled {shorten(strange[0].item())}, as no public point is; add one"
        )
    return codes


def _make_site(
    site: str,
    trained: TrainedCandidates,
    points: NDArray[np.float64],
    labels: NDArray[Any],
    *,
    share: float,
    seed: int,
) -> Site:
    codes = _code(site, labels, trained.classes)
    pool, aside = _split(len(labels), share, np.random.default_rng(seed))
    predicted = trained.predict(points)
    named = CandidateList.from_names(predicted.candidates.names)
    own = codes[pool]
    return Site(
        name=site,
        pool=Pool(
            predicted=Predicted(labels=predicted.labels[:, pool], candidates=named, classes=predicted.classes)
        ),
        labeller=lambda places: own[places],
        held_out=HeldOut(predicted=predicted.labels[:, aside], labels=codes[aside]),
        seed=seed,
    )
