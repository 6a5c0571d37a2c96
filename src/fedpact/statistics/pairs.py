"""A certified interval from pairwise rates alone, for federations known only by reports.

Let q_a = Pr[h_a is missed]. The union of two disagreements has mass

    max(p_a, p_b, p_ab)  <=  D(R_a + R_b)  <=  min(1, (p_a + p_b + p_ab) / 2),

because R_a and R_b differ only where the two hypotheses do; for binary labels exactly there, and the right
side is an equality. So Pr[both are missed] is bounded from pairs alone. Above: a spanning tree
(Hunter-Worsley) with links from the upper mass, and the best threshold of
E[max w] <= theta + sum (w - theta)^+ q. Below: the likeliest single miss, and for equal weights de Caen and
Dawson-Sankoff with links from the lower mass.
"""

from __future__ import annotations

import numpy as np

from fedpact.describe.arrays import Bools, Floats
from fedpact.statistics.bounds import union_below
from fedpact.statistics.misses import log_miss


def log_both(p: Floats, p_pairs: Floats) -> Floats:
    """(k, s, s) at most the log-probability that one sample misses both of a pair.

    Parameters
    ----------
    p
        (k, s) mass of every set.
    p_pairs
        (k, s, s) how often the two hypotheses of a pair disagree with each other.
    """
    return log_miss(np.minimum((p[:, :, None] + p[:, None, :] + p_pairs) / 2, 1.0))


def bound_above(
    seen: Floats, p: Floats, p_pairs: Floats, weights: Floats, m: Floats, is_raised: Bools | None = None
) -> float:
    """Bound the value by rates ``seen`` (k, s) no larger, and ``p`` and ``p_pairs`` no smaller, than true.

    Rates that ``is_raised`` (s,) may be larger than true where a hypothesis does no harm; none is linked to those.
    """
    both = np.exp(np.tensordot(m, log_both(p, p_pairs), axes=1))
    return bound_by_links(np.exp(m @ log_miss(seen)), both, weights, is_raised)


def bound_by_links(q: Floats, both: Floats, weights: Floats, is_raised: Bools | None = None) -> float:
    """Bound the value by the chances that each is missed, ``q`` (s,), and ``both`` (s, s) of two."""
    order = np.argsort(-weights, kind="stable")
    weights, q, both = weights[order], q[order], both[np.ix_(order, order)]
    if is_raised is not None:
        both[is_raised[order]] = 0.0
    return min(tree_bound(q, both, weights), float(best_threshold(weights[None], q[None])[1][0]))


def bound_below(seen: Floats, p: Floats, p_pairs: Floats, weights: Floats, m: Floats, *, is_binary: bool) -> float:
    """Bound the value from below by ``seen`` (k, s) no smaller, and ``p`` and ``p_pairs`` no larger, than true."""
    if not len(weights):
        return 0.0
    order = np.argsort(-weights, kind="stable")
    q = np.exp(m @ log_miss(seen))[order]
    low = float((np.maximum.accumulate(q) * -np.diff(weights[order], append=0.0)).sum())
    if weights.min() < weights.max():
        return low
    least = np.maximum(np.maximum(p[:, :, None], p[:, None, :]), p_pairs)
    if is_binary:
        least = np.maximum(least, np.minimum((p[:, :, None] + p[:, None, :] + p_pairs) / 2, 1.0))
    both = np.exp(np.tensordot(m, log_miss(least), axes=1))[np.ix_(order, order)]
    np.fill_diagonal(both, q)
    return max(low, float(weights[0]) * union_below(q, both))


def tree_bound(q: Floats, both: Floats, weights: Floats) -> float:
    """Worsley's bound: every set is linked to one before it, chosen greedily (Prim) within each weight.

    ``q`` (s,) are the miss probabilities, ``both`` (s, s) those of two at once, ``weights`` (s,) fall.
    """
    from fedpact.statistics.kernels import sum_tree

    return float(sum_tree(q, np.ascontiguousarray(both), np.ascontiguousarray(weights)))


def best_threshold(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    """(t,) the theta that makes theta + sum (p - theta)^+ q smallest for every row, and that value.

    The sum is piecewise linear in theta with kinks at the p, so the best is at one of them or at zero.

    Examples
    --------
    >>> best_threshold(np.array([[0.5, 0.1]]), np.array([[0.1, 1.0]]))
    (array([0.1]), array([0.14]))
    """
    order = np.argsort(-p, axis=1)
    p, q = np.take_along_axis(p, order, axis=1), np.take_along_axis(q, order, axis=1)
    above = np.cumsum(p * q, axis=1) - p * q
    count = np.cumsum(q, axis=1) - q
    at_kinks = p * (1 - count) + above
    at_zero = (p * q).sum(axis=1)
    kink = at_kinks.argmin(axis=1)
    rows = np.arange(len(p))
    is_zero = at_zero <= at_kinks[rows, kink]
    return np.where(is_zero, 0.0, p[rows, kink]), np.where(is_zero, at_zero, at_kinks[rows, kink])
