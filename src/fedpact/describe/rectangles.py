"""Axis-parallel boxes.

A nonempty set of points that some box cuts out is cut out by its bounding box, and by no other box that has one
of these points on every side. So the different sets are as many as these tight boxes, and they are
enumerated feature by feature. Level f holds the sets that boxes on the first f features cut out; level 0 holds
all points. Level f + 1 holds, for every set S of level f and all values l <= h that feature f + 1 takes in S,

    T = {x in S : l <= x_{f+1} <= h},   if T has the least and the greatest values of S in features 1 to f.

Every set is found exactly once. T tells which S it came from, the points between its least and greatest values
in the features 1 to f, and l and h are its least and greatest value of feature f + 1. And none is missed: let a
box on the first f + 1 features cut out T, and S be the points between T's least and greatest values in the
first f. S is in level f and has these ends itself, and T is what remains of it between T's own l and h.

No time goes into what is not kept. For every l there is a least h that leaves a point at each of the 2 f ends,
and beyond it all do; and no level has more sets than the next, because l and h may be the ends of S.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.hypothesis_class import (
    OR_COVER,
    HypothesisClass,
    at_most,
    keep_distinct,
    read_features,
    read_names,
    show,
)


def _least_ends(place: NDArray[np.intp], earlier: NDArray[np.intp]) -> NDArray[np.intp]:
    """For every value l of a feature, find the least h with a point between them at each earlier end.

    Parameters
    ----------
    place
        (n,) place of every point in the order of the feature's v values in a set.
    earlier
        (f, n) the same for the earlier features, in the order of all points' values.

    Returns
    -------
    (v,) place of the least h; v where there is none.
    """
    size = place.max() + 1
    ends = (earlier.min(axis=1), earlier.max(axis=1))
    is_at_end = np.concatenate([earlier == end[:, None] for end in ends])
    end, point = np.nonzero(is_at_end)
    following = np.full((len(is_at_end), size), size)
    following[end, place[point]] = place[point]
    following = np.minimum.accumulate(following[:, ::-1], axis=1)[:, ::-1]
    least: NDArray[np.intp] = np.vstack([np.arange(size), following]).max(axis=0)
    return least


def _next_level(
    level: NDArray[np.bool_], ranks: NDArray[np.intp], feature: int, refuse: Callable[[int], None]
) -> NDArray[np.bool_]:
    """From the sets (B, n) of a level, and the place of every point (n, d) among each feature's values."""
    found, count, column = [], 0, ranks[:, feature]
    for inside in level:
        values, place = np.unique(column[inside], return_inverse=True)
        least = _least_ends(place, ranks[inside, :feature].T)
        ends = len(values) - least
        count += int(ends.sum())
        refuse(count + 1)
        low = np.repeat(np.arange(len(values)), ends)
        high = np.concatenate([np.arange(first, len(values)) for first in least])
        found.append(inside & (values[low, None] <= column) & (column <= values[high, None]))
    return np.concatenate(found)


def _rank_features(x: NDArray[np.float64]) -> NDArray[np.intp]:
    """(n, d') order of the points in every feature that has several values and no earlier feature's order."""
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in x.T])
    _, first = np.unique(ranks, axis=1, return_index=True)
    kept = ranks[:, np.sort(first)]
    return kept[:, kept.any(axis=0)]


def enumerate_rectangles(x: NDArray[np.float64], refuse: Callable[[int], None]) -> NDArray[np.bool_]:
    """(B, n) every nonempty set of the different points ``x`` (n, d) that a box cuts out, by their tight boxes.

    ``refuse`` is told how many sets there are at least, with the empty one, and raises if these are too many.
    """
    refuse(len(x) + 1)  # every point has a box of its own
    ranks = _rank_features(x)
    level = np.ones((1, len(x)), dtype=bool)
    for feature in range(ranks.shape[1]):
        level = _next_level(level, ranks, feature, refuse)
    return level


def _name_box(points: NDArray[np.float64], names: Sequence[str]) -> str:
    ends = zip(names, points.min(axis=0).tolist(), points.max(axis=0).tolist(), strict=True)
    return " & ".join(f"{show(low)} <= {name} <= {show(high)}" for name, low, high in ends)


def rectangles(features: ArrayLike, *, names: Sequence[str] | None = None) -> HypothesisClass:
    """Positive inside an axis-parallel box whose sides run through the points, or never.

    Examples
    --------
    >>> rectangles([[0, 5], [1, 7]], names=["age", "dose"]).hypotheses[:2]
    ('0 <= age <= 0 & 5 <= dose <= 5', '0 <= age <= 1 & 5 <= dose <= 7')
    >>> len(rectangles([[0, 0], [0, 1], [1, 0]]).hypotheses)
    7
    """
    x = read_features(features, "features of class 'rectangles'")
    names = read_names(names, x.shape[1], "feature_names", "f")
    different, where = np.unique(x, axis=0, return_inverse=True)
    sets = enumerate_rectangles(different, partial(at_most, what="rectangles", or_else=OR_COVER, so_far=True))
    words = [*(_name_box(different[inside], names) for inside in sets), "never"]
    rows = np.vstack([sets, np.zeros((1, len(different)), dtype=bool)])
    return keep_distinct("rectangles", rows[:, where.ravel()], words)
