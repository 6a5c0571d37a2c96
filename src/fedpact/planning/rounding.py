"""From a fractional solution to a cheap integer vector that carries a proof.

Rounding up is not enough to keep a promise about cost: the ceiling of a solver's output is often one too
many, and the ceiling of a better fractional plan can cost more than that of a worse one. So several roundings
are tried, each is re-checked on integers, samples that are not needed are dropped, and single samples are
moved to cheaper agents while the proof holds; the cheapest wins.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.planning.certificates import Certificate

_SNAP = 1e-7
_PARTS = 8
_MOVE_AGENTS = 40


def costs_of(fed: Federation, m: NDArray[np.int64]) -> NDArray[np.float64]:
    """(B,) cost of every contribution vector (B, k)."""
    return np.asarray(np.sum([agent.cost(column) for agent, column in zip(fed.agents, m.T, strict=True)], axis=0))


def round_up(fed: Federation, m_fractional: NDArray[np.float64], proves: Certificate) -> NDArray[np.int64] | None:
    """Round up with the solver's tolerance, then add samples where that was too little; None if caps forbid."""
    caps = capacities(fed)
    m = np.minimum(np.ceil(m_fractional - _SNAP), caps).astype(np.int64)
    step = 1
    while not proves(m[None])[0]:
        support = (m > 0) | (m_fractional > 0)
        more = np.minimum(m + step * (support if support.any() else np.ones(fed.k, dtype=bool)), caps).astype(
            np.int64
        )
        if (more == m).all():
            more = np.minimum(m + step, caps).astype(np.int64)
            if (more == m).all():
                return None
        m, step = more, 2 * step
    return m


def trim(
    fed: Federation, m: NDArray[np.int64], proves: Certificate, order: Iterable[int] | None = None
) -> NDArray[np.int64]:
    """Drop samples that are not needed, agent by agent, dearest first, as many at once as the proof allows."""
    m = m.copy()
    unit = np.array([float(agent.cost(1)) for agent in fed.agents])
    for agent in np.argsort(-unit, kind="stable") if order is None else order:
        low, high = -1, int(m[agent])  # proved at high, not known to be at low
        while high - low > 1:
            inner = np.unique(np.linspace(low, high, _PARTS + 1).round().astype(np.int64)[1:-1])
            inner = inner[(inner > low) & (inner < high)]
            trial = np.repeat(m[None], len(inner), axis=0)
            trial[:, agent] = inner
            proved = proves(trial)
            low = max([low, *inner[~proved].tolist()])
            high = min([high, *inner[proved & (inner > low)].tolist()])
        m[agent] = high
    return m


def move(fed: Federation, m: NDArray[np.int64], proves: Certificate) -> NDArray[np.int64]:
    """Give up one sample of an agent for fewer money's worth of another's, as long as that helps."""
    caps = capacities(fed)
    improved = fed.k <= _MOVE_AGENTS
    while improved:
        improved = False
        for giver in np.flatnonzero(m):
            trials = _moves(fed, m, int(giver), caps)
            if not len(trials):
                continue
            proved = trials[proves(trials)]
            if len(proved):
                better = trim(fed, proved[costs_of(fed, proved).argmin()], proves)
                if costs_of(fed, better[None])[0] < costs_of(fed, m[None])[0] - 1e-12:
                    m, improved = better, True
                    break
    return m


def _moves(fed: Federation, m: NDArray[np.int64], giver: int, caps: NDArray[np.float64]) -> NDArray[np.int64]:
    """Vectors with one sample less of ``giver`` and as many more of one other as that saves."""
    now = costs_of(fed, m[None])[0]
    less = m.copy()
    less[giver] -= 1
    out = []
    for taker in range(fed.k):
        if taker == giver:
            continue
        more, step = less.copy(), 1
        while more[taker] + step <= caps[taker]:
            trial = more.copy()
            trial[taker] += step
            if costs_of(fed, trial[None])[0] >= now - 1e-12:
                break
            more, step = trial, 2 * step
        if more[taker] > less[taker]:
            out.append(more)
    return np.array(out, dtype=np.int64).reshape(-1, fed.k)


def capacities(fed: Federation) -> NDArray[np.float64]:
    """(k,) the most that each agent can give; infinite where there is no limit."""
    return np.array([np.inf if agent.capacity is None else float(agent.capacity) for agent in fed.agents])
