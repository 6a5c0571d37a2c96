"""Members of a cover of a class that is made of cuts: thresholds, intervals, stumps and rectangles.

Moving a cut past some points changes a hypothesis on these points only. So if one hypothesis is made of s cuts,
it is enough to have every cut of every axis within gamma / s of a *centre*, under every agent's distribution,
and to take all combinations of centres. From the left, the first cut that is not covered yet gets the farthest
centre that covers it, which gives the fewest centres. An atom heavier than gamma / s ends up with a centre on
either side of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fedpact.describe.arrays import Bools, Floats, Ints, Places
from fedpact.describe.hypothesis_class import number_names, show


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """All agents' points in one array, each with its owner."""

    x: Floats
    """(n, f)"""
    owner: Places
    """(n,)"""
    sizes: Ints
    """(k,) number of points of every agent."""

    def count(self, group: Places, groups: int) -> Ints:
        """(k, groups) how many points of every agent are in each group."""
        counts = np.zeros((len(self.sizes), groups), dtype=np.int64)
        np.add.at(counts, (self.owner, group), 1)
        return counts

    def allow(self, gamma: float) -> Ints:
        """(k,) on how many of its points two hypotheses may differ."""
        return np.asarray(np.floor(gamma * self.sizes + 1e-9), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """A cover on its cells: groups of points that no member tells apart."""

    labels: Bools
    """(C, cells)"""
    names: tuple[str, ...]
    cell: Places
    """(n,) the cell of every point."""
    radius: float
    """How far a hypothesis can be from the nearest member."""


class TooManyMembers(Exception):  # noqa: N818
    """A cover larger than allowed; never leaves the planning package."""


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """One feature and its centres: the cut t has the values t, t + 1, ... on its upper side."""

    values: Floats
    centres: Places
    radius: float
    digit: Places
    """(n,) number of centres below each point."""

    def above(self, centre: int) -> float | None:
        """First value above a centre, None if all are below."""
        cut = self.centres[centre]
        return float(self.values[cut]) if cut < len(self.values) else None


def _axis(pool: Pool, feature: int, gamma: float, most: int) -> _Axis:
    values, index = np.unique(pool.x[:, feature], return_inverse=True)
    index = index.ravel()
    below = np.zeros((len(pool.sizes), len(values) + 1), dtype=np.int64)
    np.cumsum(pool.count(index, len(values)), axis=1, out=below[:, 1:])
    centres = _centres(below, pool.allow(gamma), most)
    radius = _radius(below, centres, pool.sizes)
    return _Axis(values, centres, radius, np.searchsorted(centres, index, side="right"))


def _centres(below: Ints, allowed: Ints, most: int) -> Places:
    """Fewest cuts that leave none uncovered; ``below`` (k, u + 1) counts the points below each cut."""

    def farthest(cut: int) -> int:
        reach = below[:, cut] + allowed
        return min(int(np.searchsorted(row, limit, "right")) - 1 for row, limit in zip(below, reach, strict=True))

    centres, uncovered = [], 0
    while uncovered < below.shape[1]:
        centres.append(farthest(uncovered))
        _check(len(centres), most)
        uncovered = farthest(centres[-1]) + 1
    return np.array(centres)


def _radius(below: Ints, centres: Places, sizes: Ints) -> float:
    """Largest distance from a cut to the nearer of the centres beside it."""
    cuts = np.arange(below.shape[1])
    right = np.searchsorted(centres, cuts)
    beside = (np.maximum(right - 1, 0), np.minimum(right, len(centres) - 1))
    apart = (np.abs(below - below[:, centres[side]]) / sizes[:, None] for side in beside)
    nearer = np.minimum(*(distance.max(axis=0) for distance in apart))
    return float(nearer.max())


def cover_thresholds(pool: Pool, gamma: float, most: int) -> Members:
    """Cover the hypotheses that are positive from some value on."""
    axis = _axis(pool, 0, gamma, most)
    digits, cell = np.unique(axis.digit, return_inverse=True)
    starts = [axis.above(centre) for centre in range(len(axis.centres))]
    names = tuple("never" if start is None else f"x >= {show(start)}" for start in starts)
    return Members(digits[None] > np.arange(len(starts))[:, None], names, cell.ravel(), axis.radius)


def cover_stumps(pool: Pool, gamma: float, most: int) -> Members:
    """Cover the comparisons of one feature with one value, in either direction."""
    axes = [_axis(pool, feature, gamma, most) for feature in range(pool.x.shape[1])]
    cells, cell = _cells(axes)
    seen: dict[bytes, tuple[Bools, str]] = {}
    for name, axis, digit in zip(number_names("f", len(axes)), axes, cells.T, strict=True):
        for centre in range(len(axis.centres)):
            start, above = axis.above(centre), digit > centre
            words = (
                ("never", "always") if start is None else (f"{name} >= {show(start)}", f"{name} < {show(start)}")
            )
            for row, word in zip((above, ~above), words, strict=True):
                seen.setdefault(row.tobytes(), (row, word))
    return _gather(seen.values(), cell, max(axis.radius for axis in axes), most)


def cover_boxes(pool: Pool, gamma: float, most: int, names: Sequence[str] | None = None) -> Members:
    """Cover the axis-parallel boxes, the empty one among them; on one feature these are the intervals."""
    f = pool.x.shape[1]
    axes = [_axis(pool, feature, gamma / (2 * f), most) for feature in range(f)]
    cells, cell = _cells(axes)
    boxes = {b"": (np.ones(len(cells), dtype=bool), "")}
    for name, axis, digit in zip(names or number_names("f", f), axes, cells.T, strict=True):
        boxes = _cut(boxes.values(), axis, digit, name, most)
    never = (np.zeros(len(cells), dtype=bool), "never")
    return _gather([*boxes.values(), never], cell, sum(2 * axis.radius for axis in axes), most)


def _cut(
    boxes: Iterable[tuple[Bools, str]], axis: _Axis, digit: Places, name: str, most: int
) -> dict[bytes, tuple[Bools, str]]:
    """Every different non-empty part of the boxes between two centres of an axis."""
    count = len(axis.centres)
    _check(count * (count - 1) // 2, most)
    sides = list(itertools.combinations(range(count), 2))
    ends = [(axis.values[axis.centres[low]], axis.values[axis.centres[high] - 1]) for low, high in sides]
    words = [f"{show(first)} <= {name} <= {show(last)}" for first, last in ends]
    low, high = np.array(sides, dtype=np.intp).reshape(-1, 2).T
    between = (digit[None] > low[:, None]) & (digit[None] <= high[:, None])
    seen: dict[bytes, tuple[Bools, str]] = {}
    for box, word in boxes:
        parts = between & box
        for at in np.flatnonzero(parts.any(axis=1)):
            seen.setdefault(parts[at].tobytes(), (parts[at], f"{word} & {words[at]}" if word else words[at]))
        _check(len(seen), most)
    return seen


def _cells(axes: Sequence[_Axis]) -> tuple[Places, Places]:
    """(cells, f) digits of the cells that hold points, and every point's cell."""
    cells, cell = np.unique(np.column_stack([axis.digit for axis in axes]), axis=0, return_inverse=True)
    return cells, cell.ravel()


def _gather(found: Iterable[tuple[Bools, str]], cell: Places, radius: float, most: int) -> Members:
    rows, names = zip(*found, strict=True)
    _check(len(rows), most)
    return Members(np.array(rows), names, cell, radius)


def _check(count: int, most: int) -> None:
    if count > most:
        raise TooManyMembers
