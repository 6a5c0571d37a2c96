"""The construction of the paper's Lemma 5, for the expected objective, and what it cannot do (ERRATA A8).

Agent i has mass c_i on a point of its own and the rest where all hypotheses agree, with

    (1 - c_i)^m_i c_i = epsilon_i / 2H,     epsilon_i / 2 < c_i <= 1 - 1 / 2H,

so that its own row alone asks for m_i (here for m_i - 1/2, which is rounded up to m_i). For H >= 3 there is a
solution only up to m_i = log H / (-log(1 - epsilon_i / 2)), which is less than the stated 2 log H / epsilon_i.

An agent can move its own coordinate either way, and lower another's by putting some mass on the other's point.
It cannot raise another's: let agent i report anything and suppose the plan were m + e_j. Agent j has no mass
but on its own point x_j and where all agree, so rows without x_j hold at m as well. A row with x_j in which c_j
counts holds at m by the choice of c_j. One in which i's mass p counts holds if m_i A(p) >= log((p / epsilon_i)
/ (c_j / epsilon_j)) for A(p) = -log(1 - p). So if m_i is at least

    g = max over p of log((p / epsilon_i) / (c_j / epsilon_j)) / A(p),

m satisfies the rows whenever m + e_j does, and a planner that drops what its rows do not need never answers m +
e_j. The definition asks for reports of *every* agent, so the construction does not show what the lemma says.

The argument needs that hypotheses are told apart by the points of these agents alone. Where the class has more
points, they get a trace of mass here so that all of its hypotheses count (the program's H is that of the
hypotheses which somebody can tell apart); then it is only known what a search finds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from fedpact.describe.federation import Federation
from fedpact.errors import FederationError
from fedpact.mechanism.obliviousness.rare_points import TRACE, least_mass, log_seen, solve_mass
from fedpact.mechanism.obliviousness.singleton_class import SingletonClass, read_singletons

OWN_POINTS = "own-points"
_DISTANCE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnPoints:
    """Every agent's mass on a point of its own; build one with :func:`place_own_points`."""

    fed: Federation
    points: SingletonClass
    m: NDArray[np.int64]
    masses: NDArray[np.float64]
    """(2,) c_i."""
    name: str = OWN_POINTS
    """What was built: a point of each agent's own, the rest where all hypotheses agree (the paper's)."""

    @property
    def distributions(self) -> NDArray[np.float64]:
        """(2, n) with which the program's plan is m."""
        rows = [self._lay_out({agent: mass}) for agent, mass in enumerate(self.masses)]
        return np.array([row for row in rows if row is not None])

    def report(self, agent: int, wanted: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """(n,) what the agent reports to move the plan to ``wanted``; None if the construction has no answer."""
        other = 1 - agent
        own = _solve_own(self.fed, agent, wanted[agent] - _DISTANCE)
        more = float(self.m[other] - wanted[other]) * log_seen(self.masses[other])
        if own is None or more < 0:
            return None
        return self._lay_out({agent: own, other: -math.expm1(-more / (wanted[agent] - _DISTANCE))})

    def is_impossible(self, agent: int, wanted: NDArray[np.int64]) -> bool:
        """Whether it is proved that no report of the agent leads to ``wanted``."""
        other = 1 - agent
        is_raise = wanted[other] > self.m[other] and wanted[agent] == self.m[agent]
        return bool(is_raise and len(self.points.own) == 2 and self.m[agent] >= self._most_outweighed(agent))

    def _most_outweighed(self, agent: int) -> float:
        """g: at the maximum, where (1 - p) A(p) / p, which falls in p, meets log p - start, it is (1 - p) / p."""
        other, epsilon = 1 - agent, self.fed.epsilon
        start = math.log(self.masses[other] * epsilon[agent] / epsilon[other])
        if start >= 0:
            return 0.0
        mass = brentq(lambda p: (1 - p) * log_seen(p) / p - math.log(p) + start, 1e-12, 1 - 1e-12)
        return (1 - mass) / mass + 1e-6

    def _lay_out(self, masses: dict[int, float]) -> NDArray[np.float64] | None:
        out = np.zeros(len(self.points.own) + len(self.points.common))
        out[list(self.points.own[2:])] = min(TRACE, *(least_mass(self.fed, agent) / 2 for agent in (0, 1)))
        for agent, mass in masses.items():
            out[self.points.own[agent]] = mass
        out[self.points.common[0]] = 1 - out.sum()
        return out if out.min() >= 0 else None


def _solve_own(fed: Federation, agent: int, t: float) -> float | None:
    """c_i for t samples within the paper's range; None if there is none."""
    mass = solve_mass(fed, agent, t) if t > 0 else None
    return mass if mass is not None and mass <= 1 - 1 / (2 * fed.H_given) else None


def place_own_points(fed: Federation, m: NDArray[np.int64]) -> OwnPoints | None:
    """Build the paper's construction for the plan ``m`` (2,); None if some c_i does not exist.

    Raises
    ------
    FederationError
        If the objective is another, or there is no point at which all hypotheses agree.
    """
    points = read_singletons(fed)
    if fed.objective != "expected":
        raise FederationError(f"construction {OWN_POINTS!r} is for objective 'expected'; it is {fed.objective!r}")
    if not points.common:
        raise FederationError(
            f"construction {OWN_POINTS!r} needs a point at which all hypotheses agree; {fed.name!r} has none"
        )
    masses = [_solve_own(fed, agent, float(count) - _DISTANCE) for agent, count in enumerate(m)]
    known = [mass for mass in masses if mass is not None]
    if len(known) < len(masses):
        return None
    return OwnPoints(fed=fed, points=points, m=m, masses=np.array(known))
