"""Bets on pairs of candidates: the capital that they win is proof that one is hardly worse than the other.

At one site the points have masses that sum to 1 (those of n pooled points 1/n each). Candidates h and g differ on
points of mass p(h, g). Z = 1[h wrong] - 1[g wrong] is 0 elsewhere. The bet is against

    err(h) - err(g) >= limit.

*Pool.* Points are drawn in proportion to their mass, none twice. Of the points where h and g differ, those of mass
``seen`` were drawn, with ``gap`` = sum of mass Z. If the next draw is one of the rest, each as likely as its mass
says, then Z has the mean (err(h) - err(g) - gap) / (p - seen): at least

    mean = (limit - gap) / (p - seen)

if what is bet against is true. So multiplying the capital by 1 + theta (mean - Z) / (1 - mean), which is never
negative for 0 < theta < 1, makes it no larger on average: it is a supermartingale, and ever reaches x with a
probability of at most 1/x (Ville). The capital is the mean of that of a few thetas. Draws where h and g agree do
not count, so it does not matter how these are chosen: points may be left out on which certain candidates agree, as
long as bets are on pairs among these only. Where the mean is 1 or more the points themselves refute: not even if h
were wrong and g right on all of the rest would the limit be reached.

*Stream.* The points are draws from a distribution, which the promise is about, in random order. Then Z of every
next point has a mean of at least ``limit``, and the bet with mean = limit is placed at every point.

The bets are those of Waudby-Smith and Ramdas (2024) for means of bounded numbers, with and without replacement.
Counting only the points where two candidates differ is ours: it takes away the noise of all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Ints
from fedpact.describe.progress import compiled

THETAS = np.array([0.1, 0.25, 0.45, 0.7, 0.9])
"""(B,) shares of what may be staked; few labels are decided by large ones, many by small ones."""


@compiled
def place_bets(
    said: NDArray[Any],
    wrong: NDArray[Any],
    inside: Ints,
    limit: float,
    is_stream: bool,
    differ: Floats,
    seen: Floats,
    gap: Floats,
    capital: Floats,
    most: Floats,
    thetas: Floats,
) -> None:
    """Bet on all pairs among the candidates ``inside`` at one point, and note the ``most`` that each ever had.

    ``said`` (H,) is what the candidates say there, ``wrong`` (H,) 1 for those that are. ``differ``, ``seen``,
    ``gap`` and ``most`` are (H, H), ``capital`` is (H, H, B).
    """
    for h in inside:
        for g in inside:
            is_same = said[h] == said[g]
            if h == g or (is_same and not is_stream):
                continue
            z = 0.0 if is_same else 1.0 * wrong[h] - wrong[g]
            rest = 1.0 if is_stream else differ[h, g] - seen[h, g]
            if rest <= 0:  # of masses that are nothing beside others
                continue
            mean = limit if is_stream else (limit - gap[h, g]) / rest
            if -1 < mean < 1:
                total = 0.0
                for b in range(len(thetas)):
                    capital[h, g, b] *= 1 + thetas[b] * (mean - z) / (1 - mean)
                    total += capital[h, g, b]
                most[h, g] = max(most[h, g], total / len(thetas))


@compiled
def count_point(said: NDArray[Any], wrong: NDArray[Any], mass: float, seen: Floats, gap: Floats) -> None:
    """Add a point that was labelled to what is known of every pair that differs there."""
    for h in range(len(said)):
        for g in range(len(said)):
            if said[h] != said[g]:
                gap[h, g] += mass * (1.0 * wrong[h] - wrong[g])
                seen[h, g] += mass


@compiled
def find_reached(
    said: NDArray[Any],
    wrong: NDArray[Any],
    inside: Bools,
    mass: Floats,
    first: Ints,
    second: Ints,
    limits: Floats,
    nearly: Floats,
    differ: Floats,
    is_stream: bool,
    threshold: Floats,
    thetas: Floats,
) -> Ints:
    """(P,) after how many draws pairs would have been proved, had their limits been these; T + 1 if never.

    ``said``, ``wrong`` and ``inside`` are (T, H), by draw, and ``mass`` (T,). All else is (P,): ``limits`` and,
    ties included, ``nearly``, how often a pair may differ to be proved without a bet.
    """
    T = len(said)
    reached = np.full(len(first), T + 1)
    capital = np.empty(len(thetas))
    for p in range(len(first)):
        h, g = first[p], second[p]
        capital[:] = 1.0
        gap = seen = 0.0
        if differ[p] <= nearly[p]:
            reached[p] = 0
            continue
        for t in range(T):
            is_same = said[t, h] == said[t, g]
            if is_same and not is_stream:
                continue
            z = 0.0 if is_same else 1.0 * wrong[t, h] - wrong[t, g]
            rest = 1.0 if is_stream else differ[p] - seen
            if inside[t, h] and inside[t, g] and rest > 0:
                mean = limits[p] if is_stream else (limits[p] - gap) / rest
                if -1 < mean < 1:
                    total = 0.0
                    for b in range(len(thetas)):
                        capital[b] *= 1 + thetas[b] * (mean - z) / (1 - mean)
                        total += capital[b]
                    if total / len(thetas) >= threshold[p]:
                        reached[p] = t + 1
                        break
            if not is_same:
                gap += mass[t] * z
                seen += mass[t]
                if not is_stream and gap + differ[p] - seen <= nearly[p]:
                    reached[p] = t + 1
                    break
    return reached
