"""Named hypothesis classes over finitely many points.

Each function takes the points (a count, or an (n, d) array of features) and returns every *different*
labelling of those points that the class induces, with a readable name each. On finite points that
restriction loses nothing: hypotheses that agree on every point are one hypothesis.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedpact.describe.halfspaces import halfspaces_in_plane
from fedpact.describe.halfspaces_by_contraction import independent_features, separate
from fedpact.describe.hypothesis_class import (
    OR_COVER,
    HypothesisClass,
    at_most,
    keep_distinct,
    read_features,
    read_line,
    read_names,
    show,
)
from fedpact.describe.names import nearest
from fedpact.describe.numbers import shorten
from fedpact.describe.rectangles import enumerate_rectangles, rectangles
from fedpact.errors import FederationError


def all_labelings(n: int, *, points: Sequence[str] | None = None) -> HypothesisClass:
    """All 2^n binary labelings; each is named after the points it labels 1.

    Examples
    --------
    >>> all_labelings(2).hypotheses
    ('nowhere', 'x2', 'x1', 'x1+x2')
    """
    _at_least_one(n, "all-labelings")
    at_most(2 ** min(n, 64), f"all-labelings of {n} points")
    labels = np.array(list(itertools.product((0, 1), repeat=n)), dtype=np.int64).reshape(-1, n)
    points = read_names(points, n, "points", "x")
    names = ["+".join(itertools.compress(points, row)) or "nowhere" for row in labels]
    return keep_distinct("all-labelings", labels, names)


def singletons(n: int, *, points: Sequence[str] | None = None) -> HypothesisClass:
    """Enumerate the all-negative hypothesis and, for every point, the one that is positive there alone.

    Examples
    --------
    >>> singletons(2).labels.tolist()
    [[0, 0], [1, 0], [0, 1]]
    """
    _at_least_one(n, "singletons")
    at_most(n + 1, f"singletons over {n} points")
    labels = np.vstack([np.zeros((1, n), dtype=np.int64), np.eye(n, dtype=np.int64)])
    return keep_distinct("singletons", labels, ["nowhere", *read_names(points, n, "points", "x")])


def conjunctions(features: ArrayLike, *, names: Sequence[str] | None = None) -> HypothesisClass:
    """Every conjunction of literals over binary features, and the one that is never true.

    They are the boxes of the cube. Of those that are true of the same points the first gives the name, in the
    order in which a feature is not asked for, must be 1, must be 0.

    Examples
    --------
    >>> conjunctions([[0], [1]], names=["urgent"]).hypotheses
    ('always', 'urgent', 'not urgent', 'never')
    """
    x = read_features(features, "features of class 'conjunctions'")
    if not np.isin(x, (0, 1)).all():
        raise FederationError("class 'conjunctions' needs features that are 0 or 1; other values were given")
    names = read_names(names, x.shape[1], "feature_names", "f")
    different, where = np.unique(x, axis=0, return_inverse=True)
    sets = enumerate_rectangles(different, partial(at_most, what="conjunctions", so_far=True))
    literals = {_fewest_literals(different, inside): inside for inside in sets}
    rows = [*(literals[key] for key in sorted(literals)), np.zeros(len(different), dtype=bool)]
    words = [_conjunction(key, names) for key in sorted(literals)]
    return keep_distinct("conjunctions", np.array(rows)[:, where.ravel()], [*words, "never"])


def _fewest_literals(x: NDArray[np.float64], inside: NDArray[np.bool_]) -> tuple[int, ...]:
    """Drop every literal, the first features' first, without which the set of points stays the same.

    Returns
    -------
    (d,) what is asked of every feature: 0 nothing, 1 that it is 1, 2 that it is 0.
    """
    value = x[inside][0]
    is_asked = (x[inside] == value).all(axis=0)
    breaks = (x != value) & is_asked
    broken = breaks.sum(axis=1)
    for feature in np.flatnonzero(is_asked):
        if not np.any(breaks[:, feature] & (broken == 1)):
            is_asked[feature] = False
            broken = broken - breaks[:, feature]
    return tuple(np.where(is_asked, 2 - value, 0).astype(int).tolist())


def _conjunction(literals: Sequence[int], names: Sequence[str]) -> str:
    asked = [(name, literal) for name, literal in zip(names, literals, strict=True) if literal]
    return " & ".join(name if literal == 1 else f"not {name}" for name, literal in asked) or "always"


def thresholds(values: ArrayLike) -> HypothesisClass:
    """Positive from some value on.

    Examples
    --------
    >>> thresholds([1, 2]).hypotheses
    ('x >= 1', 'x >= 2', 'never')
    """
    x = read_line(values, "thresholds")
    cuts = np.unique(x)
    at_most(len(cuts) + 1, f"thresholds over {len(cuts)} values", OR_COVER)
    rows = np.vstack([x >= cuts[:, None], np.zeros((1, len(x)), dtype=bool)])
    names = [f"x >= {show(cut)}" for cut in cuts] + ["never"]
    return keep_distinct("thresholds", rows, names)


def intervals(values: ArrayLike) -> HypothesisClass:
    """Positive between two values (both included), or never.

    Examples
    --------
    >>> len(intervals([1, 2, 3]).hypotheses)
    7
    """
    x = read_line(values, "intervals")
    cuts = np.unique(x)
    at_most(len(cuts) * (len(cuts) + 1) // 2 + 1, f"intervals over {len(cuts)} values", OR_COVER)
    spans = [(low, high) for low, high in itertools.product(cuts, cuts) if low <= high]
    rows = [(low <= x) & (x <= high) for low, high in spans] + [np.zeros(len(x), dtype=bool)]
    names = [f"{show(low)} <= x <= {show(high)}" for low, high in spans] + ["never"]
    return keep_distinct("intervals", np.array(rows), names)


def stumps(features: ArrayLike, *, names: Sequence[str] | None = None) -> HypothesisClass:
    """One feature against one threshold, in either direction.

    Examples
    --------
    >>> stumps([[0], [1]], names=["age"]).hypotheses
    ('age >= 0', 'age < 0', 'age >= 1', 'age < 1')
    """
    x = read_features(features, "features of class 'stumps'")
    names = read_names(names, x.shape[1], "feature_names", "f")
    cuts = [np.unique(column) for column in x.T]
    at_most(2 + 2 * sum(len(values) - 1 for values in cuts), f"stumps over {x.shape[1]} features", OR_COVER)
    rows, words = [], []
    for feature, name in enumerate(names):
        for cut in cuts[feature]:
            above = x[:, feature] >= cut
            rows += [above, ~above]
            words += [f"{name} >= {show(cut)}", f"{name} < {show(cut)}"]
    return keep_distinct("stumps", np.array(rows), words)


def halfspaces(features: ArrayLike, *, names: Sequence[str] | None = None) -> HypothesisClass:
    """Positive on one side of a hyperplane, in either direction, or everywhere or nowhere.

    Named by the line in the plane, by the threshold where one feature tells all, else by the inequality.

    Examples
    --------
    >>> halfspaces([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]).hypotheses[2]
    'f1 - 0.5 f2 + 2 f3 <= 2'
    >>> halfspaces([1, 2]).hypotheses
    ('f1 >= 1', 'f1 < 1', 'f1 >= 2', 'f1 < 2')
    """
    x = read_features(features, "features of class 'halfspaces'")
    if x.shape[1] == 2:
        return halfspaces_in_plane(x, None if names is None else read_names(names, 2, "feature_names"))
    names = read_names(names, x.shape[1], "feature_names", "f")
    used = independent_features(np.unique(x, axis=0)) or [0]
    if len(used) == 1:
        return replace(stumps(x[:, used], names=[names[used[0]]]), name="halfspaces")
    if len(used) == 2:
        return halfspaces_in_plane(x[:, used], [names[feature] for feature in used])
    return separate(x[:, used], [names[feature] for feature in used])


ON_POINTS: dict[str, Callable[..., HypothesisClass]] = {"all-labelings": all_labelings, "singletons": singletons}
ON_LINE: dict[str, Callable[..., HypothesisClass]] = {"thresholds": thresholds, "intervals": intervals}
ON_FEATURES: dict[str, Callable[..., HypothesisClass]] = {
    "conjunctions": conjunctions,
    "halfspaces": halfspaces,
    "rectangles": rectangles,
    "stumps": stumps,
}
OF_POINTS = tuple(sorted([*ON_LINE, *ON_FEATURES]))
"""What an agent's own points, without names, can be labelled by."""
NAMES = tuple(sorted([*ON_POINTS, *OF_POINTS]))


def check_class(name: Any, known: Sequence[str], rule: str) -> None:
    """Refuse the name of a class that is not known."""
    if not isinstance(name, str) or name not in known:
        hint = nearest(name, known) if isinstance(name, str) else f"known: {', '.join(known)}"
        raise FederationError(f"{rule}; it is {shorten(name)} ({hint})")


def make_class(
    name: str,
    features: ArrayLike | None,
    *,
    points: Sequence[str] = (),
    feature_names: Sequence[str] | None = None,
) -> HypothesisClass:
    """Enumerate a class by its name, on named points, on their places in order, or on features."""
    if name in ON_POINTS:
        return ON_POINTS[name](len(points), points=points)
    if name in ON_LINE:
        if feature_names is not None:
            raise FederationError(f"feature_names have no meaning for class {name!r}, which has one feature x")
        return ON_LINE[name](range(1, len(points) + 1) if features is None else features)
    if features is None:
        raise FederationError(f"class {name!r} needs features, a table of points and numbers")
    return ON_FEATURES[name](features, names=feature_names)


def _at_least_one(n: int, class_name: str) -> None:
    if n < 1:
        raise FederationError(f"class {class_name!r} needs at least one point; there are {n}")
