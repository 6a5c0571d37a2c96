"""Misreports worth trying: the claims that an agent could make instead of the true one.

========== =====================================================================================================
deviation  what the agent claims
========== =====================================================================================================
mixed      its own data mixed with another agent's, or with everything alike
scaled     some of its data more often, or more rarely, than in truth
moved      some of the mass of one point moved to another
guided     more or less mass where two hypotheses differ that drive the cost of the truthful plan (its duals)
grid       every distribution whose masses are multiples of 1/g, for the finest g that fits (small domains only)
random     anything, near the truth and far from it
========== =====================================================================================================

The kinds take turns, so that a small number of reports tries all of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.mechanism.claims import Claim, Claims, MassClaims, RateClaims
from fedpact.planning.result import BindingPair

_PARTS = (1.0, 0.5, 0.25, 0.75, 0.9, 0.1, 0.99)
_FACTORS = (2.0, 0.5, 0.0, 4.0, 0.25, 10.0, 0.9, 1.1)
_LEVELS = (0.9, 0.5, 0.25, 0.75, 0.99, 1.0, 0.1)
_COST_FACTORS = (2.0, 0.5, 1.1, 0.9, 1.01, 0.99, 1.5, 0.75, 5.0, 0.2, 10.0, 0.1)
_FINEST = 40


@dataclass(frozen=True, slots=True, eq=False)
class Lie:
    """A claim that is not the true one."""

    deviation: str
    claim: Claim


def _take_turns(kinds: Iterable[Iterator[Lie]]) -> Iterator[Lie]:
    """One lie of every kind in turn until all are used up."""
    waiting = list(kinds)
    while waiting:
        for kind in list(waiting):
            lie = next(kind, None)
            if lie is None:
                waiting.remove(kind)
            else:
                yield lie


def _mix(own: Claim, others: Sequence[Claim]) -> Iterator[Lie]:
    for part, other in itertools.product(_PARTS, others):
        yield Lie("mixed", (1 - part) * own + part * other)


def _normalise(kind: str, masses: Claim) -> Iterator[Lie]:
    total = float(masses.sum())
    if total > 0:
        yield Lie(kind, masses / total)


def _scale_masses(own: Claim, rng: np.random.Generator) -> Iterator[Lie]:
    places = rng.permutation(np.flatnonzero(own))
    for factor, place in itertools.product(_FACTORS, places):
        masses = own.copy()
        masses[place] *= factor
        yield from _normalise("scaled", masses)


def _move_masses(own: Claim, rng: np.random.Generator) -> Iterator[Lie]:
    givers, takers = rng.permutation(np.flatnonzero(own)), rng.permutation(len(own))
    for part, giver, taker in itertools.product(_PARTS, givers, takers):
        if giver != taker:
            masses = own.copy()
            masses[giver] -= part * own[giver]
            masses[taker] += part * own[giver]
            yield Lie("moved", masses)


def _with_mass_inside(own: Claim, inside: NDArray[np.bool_], level: float) -> Claim:
    """Put ``level`` of the mass inside, in the proportions it has there and outside, evenly where it has none."""
    out = np.empty_like(own)
    for where, mass in ((inside, level), (~inside, 1 - level)):
        total = float(own[where].sum())
        out[where] = mass * (own[where] / total if total > 0 else 1 / where.sum())
    return out


def _guide_masses(claims: MassClaims, own: Claim, duals: Sequence[BindingPair]) -> Iterator[Lie]:
    places = {name: place for place, name in enumerate(claims.table.hypotheses)}
    regions = [
        claims.table.labels[places[pair.truth]] != claims.table.labels[places[pair.hypothesis]] for pair in duals
    ]
    levels = [*_LEVELS, *(-factor for factor in _FACTORS)]
    for level, inside in itertools.product(levels, regions):
        aim = level if level > 0 else min(1.0, -level * float(own[inside].sum()))
        if not inside.all():
            yield Lie("guided", _with_mass_inside(own, inside, aim))


def list_grid(n: int, parts: int) -> Iterator[NDArray[np.float64]]:
    """Every distribution over ``n`` points whose masses are multiples of 1/parts.

    Examples
    --------
    >>> [report.tolist() for report in list_grid(2, 2)]
    [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
    """
    for bars in itertools.combinations(range(parts + n - 1), n - 1):
        yield (np.diff([-1, *bars, parts + n - 1]) - 1) / parts


def _grid(n: int, most: int) -> Iterator[Lie]:
    """Take the finest grid with at most ``most`` distributions."""
    g = max((g for g in range(1, _FINEST + 1) if math.comb(g + n - 1, n - 1) <= most), default=0)
    for masses in list_grid(n, g) if g > 1 else ():
        yield Lie("grid", masses)


def _random_masses(own: Claim, rng: np.random.Generator) -> Iterator[Lie]:
    n = len(own)
    while True:
        near = own * 10 ** rng.uniform(0, 3) + rng.choice([0.0, 0.1])
        for weights in (near, np.ones(n), np.full(n, 0.2)):
            yield from _normalise("random", rng.gamma(weights))


def _guide_rates(claims: RateClaims, own: Claim, duals: Sequence[BindingPair]) -> Iterator[Lie]:
    names = claims.evidence.hypotheses
    places = {name: place for place, name in enumerate(names)}
    for factor, pair in itertools.product((*_FACTORS, *(-level for level in _LEVELS)), duals):
        h, g = sorted((places[pair.truth], places[pair.hypothesis]))
        rates = own.copy()
        at = h * len(names) - h * (h + 1) // 2 + g - h - 1
        rates[at] = -factor if factor < 0 else min(1.0, factor * own[at])
        yield Lie("guided", rates)


def _random_rates(own: Claim, rng: np.random.Generator) -> Iterator[Lie]:
    while True:
        noise = rng.lognormal(0, rng.uniform(0.05, 2), len(own))
        yield Lie("random", np.minimum(own * noise, 1.0))
        yield Lie("random", rng.uniform(size=len(own)))


def _cost_lies(
    own: float, others: Sequence[float], thresholds: Sequence[float], ceiling: float, rng: np.random.Generator
) -> Iterator[Lie]:
    """Multiples of the cost, costs around a threshold and others' costs, and random ones."""
    near = [at * (1 + step) for at in (*thresholds, *others) for step in (-1e-3, 1e-3, 0.0)]
    kinds = [
        (Lie("scaled", np.array([own * factor])) for factor in _COST_FACTORS),
        (Lie("guided", np.array([cost])) for cost in near),
        (Lie("random", np.array([own * 10 ** rng.uniform(-1, 1)])) for _ in itertools.count()),
    ]
    return (lie for lie in _take_turns(kinds) if 0 < lie.claim[0] <= ceiling and math.isfinite(lie.claim[0]))


def lies_of(
    claims: Claims,
    agent: int,
    *,
    duals: Sequence[BindingPair],
    thresholds: Sequence[float],
    ceiling: float,
    budget: int,
    rng: np.random.Generator,
) -> Iterator[Lie]:
    """Misreports of one agent, without end.

    Parameters
    ----------
    claims
        What is private.
    duals
        The pairs that drive the cost of the truthful plan.
    thresholds, ceiling
        Costs at which the agent's quota changes, and the most that it may claim; for private costs.
    budget
        About how many will be taken; decides how fine a grid is tried.
    """
    own = claims.of(agent)
    others = [claims.of(other) for other in range(claims.truth.k) if other != agent]
    if isinstance(claims, MassClaims):
        n = len(own)
        kinds = [
            _guide_masses(claims, own, duals),
            _mix(own, [*others, np.full(n, 1 / n)]),
            _move_masses(own, rng),
            _scale_masses(own, rng),
            _grid(n, budget // 3),
            _random_masses(own, rng),
        ]
        return _take_turns(kinds)
    if isinstance(claims, RateClaims):
        scaled = (Lie("scaled", own * factor) for factor in _FACTORS)
        kinds = [_guide_rates(claims, own, duals), _mix(own, others), scaled, _random_rates(own, rng)]
        return _take_turns(kinds)
    return _cost_lies(float(own[0]), [float(other[0]) for other in others], thresholds, ceiling, rng)
