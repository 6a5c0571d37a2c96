"""Small federations on which a promise is as hard to keep as it gets: wrong choices are wrong by a hair.

Of one truth, candidates differ from it by a point or two more than epsilon allows at some site, and by no more
than it allows elsewhere; epsilon itself is a multiple of a point's mass, so that some lie exactly on the edge.
Where nothing is assumed every site has a best candidate of its own, and the regret of the others is above epsilon
by a point or two; what was best at one site is too bad at the next. For promises about distributions the points
are drawn from one of 40 kinds with this property, which are equally likely at every site.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp

SITES = 2
KINDS = 40


class NearTies(NamedTuple):
    """A federation, its labels, and how wrong every choice would be."""

    fed: fp.Federation
    labels: dict[str, NDArray[np.int64]]
    regret: NDArray[np.float64]
    """(k, H) how much more each candidate errs than it may at least: than the best, or than the truth."""


def _flip(rng: np.random.Generator, row: NDArray[np.int64], among: NDArray[np.intp], count: int) -> None:
    places = rng.choice(among, min(count, len(among)), replace=False)
    row[places] = 1 - row[places]


def _around_truth(
    rng: np.random.Generator, H: int, n: int, least: int, is_bad: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """(H, n) labels of the truth, in the first row, and of others that differ a bit too much, or just not."""
    said = np.tile(rng.integers(0, 2, n), (H, 1))
    for h in range(1, H):
        count = least + int(rng.integers(1, 3)) if is_bad[h] else int(rng.integers(0, least + 1))
        _flip(rng, said[h], np.arange(n), count)
    return said


def _around_best(rng: np.random.Generator, H: int, n: int, least: int, best: int) -> NDArray[np.int64]:
    """(H, n) where candidates err: the best on a fifth, others on so many points more, and partly on others."""
    errs = (rng.random(n) < 0.2).astype(np.int64)
    said = np.tile(errs, (H, 1))
    for h in range(H):
        if h != best:
            moved = min(int(rng.integers(0, 5)), int(errs.sum()))
            _flip(rng, said[h], np.flatnonzero(errs), moved)
            _flip(rng, said[h], np.flatnonzero(errs == 0), least + moved + int(rng.integers(1, 3)))
    return said


def make_near_ties(
    rng: np.random.Generator,
    *,
    has_truth: bool,
    share: float,
    delta: float,
    is_sample: bool,
    noise: float = 0.0,
    has_common: bool = False,
) -> NearTies:
    """Draw a federation.

    Parameters
    ----------
    rng
        What it is drawn by.
    has_truth
        Whether a candidate labels, up to wrong labels: any of them, so that ties do not favour it.
    share
        Epsilon, before it is rounded down to a whole number of points.
    delta
        Of all sites together.
    is_sample
        Whether what counts is the distribution that the points are drawn from.
    noise
        How often a label is wrong.
    has_common
        Whether the best candidate is the same at all sites.

    Examples
    --------
    >>> found = make_near_ties(np.random.default_rng(0), has_truth=True, share=0.1, delta=0.1, is_sample=False)
    >>> is_bad = (found.regret > found.fed.epsilon[:, None]).any(axis=0)
    >>> int((~is_bad).sum()), found.regret[:, ~is_bad].ravel().tolist()
    (1, [0.0, 0.0])
    """
    H, first = int(rng.integers(2, 7)), int(rng.integers(6))
    where, place = rng.integers(0, SITES, H), rng.permutation(H)
    said, labels, regret, epsilon = {}, {}, [], []
    for site in range(SITES):
        n = int(rng.integers(40, 81))
        size = KINDS if is_sample else n
        least = int(share * size)
        if has_truth:
            kinds = _around_truth(rng, H, size, least, where == site)
            apart, true = (kinds != kinds[0]).mean(axis=1)[place], kinds[0]
            kinds = kinds[place]
        else:
            kinds = _around_best(rng, H, size, least, (first if has_common else first + site) % H)
            error = kinds.mean(axis=1)
            apart, true = error - error.min(), np.zeros(size, dtype=np.int64)
        points = rng.integers(0, size, n) if is_sample else np.arange(n)
        name = f"site-{site}"
        said[name], labels[name] = kinds[:, points], true[points] ^ (rng.random(n) < noise)
        regret.append(apart)
        epsilon.append(least / size)
    names = [f"c{h}" for h in range(H)]
    fed = fp.Federation.from_predictions(said, epsilon=epsilon, delta=delta, guarantee="joint", hypotheses=names)
    return NearTies(fed, labels, np.array(regret))
