"""Families of miss events: what one truth and one requirement come down to.

For a truth h* and an agent i, hypothesis h is *missed* if no pooled sample falls into A_h = {x : h*(x) !=
h(x)}, which has probability prod_j (1 - D_j(A_h))^m_j. Whichever of them ERM returns, the paper counts on the
worst (Equation 1). Both of its objectives then ask for the expected largest weight among the missed hypotheses,

    value(m) = E[ max { w_h : h is missed } ],

- pac (Equation 2): w_h = 1 if p_i(h*, h) > epsilon_i, else 0; the value is the failure probability of agent i
  against h*;
- expected (Equation 10): w_h = p_i(h*, h); the value is the expected error of the worst consistent hypothesis;
- joint: w_h = 1 if h is bad for anybody.

A superset is missed only if its subset is, so a set that contains another of at least its weight is dropped;
then points that lie in the same sets are merged.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats

L = TypeVar("L", bound=np.generic)

# (1 - 1)^m is 0 for m >= 1 and 1 for m = 0: exp(m * NEVER) gives both without 0 * inf.
NEVER = -1e200
# Masses add up to one within rounding: a set this close to everything is everything.
_ALL = 1 - 1e-12
_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MissFamily:
    """Sets whose being missed matters, with what it costs."""

    sets: Bools
    """(s, n) which points each set holds."""
    weights: Floats
    """(s,) in (0, 1]; falling once reduced."""
    mass: Floats
    """(k, n) mass of every agent on every point."""


def log_miss(mass: Floats) -> Floats:
    """Return log(1 - mass), finite everywhere: the log-probability that one sample misses a set of that mass.

    Examples
    --------
    >>> np.exp(0 * log_miss(np.array(1.0))), np.exp(1 * log_miss(np.array(1.0)))
    (np.float64(1.0), np.float64(0.0))
    """
    return np.where(mass < _ALL, np.log1p(-np.minimum(mass, _ALL)), NEVER)


def replace_never(logs: Floats, at_one: float) -> Floats:
    """Put ``at_one`` in place of the logarithm of zero."""
    return logs if at_one == NEVER else np.where(logs > NEVER, logs, at_one)


def to_probability(log: Floats, *, keep_tiny: bool = False) -> Floats:
    """exp(log); with ``keep_tiny`` it is zero only if some sample cannot miss, never by underflow.

    Examples
    --------
    >>> to_probability(np.array([0.0, -2000.0, 3 * NEVER]), keep_tiny=True) > 0
    array([ True,  True, False])
    """
    if not keep_tiny:
        return np.asarray(np.exp(log))
    return np.where(log > NEVER / 2, np.maximum(np.exp(log), _TINY), 0.0)


def fingerprint(family: MissFamily) -> bytes:
    """Digest that is the same for families that differ in the order of their points only."""
    points = np.column_stack([np.packbits(family.sets, axis=0).T, family.mass.T.copy().view(np.uint8)])
    rows = np.ascontiguousarray(points).view(np.dtype((np.void, points.shape[1]))).ravel()
    return hashlib.blake2b(family.weights.tobytes() + np.sort(rows).tobytes(), digest_size=32).digest()


def reduce_family(family: MissFamily) -> MissFamily:
    """Drop sets that contain another of at least their weight, merge points of the same sets, sort by weight."""
    order = np.argsort(-family.weights, kind="stable")
    sets, weights = family.sets[order], family.weights[order]
    sets, weights = sets[weights > 0], weights[weights > 0]
    keep = ~_dominated(sets, weights)
    sets, weights = sets[keep], weights[keep]
    columns, mass = merge_points(sets, family.mass)
    used = columns.any(axis=0)
    return MissFamily(sets=columns[:, used], weights=weights, mass=mass[:, used])


def merge_points(labels: NDArray[L], mass: Floats) -> tuple[NDArray[L], Floats]:
    """Merge equal columns of labels (s, n), and add up their masses (k, n)."""
    columns, inverse = np.unique(labels, axis=1, return_inverse=True)
    size = columns.shape[1]
    return columns, np.array([np.bincount(inverse.ravel(), weights=row, minlength=size) for row in mass])


def _dominated(sets: Bools, weights: Floats) -> Bools:
    """Which sets contain another set of at least their weight (of equals, all but the first)."""
    as_float = sets.astype(np.float32)
    inside = (as_float @ as_float.T) == as_float.sum(axis=1)[:, None]  # row is a subset of column
    covers = inside & (weights[:, None] >= weights[None, :])
    equal = covers & covers.T
    return np.asarray((covers & (~equal | np.triu(np.ones_like(equal), k=1))).any(axis=0))
