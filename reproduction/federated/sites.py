"""The sites of a federation with a class of candidates, from writers or from hospitals.

- *writers*: the class are checkpoints of networks that other writers' images trained.
- *hospitals*: the class are models of several kinds (:mod:`reproduction.train_candidates`), trained from the
  public quarter.

Before anything else a share of every site's points is set apart to test on. The others are all there is of that
site: what is planned for, and what is drawn from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import fedpact as fp
from reproduction.experiment import Arrays
from reproduction.train_candidates import predict, train


class Points(NamedTuple):
    """The true labels of points, and what every candidate says of them."""

    labels: NDArray[np.int64]
    """(n,)"""
    predictions: NDArray[np.int64]
    """(H, n)"""

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """(H, n) where each candidate errs."""
        return np.asarray(self.predictions != self.labels)

    def take(self, at: NDArray[np.intp]) -> Points:
        """Take the points at these places."""
        return Points(self.labels[at], self.predictions[:, at])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sites:
    """What every site has."""

    own: dict[str, Points]
    """To plan for and to draw from."""
    test: dict[str, Points]


def set_apart(points: Points, share: float, rng: np.random.Generator) -> tuple[Points, Points]:
    """Draw a share of the points, at least one, to test on; returns the others first.

    Examples
    --------
    >>> four = Points(np.arange(4), np.zeros((2, 4), dtype=np.int64))
    >>> own, test = set_apart(four, 0.25, np.random.default_rng(0))
    >>> len(own.labels), len(test.labels), sorted([*own.labels.tolist(), *test.labels.tolist()])
    (3, 1, [0, 1, 2, 3])
    """
    n = len(points.labels)
    if n < 2:
        raise fp.FederationError(f"a site must have two points or more, one of them to test on; it has {n}")
    order = rng.permutation(n)
    count = min(n - 1, max(1, round(share * n)))
    return points.take(order[count:]), points.take(order[:count])


def _divide(cell: Mapping[str, Any], everything: Points) -> Sites:
    """Give every site its points, which stand one site after the other."""
    rng, ends = np.random.default_rng([cell["seed"], 0]), np.cumsum((0, *cell["sizes"]))
    own, test = {}, {}
    for name, first, end in zip(cell["sites"], ends[:-1], ends[1:], strict=True):
        here = everything.take(np.arange(first, end))
        own[name], test[name] = set_apart(here, cell["test_share"], rng)
    return Sites(own=own, test=test)


def open_writers(cell: Mapping[str, Any], arrays: Arrays) -> Sites:
    """Make sites of writers; the class is given by its predictions."""
    labels, said = (np.asarray(arrays[key], dtype=np.int64) for key in ("labels", "predictions"))
    return _divide(cell, Points(labels, said))


def open_hospitals(cell: Mapping[str, Any], arrays: Arrays) -> Sites:
    """Make sites of hospitals; the class is trained from the public points."""
    public, points = (np.asarray(arrays[key], dtype=np.float64) for key in ("public", "points"))
    public_labels, labels = (np.asarray(arrays[key], dtype=np.int64) for key in ("public_labels", "labels"))
    trained = train(public, public_labels, count=cell["H"], seed=cell["seed"])
    return _divide(cell, Points(labels, predict(trained, points).decode().astype(np.int64)))
