"""``cover``: a few hypotheses such that every hypothesis of a class is close to one of them for every agent.

A *gamma-cover* under D_1, ..., D_k holds, for every h of the class, an r with D_i{x : h(x) != r(x)} <= gamma
for *all* i. The paper takes one with (41 k / gamma)^d members from Haussler's packing bound (Lemma 2). Here D_i
is uniform on agent i's own points, so that one can be built: from cuts of the axes
(:mod:`fedpact.planning.cover_by_cuts`), or for halfspaces by enumeration, where a halfspace that is farther
than gamma from all members becomes a member.

The VC dimensions are those of the textbooks: 1 for thresholds, 2 for intervals, 2 f for boxes of f features, 3
for halfspaces in the plane. Stumps of f features have at most 2 f (d - 1) + 2 labelings of d points, so d points
can be shattered only if 2^d is no more than that.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fedpact.describe.arrays import Bools, Floats, Ints, Places
from fedpact.describe.classes import check_class
from fedpact.describe.halfspaces import enumerate_halfspaces
from fedpact.describe.hypothesis_class import MAX_HYPOTHESES, read_line
from fedpact.describe.numbers import Number, read_number
from fedpact.describe.read_evidence import OF_FEATURES, check_by_agent, read_points
from fedpact.describe.reports import Report
from fedpact.errors import FederationError, Problems
from fedpact.planning.cover_by_cuts import (
    Members,
    Pool,
    TooManyMembers,
    cover_boxes,
    cover_stumps,
    cover_thresholds,
)
from fedpact.result import Shown
from fedpact.rows import Column
from fedpact.statistics.make_report import report

MAX_IN_PLANE = 300
"""Halfspaces are enumerated over this many different points at most."""
_BLOCK = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cover(Shown):
    """Hypotheses of which one is close to any given hypothesis of the class, for every agent.

    Each hypothesis of the class agrees with some member on all but a share ``radius`` of every agent's points.
    """

    hypotheses: tuple[str, ...]
    """Names of the C members."""
    labels: Bools
    """(C, n) label of every member on every cell, a group of points that no member tells apart."""
    cells: dict[str, Places]
    """Agent name to the cell of each of its points."""
    gamma: float
    """The distance that was asked for."""
    radius: float
    """The distance that was reached: gamma at most, and 0 if every labelling of the points is a member."""
    class_name: str
    vc_dimension: int
    """Upper bound on the VC dimension of the class."""

    def own_columns(self) -> list[Column]:
        """List which share of every agent's points each member labels 1."""
        shares = {agent: tuple(self.labels_of(agent).mean(axis=1).tolist()) for agent in self.cells}
        return [
            Column("hypothesis", str, self.hypotheses),
            *(Column(agent, float, values) for agent, values in shares.items()),
        ]

    def labels_of(self, agent: str) -> Bools:
        """(C, n_i) what every member says of an agent's own points."""
        return self.labels[:, self.cells[agent]]

    def report_of(self, agent: str) -> Report:
        """On how many of an agent's points any two members disagree."""
        points = np.bincount(self.cells[agent], minlength=self.labels.shape[1])
        return report(self.labels, name=agent, n_classes=2, weights=points)


def vc_dimension(class_name: str, f: int) -> int:
    """Upper bound on the VC dimension of a class over f features.

    Examples
    --------
    >>> [vc_dimension("stumps", f) for f in (1, 2, 10)]
    [2, 3, 6]
    """
    if class_name == "stumps":
        return next(d for d in itertools.count(1) if 2 ** (d + 1) > 2 * f * d + 2)
    return {"thresholds": 1, "intervals": 2, "rectangles": 2 * f, "halfspaces": 3}[class_name]


def _cover_halfspaces(pool: Pool, gamma: float, most: int) -> Members:
    if pool.x.shape[1] != 2:
        raise FederationError(
            f"class 'halfspaces' needs exactly 2 features per point; there are {pool.x.shape[1]}"
        )
    different, where = np.unique(pool.x, axis=0, return_inverse=True)
    if len(different) > MAX_IN_PLANE:
        raise FederationError(
            f"halfspaces are enumerated over {MAX_IN_PLANE} different points at most; there are "
            f"{len(different):,} (round the points to a grid, or give fewer)"
        )
    where = where.ravel()
    seen: dict[bytes, tuple[Bools, str]] = {}
    for row, name in enumerate_halfspaces(different):
        seen.setdefault(row.tobytes(), (row, name))
    rows, names = zip(*seen.values(), strict=True)
    chosen, radius = _pack(np.array(rows), pool.count(where, len(different)), pool.allow(gamma), most)
    labels, cell = np.unique(np.array(rows)[chosen], axis=1, return_inverse=True)
    return Members(labels, tuple(names[at] for at in chosen), cell.ravel()[where], radius)


