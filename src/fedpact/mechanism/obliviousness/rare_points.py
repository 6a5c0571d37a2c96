"""Two agents whose reports steer the paper's program to any neighbour of a plan: the corrected construction.

In log-miss coordinates A = -log(1 - p) a row of the program is linear. Take two points of the class of
singletons, each rare for one agent (r) and less so for the other (c), such that only the pairs of the base
hypothesis with these two bind (Equations 8 and 9). The row of a point is

    t_r A_r + t_c A_c = b,     t_r A_r = kappa A_c,     kappa = 1 + 1 / t_c,

where b = log(H/delta) for the pac objective and log(2 H p_c / epsilon_c), which depends on the mass that is
solved for, for the expected one. Both rows meet at t alone. To move the program to t', agent i keeps the
other's masses and solves its own two rows: A_i' = (b - t_o' A_o) / t_i'. For the rare point, and one more
sample of the other, this is (kappa - 1) A_c / t_r > 0, which is why kappa has to exceed 1.

The paper's proof of Lemma 1 is this to second order, with these differences:

- no first-order approximation of the logarithm, so that the rows are tight exactly;
- t = m - 1/2 and t' = m' - 1/2: a program whose optimum is integral is rounded up by one on a hair's breadth
  (ERRATA B4);
- one D serves for all neighbours, which is more than the definition asks for. Costs have to lie in the cone of
  the two rows in all cases, also where an agent that lowers the other's coordinate doubles its rare mass: about
  2 / m_1 <= c_1 / c_2 <= m_2 / 2, half of ERRATA B4's cone. Aimed nearer to m, more small plans can be reached;
- the paper spreads what is left of the mass over all other points, so that their rows are slack only for m_1 +
  m_2 above about H log(H/delta). Nothing asks for that: put on one point (at which all hypotheses agree, if
  there is one) it leaves a region that begins near m = (5, 5). The other points keep a trace, so that every
  hypothesis still counts, too little to be bad for anybody.

In the class that Lemma 1 and Lemma 5 of the paper are about, one hypothesis is the base (all-negative, in the
paper), and every other one differs from it at a single point of its own. Labels may be any two numbers and points
may stand in any order; at points that belong to nobody all hypotheses agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError
from fedpact.mechanism.claims import table_of

SPREAD = "spread"
CONCENTRATED = "concentrated"
DISTANCES = (0.5, 0.1)
"""How far below the plan the fractional optimum is aimed at."""
_TRACE = 1e-6
_ALMOST_ONE = 1 - 1e-15
_RULE = "the singletons and the all-negative hypothesis over three points or more"


def find_singletons(labels: NDArray[np.integer]) -> NDArray[np.bool_] | None:
    """(n,) whether a point of (H, n) labels is some hypothesis's own; None if it is not that class.

    Examples
    --------
    >>> find_singletons(np.array([[0, 1, 0, 5], [0, 1, 1, 5], [1, 1, 0, 5]])).tolist()
    [True, False, True, False]
    """
    differs = labels != np.median(labels, axis=0)  # from the base, which most hypotheses agree with at every point
    is_class = (differs.sum(axis=0) <= 1).all() and sorted(differs.sum(axis=1)) == [0] + [1] * (len(labels) - 1)
    return differs.any(axis=0) if is_class and len(labels) >= 3 else None


def read_singletons(fed: Federation) -> NDArray[np.bool_]:
    """(n,) which points of a federation over that class are a hypothesis's own, or say what is wrong."""
    found = find_singletons(table_of(fed, "a construction of local obliviousness").labels)
    if found is None or len(found) < 3:
        raise FederationError(
            f"m can be given only for {_RULE}; {fed.name!r} has another class: leave m out to search around its "
            "own plan"
        )
    if fed.k != 2:
        raise FederationError(f"m can be given only for two agents; {fed.name!r} has {fed.k}: leave m out")
    return found


def _log_seen(mass: float) -> float:
    """-log(1 - p)."""
    return -math.log1p(-mass)


def _least_mass(fed: Federation, agent: int) -> float:
    """Mass above which a pair of hypotheses concerns the agent."""
    return float(fed.epsilon[agent]) / (1 if fed.objective == "pac" else 2)


