"""Halfspaces in the plane, by the lines through two points.

A line that separates two sets of points can be moved until it runs through two of the points, and no point
off its final place changes sides on the way. The points on it were split by the line it came from, so they
are a beginning and an end in their order along it. Conversely a slight turn about a place between two
neighbours on a line splits its points there. So every line through two points gives the labelings

    {left of it, or right of it} with {a beginning, or an end} of the points on it,

and with *always* and *never* these are all: n(n - 1) + 2 for n points of which no three are in line. On finitely
many points an open halfspace does nothing that a closed one cannot do.

Which side a point is on is decided exactly for the decimals that the coordinates print as, so that a grid of
tenths is as collinear as it looks: in doubles where their error cannot matter, else in fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.hypothesis_class import (
    OR_COVER,
    HypothesisClass,
    at_most,
    keep_distinct,
    show,
)

_ERROR = 1e-15
"""Relative to the products of the coordinates' sizes, more than a double can be off (6 units of 2^-53)."""
_TINY = 1e-300
"""Beyond underflow."""


def _sides(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.int8]:
    """(n,) 1 left of the line from ``a`` to ``b``, -1 right of it, 0 on it."""
    size, line = np.abs(x) + np.abs(a), np.abs(a) + np.abs(b)
    with np.errstate(over="ignore", invalid="ignore"):
        difference = (b[0] - a[0]) * (x[:, 1] - a[1]) - (b[1] - a[1]) * (x[:, 0] - a[0])
        is_sure = np.abs(difference) > _ERROR * (line[0] * size[:, 1] + line[1] * size[:, 0]) + _TINY
    sides = np.where(is_sure, np.sign(difference), 0).astype(np.int8)
    for unsure in np.flatnonzero(~is_sure):
        sides[unsure] = _exact_side(a, b, x[unsure])
    return sides


def _exact_side(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> int:
    (a0, a1), (b0, b1), (x0, x1) = (map(Fraction, map(repr, point.tolist())) for point in (a, b, x))
    difference = (b0 - a0) * (x1 - a1) - (b1 - a1) * (x0 - a0)
    return (difference > 0) - (difference < 0)


def _splits(
    sides: NDArray[np.int8], on: NDArray[np.intp], line: str, points: Sequence[str]
) -> Iterator[tuple[NDArray[np.bool_], str]]:
    """Labelings next to one line; ``on`` holds the points on it in order."""
    for side, word in ((1, "left of"), (-1, "right of")):
        off = sides == side
        yield off, f"{word} {line}"
        for count in range(1, len(on)):
            for some, place in (
                (on[:count], f"up to {points[on[count - 1]]}"),
                (on[count:], f"from {points[on[count]]}"),
            ):
                row = off.copy()
                row[some] = True
                yield row, f"{word} {line}, on it {place}"
        yield off | (sides == 0), f"{word} or on {line}"


def enumerate_halfspaces(
    x: NDArray[np.float64], names: Sequence[str] | None = None
) -> Iterator[tuple[NDArray[np.bool_], str]]:
    """Labelings of the different points ``x`` (n, 2), sorted; some come more than once."""
    points = [_show_point(point, names) for point in x]
    yield np.ones(len(x), dtype=bool), "always"
    yield np.zeros(len(x), dtype=bool), "never"
    is_joined = np.tri(len(x), dtype=bool)
    for i in range(len(x)):
        while not is_joined[i].all():
            sides = _sides(x[i], x[np.argmin(is_joined[i])], x)
            on = np.flatnonzero(sides == 0)
            is_joined[np.ix_(on, on)] = True
            yield from _splits(sides, on, f"{points[i]}-{points[on[-1]]}", points)


def _show_point(point: NDArray[np.float64], names: Sequence[str] | None) -> str:
    words = ("", "") if names is None else (f"{names[0]} ", f"{names[1]} ")
    return f"({words[0]}{show(point[0])}, {words[1]}{show(point[1])})"


def halfspaces_in_plane(x: NDArray[np.float64], names: Sequence[str] | None = None) -> HypothesisClass:
    """Positive on one side of a line in the plane, in either direction, or everywhere or nowhere.

    Examples
    --------
    >>> halfspaces_in_plane(np.array([[0.0, 0], [1, 0]])).hypotheses
    ('always', 'never', 'left of (0, 0)-(1, 0), on it up to (0, 0)', 'left of (0, 0)-(1, 0), on it from (1, 0)')
    >>> len(halfspaces_in_plane(np.array([[0.0, 0], [1, 0], [0, 1], [3, 4]])).hypotheses)
    14
    """
    different, where = np.unique(x, axis=0, return_inverse=True)
    at_most(2 * len(different), "halfspaces", OR_COVER, so_far=True)  # in their order along some line
    seen: dict[bytes, tuple[NDArray[np.bool_], str]] = {}
    for row, name in enumerate_halfspaces(different, names):
        seen.setdefault(row.tobytes(), (row, name))
        at_most(len(seen), "halfspaces", OR_COVER, so_far=True)
    rows, words = zip(*seen.values(), strict=True)
    return keep_distinct("halfspaces", np.array(rows)[:, where.ravel()], words)
