"""A certified interval for a miss family whose exact sum would be too long.

With E_U = "no sample falls into U" and a set L of other sets, let

    T(U, L) = Pr[ E_U and no set of L is missed ].

Ordering the sets by falling weight, value = sum_j w_j T(A_j, {A_1 ... A_{j-1}}). For *any* order of L

    T(U, L) = Pr(E_U) - sum_{A in L} T(U + A, those of L before A),

so L is ordered anew at every node, likeliest miss first, which makes the later terms small. With N the first
dozen of them, T(U, N) is computed exactly (below), and with R the rest

    T(U, N) - sum_{A in R} Pr(E_{U + A})  <=  T(U, L)  <=  T(U, N);

only sets of R have children, and T(U, L) = 0 as soon as U contains a set of L. The first level gives Worsley's
tree above with a dozen neighbours for every set in place of one, and, for equal weights, de Caen and
Dawson-Sankoff below; going on, level by level and only where the interval is wide, shrinks it towards the exact
value. What the children are likely to be comes from one matrix product: D_j(U + A) = D_j(U) + D_j(A outside U).

*T(U, N) exactly.* With sets A_1 ... A_r,

    Pr[ E_U and no A_a is missed ] = sum over T of (-1)^|T| prod_j F_j(T)^m_j,

where F_j(T) is agent j's mass outside U and outside every A_a with a in T. A point outside U has a mask, the sets
that hold it; F_j(T) sums the masses whose masks avoid T, which for all T at once is a zeta transform: r 2^r
additions. With a dozen sets an answer takes a fraction of a millisecond, and counts every coincidence among them.

*From a few sets.* The value of some of a family's sets is at most that of all of them: fewer can be missed. A
dozen of them are one level, and when misses are likely their value is far above what pairs of sets say (de Caen,
Dawson and Sankoff), since it counts every coincidence. It refutes; it never proves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Ints, Places, slices
from fedpact.describe.ties import exceeds
from fedpact.statistics.misses import MissFamily, log_miss, reduce_family

WIDTH = 1e-4
MAX_WORK = 8e9
NEIGHBOURS = 12
# Each level may settle this share of the width that is still to give away.
_SHARE = 0.3
_BLOCK = 2_000_000
# Where misses are so unlikely that more of them would coincide, that many is as good a guess.
_MOST_TOGETHER = 2.0**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A certified interval, and what it took: nodes times sets times points."""

    low: float
    high: float
    work: float


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Terms factor * T(U, L) of one level."""

    union: NDArray[np.uint8]
    """(N, n / 8) the points of U, eight to the byte."""
    others: Bools
    """(N, s) the sets in L."""
    factor: Floats
    """(N,) sign times weight."""
    miss: Floats
    """(N,) Pr(E_U)."""


def _add_up(factor: Floats, low: Floats, high: Floats) -> Floats:
    """(2,) interval of a sum of terms between ``low`` and ``high``."""
    return np.asarray(np.sort([factor * low, factor * high], axis=0).sum(axis=1))


def _settle_narrow(factor: Floats, low: Floats, high: Floats, slack: float, settled: Floats) -> Places:
    """Settle the narrowest intervals, as many as ``slack`` allows, and return the indices of the others."""
    cost = np.abs(factor) * (high - low)
    order = np.argsort(cost, kind="stable")
    count = int(np.searchsorted(np.cumsum(cost[order]), slack, side="right"))
    shut = order[:count]
    settled += _add_up(factor[shut], low[shut], high[shut])
    return np.sort(order[count:])


def _miss_children(nodes: _Nodes, sets: Bools, mass: Floats, m: Floats) -> Floats:
    """(N, s) Pr(E_{U + A}) for the sets A in L, zero elsewhere.

    A node whose union contains a set of L has T = 0: that child gets all of Pr(E_U) and the others nothing.
    """
    drawing = np.flatnonzero(m)
    held = sets.T[:, None, :] * mass[drawing].T[:, :, None]
    out = np.zeros(nodes.others.shape)
    flat = held.reshape(len(held), held.shape[1] * held.shape[2])
    for block in slices(len(out), _BLOCK // max(1, sum(flat.shape))):
        union = np.unpackbits(nodes.union[block], axis=1, count=sets.shape[1]).astype(np.float64)
        added = ((1.0 - union) @ flat).reshape(len(union), *held.shape[1:])
        inside = union @ mass[drawing].T
        exponent = np.tensordot(log_miss(inside[:, :, None] + added), m[drawing], axes=((1,), (0,)))
        contained = (added == 0).all(axis=1) & nodes.others[block]
        absorbed = contained.any(axis=1)
        out[block] = np.where(nodes.others[block] & ~absorbed[:, None], np.exp(exponent), 0.0)
        out[block][absorbed, contained[absorbed].argmax(axis=1)] = nodes.miss[block][absorbed]
    return out


def union_below(q: Floats, both: Floats) -> float:
    """Largest of de Caen's and Dawson and Sankoff's lower bounds on the probability of the union."""
    if not q.any():
        return 0.0
    sums = both.sum(axis=1)
    de_caen = float(np.divide(q**2, sums, out=np.zeros_like(q), where=sums > 0).sum())
    s1, s2 = float(q.sum()), float((both.sum() - np.trace(both)) / 2)
    r = int(min(2 * s2 / s1, _MOST_TOGETHER)) + 1
    dawson_sankoff = 2 * s1 / (r + 1) - 2 * s2 / (r * (r + 1))
    return max(de_caen, dawson_sankoff)


class _Descent:
    """The level to be looked at next, what was settled before it, and the interval so far."""

    def __init__(self, family: MissFamily, m: Floats, neighbours: int) -> None:
        logs = log_miss(family.sets @ family.mass.T) @ m
        order = np.lexsort((-logs, -family.weights))
        self.sets, weights = family.sets[order], family.weights[order]
        self.packed = np.packbits(self.sets, axis=1)
        self.mass, self.m, self.neighbours = family.mass, m, neighbours
        self.nodes = _Nodes(self.packed, np.tri(len(order), k=-1, dtype=bool), weights, np.exp(logs[order]))
        self.count, self.level, self.settled = len(order), 0, np.zeros(2)
        terms = weights * self.nodes.miss
        self.low = float(terms.max(initial=0.0))
        self.high = min(float(terms.sum()), float(weights.max(initial=0.0)))

    @property
    def work(self) -> float:
        """What looking at the next level takes."""
        near = min(self.neighbours, len(self.sets))
        return self.count * (self.sets.size + count_work(near, int(np.count_nonzero(self.m))))

    def look(self) -> None:
        """Look at a level, and take what it says if it is the last."""
        self.level += 1
        nodes = self.nodes
        self.below = _miss_children(nodes, self.sets, self.mass, self.m)
        order = np.argsort(-self.below, axis=1, kind="stable")[:, : self.neighbours].astype(np.int64)
        counts = np.minimum((self.below > 0).sum(axis=1), order.shape[1])
        ends = missed_alone(nodes.union, order, counts, self.sets, self.mass, self.m.astype(np.int64))
        # T(U, N), a rounding below and above, and Pr(E_{U + A}) for the sets A in R, zero elsewhere.
        self.least_near, self.most_near = (np.minimum(end, nodes.miss) for end in ends)
        self.rest = self.below.copy()
        np.put_along_axis(self.rest, order, 0.0, axis=1)
        if self.level == 1 and nodes.factor[0] == nodes.factor[-1]:
            both = self.below + self.below.T + np.diag(nodes.miss)
            self.low = max(self.low, float(nodes.factor[0]) * union_below(nodes.miss, both))
        self.least = np.maximum(self.least_near - self.rest.sum(axis=1), 0.0)
        low, high = (self.settled + _add_up(nodes.factor, self.least, self.most_near)).tolist()
        self.low, self.high = max(self.low, low), min(self.high, high)

    def settle(self, slack: float) -> None:
        """Settle what is narrow, and count the children of the rest."""
        factor = self.nodes.factor
        wide = _settle_narrow(factor, self.least, self.most_near, slack, self.settled)
        self.settled += _add_up(factor[wide], self.least_near[wide], self.most_near[wide])
        parent, self.child = np.nonzero(self.rest[wide])
        self.parent = wide[parent]
        miss = self.below[self.parent, self.child]
        open_ = _settle_narrow(-factor[self.parent], np.zeros(len(miss)), miss, slack, self.settled)
        self.parent, self.child, self.count = self.parent[open_], self.child[open_], len(open_)

    def descend(self) -> None:
        """Make nodes of the children that were counted, each with those in L that are likelier than itself."""
        nodes, seen = self.nodes, self.below[self.parent]
        miss = self.below[self.parent, self.child]
        is_before = np.arange(len(self.sets)) < self.child[:, None]
        likelier = (seen > miss[:, None]) | ((seen == miss[:, None]) & is_before)
        union = nodes.union[self.parent] | self.packed[self.child]
        self.nodes = _Nodes(union, nodes.others[self.parent] & likelier, -nodes.factor[self.parent], miss)


def bound(
    family: MissFamily,
    m: Floats,
    *,
    width: float = WIDTH,
    max_work: float = MAX_WORK,
    limit: float | None = None,
    neighbours: int = NEIGHBOURS,
    max_levels: float = math.inf,
) -> Bound:
    """Certified interval around the value of a family at ``m`` (k,).

    The interval is narrower than ``width`` unless that takes more than ``max_work``, or it lies on one side of
    ``limit`` before. It is certified up to the rounding of its sums, which is far below the tolerance for ties.
    Every set is compared with so many ``neighbours`` exactly; more take longer and leave less to go on with. One
    level alone gives the upper end that these comparisons add up to.

    Examples
    --------
    >>> family = MissFamily(sets=np.eye(3, dtype=bool), weights=np.ones(3), mass=np.full((1, 3), 1 / 3))
    >>> found = bound(family, np.array([5.0]), width=1e-12)
    >>> round(found.low, 12) == round(found.high, 12) == round(93 / 243, 12)
    True
    """
    # Where nobody draws, sets do not differ. No set that is left contains another: all pairs are there.
    drawn = (family.mass[m > 0] > 0).any(axis=0)
    some = MissFamily(sets=family.sets[:, drawn], weights=family.weights, mass=family.mass[:, drawn])
    at = _Descent(reduce_family(some), m, neighbours)
    left, work = width, 0.0
    while at.count and at.level < max_levels and work + at.work <= max_work:
        if at.level:
            at.descend()
        work += at.work
        at.look()
        is_decided = limit is not None and (exceeds(at.low, limit) or not exceeds(at.high, limit))
        if is_decided or at.high - at.low <= width:
            break
        at.settle(left * _SHARE / 2)
        left *= 1 - _SHARE
    return Bound(low=min(at.low, at.high), high=at.high, work=work)


_STEPS_OF_A_POWER = 8
_ROUND_OFF = 2.0**-53


def count_work(r: int, agents: int) -> float:
    """Roughly how many additions and multiplications one answer takes."""
    return float(agents * (r + _STEPS_OF_A_POWER) * 2**r)


def missed_alone(
    union: NDArray[np.uint8], others: Ints, counts: Ints, sets: Bools, mass: Floats, m: Ints
) -> tuple[Floats, Floats]:
    """(N,) limits, a rounding apart, of the probability that U is missed and none of its own few other sets.

    Parameters
    ----------
    union
        (N, n / 8) the points of every U, eight to the byte.
    others, counts
        (N, r) places of the other sets among ``sets``, and how many of them count.
    sets
        (s, n)
    mass
        (k, n) mass of every agent on every point; what is missing to one lies in no set.
    m
        (k,) samples of every agent.

    Examples
    --------
    Three sides, five throws: the first is not seen, the others are, with probability (2^5 - 2) / 3^5.

    >>> sides = np.eye(3, dtype=bool)
    >>> union, others, counts = np.packbits(sides[:1], axis=1), np.array([[1, 2]]), np.array([2])
    >>> low, high = missed_alone(union, others, counts, sides, np.full((1, 3), 1 / 3), np.array([5]))
    >>> bool(243 * low[0] < 30 < 243 * high[0]), bool(high[0] - low[0] < 1e-14)
    (True, True)
    """
    from fedpact.statistics.kernels import fill_answers

    drawing = np.flatnonzero(m)
    value, error = np.zeros((2, len(union)))
    nowhere = np.maximum(1 - mass[drawing].sum(axis=1), 0.0)
    masses = np.column_stack([mass[drawing], nowhere])
    # A mass is a sum of the points' masses, and so are those that it is added to.
    rounding = _ROUND_OFF * (sets.shape[1] + others.shape[1] + 2)
    fill_answers(union, others, counts, sets, masses, m[drawing], rounding, value, error)
    return np.maximum(value - error, 0.0), np.maximum(value + error, 0.0)


MOST_SETS = NEIGHBOURS + 1


def lower_bound_from_subset(family: MissFamily, m: Floats, most: int = MOST_SETS) -> float:
    """Lower bound on the value of a reduced family at ``m`` (k,).

    Examples
    --------
    Three sides, five throws: two of the sides are both seen less often than all three.

    >>> family = MissFamily(sets=np.eye(3, dtype=bool), weights=np.ones(3), mass=np.full((1, 3), 1 / 3))
    >>> [round(243 * lower_bound_from_subset(family, np.array([5.0]), most)) for most in (1, 2, 3)]
    [32, 63, 93]
    """
    logs = m @ log_miss(family.mass @ family.sets.T.astype(np.float64))
    with np.errstate(divide="ignore"):
        likeliest = np.argsort(-(logs + np.log(family.weights)), kind="stable")[:most]
    few = MissFamily(sets=family.sets[likeliest], weights=family.weights[likeliest], mass=family.mass)
    return bound(few, m, width=0.0).low