def _needed(fed: Federation, agent: int, mass: float) -> float:
    """Right-hand side of the row of a pair in which the agent's ``mass`` is what counts."""
    if fed.objective == "pac":
        return math.log(fed.H_given / fed.delta)
    return math.log(2 * fed.H_given * mass / float(fed.epsilon[agent]))


def _solve_mass(fed: Federation, agent: int, weight: float, load: float = 0.0) -> float | None:
    """Mass p of the agent with weight (-log(1 - p)) + load = needed(p); None if that is too little to matter."""
    least = _least_mass(fed, agent)
    if fed.objective == "pac":
        mass = -math.expm1(-(_needed(fed, agent, 1.0) - load) / weight)
        return mass if exceeds(mass, least) else None

    def short(mass: float) -> float:
        return _needed(fed, agent, mass) - load - weight * _log_seen(mass)

    if least <= 0 or short(least) <= 0 or short(_ALMOST_ONE) >= 0:
        return None
    mass = float(brentq(short, least, _ALMOST_ONE, xtol=1e-16, rtol=1e-14))
    return mass if exceeds(mass, least) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RarePoints:
    """Two agents' masses on two points, of which agent i sees point i rarely.

    Build one with :func:`place_rare_points`.
    """

    fed: Federation
    is_own: NDArray[np.bool_]
    """(n,) which points are a hypothesis's own."""
    m: NDArray[np.int64]
    distance: float
    name: str
    """What was built: two rare points, the rest of the mass on all other points, or on one of them."""
    masses: NDArray[np.float64]
    """(2, 2) mass of every agent on every rare point."""

    @property
    def distributions(self) -> NDArray[np.float64]:
        """(2, n) with which the program's plan is m."""
        rows = (self._lay_out(masses) for masses in self.masses)
        return np.array([row for row in rows if row is not None])

    def report(self, agent: int, wanted: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """(n,) what the agent reports to move the plan to ``wanted``; None if there is no such distribution."""
        t, other = wanted - self.distance, 1 - agent
        if t[agent] <= 0:
            return None
        kept = self.masses[other]
        rare = (_needed(self.fed, other, kept[agent]) - t[other] * _log_seen(kept[agent])) / t[agent]
        common = _solve_mass(self.fed, agent, t[agent], t[other] * _log_seen(kept[other]))
        if rare < 0 or common is None:
            return None
        own = np.empty(2)
        own[agent], own[other] = -math.expm1(-rare), common
        return self._lay_out(own)

    def _lay_out(self, masses: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """(n,) the masses on the two points, and the rest where it belongs; None if they sum to 1 or more."""
        rare = np.flatnonzero(self.is_own)[:2]
        others = np.setdiff1d(np.arange(len(self.is_own)), rare)
        out = np.zeros(len(self.is_own))
        out[rare] = masses
        left = 1 - masses.sum()
        if self.name == SPREAD:
            out[others] = left / len(others)
        else:
            out[others] = min(_TRACE, _least_mass(self.fed, 0) / 2, _least_mass(self.fed, 1) / 2)
            heap = (*np.flatnonzero(~self.is_own), *others)[0]
            out[heap] = left - out[others].sum() + out[heap]
        return out if out.min() >= 0 and out[others].min() > 0 else None


def place_rare_points(
    fed: Federation, m: NDArray[np.int64], *, rest: str = SPREAD, distance: float = DISTANCES[0]
) -> RarePoints | None:
    """Build the construction for the plan ``m`` (2,); None if the masses it needs are no distributions.

    Examples
    --------
    >>> from fedpact.describe.examples import singletons
    >>> built = place_rare_points(singletons(epsilon=0.01), np.array([130, 130]))
    >>> built.masses.round(5).tolist()
    [[0.00021, 0.02708], [0.02708, 0.00021]]
    """
    t = m - distance
    if (t <= 0).any():
        return None
    masses = np.empty((2, 2))
    for rare, common in ((0, 1), (1, 0)):
        kappa = 1 + 1 / t[common]
        mass = _solve_mass(fed, common, t[common] + kappa)
        if mass is None:
            return None
        masses[common, rare] = mass
        masses[rare, rare] = -math.expm1(-kappa * _log_seen(mass) / t[rare])
    built = RarePoints(fed=fed, is_own=read_singletons(fed), m=m, distance=distance, name=rest, masses=masses)
    return built if len(built.distributions) == 2 else None