def _pack(labels: Bools, counts: Ints, allowed: Ints, most: int) -> tuple[list[int], float]:
    """Take every labelling that none of those taken is near; also the largest distance to the nearest one."""
    if not allowed.any() and len(labels) > most:
        raise TooManyMembers
    chosen: list[int] = []
    radius = 0.0
    for start in range(0, len(labels), _BLOCK):
        block = np.arange(start, min(start + _BLOCK, len(labels)))
        is_near, distance = _nearness(labels[block], labels[chosen], counts, allowed)
        radius = max(radius, float(distance.min(axis=1, initial=np.inf)[is_near.any(axis=1)].max(initial=0.0)))
        left = block[~is_near.any(axis=1)]
        is_near, distance = _nearness(labels[left], labels[left], counts, allowed)
        while len(left):
            chosen.append(int(left[0]))
            if len(chosen) > most:
                raise TooManyMembers
            away = ~is_near[0]
            radius = max(radius, float(distance[0, ~away].max()))
            left, is_near, distance = left[away], is_near[np.ix_(away, away)], distance[np.ix_(away, away)]
    return chosen, radius


def _nearness(some: Bools, others: Bools, counts: Ints, allowed: Ints) -> tuple[Bools, Floats]:
    """Return (A, B) which labelings differ on no more points than allowed, and on what share for some agent."""
    is_near = np.ones((len(some), len(others)), dtype=bool)
    distance = np.zeros(is_near.shape)
    for own, limit in zip(counts, allowed, strict=True):
        weighted = some * own.astype(np.float64)
        apart = weighted.sum(axis=1)[:, None] + others @ own - 2 * (weighted @ others.T.astype(np.float64))
        is_near &= apart <= limit
        distance = np.maximum(distance, apart / own.sum())
    return is_near, np.where(is_near, distance, np.inf)


_COVERS: dict[str, Callable[[Pool, float, int], Members]] = {
    "halfspaces": _cover_halfspaces,
    "intervals": partial(cover_boxes, names=("x",)),
    "rectangles": cover_boxes,
    "stumps": cover_stumps,
    "thresholds": cover_thresholds,
}
COVERED = tuple(_COVERS)


def build_cover(
    names: tuple[str, ...], arrays: tuple[Floats, ...], class_name: str, gamma: float, most: int
) -> Cover | None:
    """Cover the points (n_i, f) of every agent, or None if that takes more than ``most`` members."""
    sizes = np.array([len(array) for array in arrays])
    owner = np.repeat(np.arange(len(arrays)), sizes)
    pool = Pool(np.concatenate(arrays), owner, sizes)
    if class_name in ("thresholds", "intervals"):
        read_line(pool.x, class_name)
    try:
        members = _COVERS[class_name](pool, gamma, most)
    except TooManyMembers:
        return None
    members.labels.flags.writeable = False
    return Cover(
        hypotheses=members.names,
        labels=members.labels,
        cells=dict(zip(names, np.split(members.cell, np.cumsum(sizes)[:-1]), strict=True)),
        gamma=gamma,
        radius=members.radius,
        class_name=class_name,
        vc_dimension=vc_dimension(class_name, pool.x.shape[1]),
    )


def read_gamma(value: Any) -> float:
    """Read a distance."""
    gamma = read_number(value, "gamma")
    if not 0 <= gamma < 1:
        raise FederationError(f"gamma must be at least 0 and below 1; it is {gamma:g}")
    return gamma


def find_cover(
    names: tuple[str, ...], arrays: tuple[Floats, ...], class_name: str, gamma: float, most: int
) -> Cover:
    """Cover the points (n_i, f) of every agent, or say what to do about a cover of more than ``most`` members."""
    found = build_cover(names, arrays, class_name, gamma, most)
    if found is None:
        raise FederationError(
            f"a cover of the {class_name} with gamma = {gamma:.3g} has more than {most:,} hypotheses; "
            f"raise gamma (or epsilon), or give fewer points"
        )
    return found


def cover(points: Mapping[str, Any], hypotheses: str, gamma: Number) -> Cover:
    """Build a set of hypotheses such that each of the class is within gamma of one of them for every agent.

    Parameters
    ----------
    points
        Agent name to (n_i,) or (n_i, f) array of its own points; its distribution is uniform on them.
    hypotheses
        ``"thresholds"`` or ``"intervals"`` of one feature, ``"stumps"``, ``"rectangles"`` or ``"halfspaces"`` of
        two features.
    gamma
        The distance; 0 asks for every labelling of the points.

    Examples
    --------
    >>> found = cover({"alice": range(10), "bob": range(5, 10)}, "thresholds", 0.2)
    >>> found.hypotheses
    ('x >= 2', 'x >= 6', 'x >= 9')
    >>> found.radius
    0.2
    """
    check_by_agent(points, "points", "(n,) or (n, f)")
    problems = Problems()
    arrays = problems.read("", read_points, points)
    problems.read("", check_class, hypotheses, COVERED, OF_FEATURES)
    distance = problems.read("", read_gamma, gamma)
    arrays, distance = problems.insist(arrays), problems.insist(distance)
    return find_cover(tuple(points), arrays, hypotheses, distance, MAX_HYPOTHESES)
