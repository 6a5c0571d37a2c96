"""The construction of the paper's Lemma 5, for the expected objective, and what it cannot do (ERRATA A8).

Agent i has mass c_i on a point of its own and the rest where all hypotheses agree, with

    (1 - c_i)^m_i c_i = epsilon / 2H,     epsilon / 2 < c_i <= 1 - 1 / 2H,

so that its own row alone asks for m_i (here for m_i - 1/2, which is rounded up to m_i). For H >= 3 there is a
solution only up to m_i = log H / (-log(1 - epsilon / 2)), which is less than the stated 2 log H / epsilon.

An agent can move its own coordinate either way, and lower another's by putting some mass on the other's point.
It cannot raise another's: let agent i report anything and suppose the plan were m + e_j. Agent j has no mass
but on its own point x_j and where all agree, so rows without x_j hold at m as well. A row with x_j in which c_j
counts holds at m by the choice of c_j. One in which i's mass p counts holds if m_i A(p) >= log(p / c_j) for
A(p) = -log(1 - p). So if m_i is at least the largest log(p / c_j) / A(p) of all p, m satisfies the rows whenever
m + e_j does, and a planner that drops what its rows do not need never answers m + e_j. The definition asks for
reports of *every* agent, so the construction does not show what the lemma says.

The argument needs that hypotheses are told apart by the points of these agents alone, as for H = 3. Where the
class has more points, they get a trace of mass here so that all of its hypotheses count (the program's H is that
of the hypotheses which somebody can tell apart); then it is only known what a search finds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import fedpact as fp

_DISTANCE = 0.5
_TRACE = 1e-6


def singletons_with_common_point(H: int = 8, epsilon: float | str = 0.1) -> fp.Federation:
    """Two agents, H - 1 singletons and the all-negative hypothesis, and one point at which all agree, the last.

    Examples
    --------
    >>> singletons_with_common_point()
    Federation('singletons-with-common-point': 2 agents, 8 hypotheses, table, expected, per-agent)
    """
    labels = np.zeros((H, H), dtype=np.int64)
    labels[1:, :-1] = np.eye(H - 1, dtype=np.int64)
    return fp.Federation.from_table(
        labels,
        np.full((2, H), 1 / H),
        epsilon=epsilon,
        delta=0.5,
        objective="expected",
        name="singletons-with-common-point",
    )


def give_distributions(fed: fp.Federation, masses: NDArray[np.float64]) -> fp.Federation:
    """Return the same federation with other distributions (k, n)."""
    evidence: Any = fed.evidence
    cost = [agent.cost for agent in fed.agents]
    return fp.Federation.from_table(
        evidence.labels, masses, epsilon=fed.epsilon, delta=fed.delta, cost=cost, objective=fed.objective
    )


def solve_own(fed: fp.Federation, m: int) -> float:
    """c_i for which an agent's own row asks for m - 1/2; nan if there is none in the paper's range."""
    least, most, t = float(fed.epsilon[0]) / 2, 1 - 1 / (2 * fed.H), m - _DISTANCE

    def short(mass: float) -> float:
        return math.log(fed.H * mass / least) + t * math.log1p(-mass)

    has_root = short(least) > 0 > short(most)
    return float(brentq(short, least, most, xtol=1e-16, rtol=1e-14)) if has_root else math.nan


def _lay_out(fed: fp.Federation, first: float, second: float) -> NDArray[np.float64]:
    """(n,) masses on the points of agents 1 and 2, traces on those of nobody, and the rest where all agree."""
    row = np.full(fed.H, min(_TRACE, float(fed.epsilon[0]) / 4))
    row[:2] = first, second
    row[-1] = 1 - row[:-1].sum()
    return row


def place_own_points(fed: fp.Federation, m: Sequence[int]) -> NDArray[np.float64] | None:
    """(2, n) distributions with which the program's plan for :func:`singletons_with_common_point` is ``m``.

    None if some c_i does not exist.
    """
    rows = np.array([_lay_out(fed, solve_own(fed, m[0]), 0.0), _lay_out(fed, 0.0, solve_own(fed, m[1]))])
    return rows if (rows >= 0).all() else None


def report_own(fed: fp.Federation, masses: NDArray[np.float64], agent: int, step: Sequence[int], m: int) -> Any:
    """(n,) what the agent, of whom ``m`` is asked, reports to move the plan by ``step``; None if there is nothing.

    To lower the other's entry it puts mass on the other's point that rules out as much.
    """
    other = 1 - agent
    own = solve_own(fed, m + step[agent])
    lent = step[other] * math.log1p(-masses[other, other]) / (m + step[agent] - _DISTANCE)
    if step[other] > 0 or math.isnan(own):
        return None
    pair = {agent: own, other: -math.expm1(-lent)}
    report = _lay_out(fed, pair[0], pair[1])
    return report if (report >= 0).all() else None


def _is_reached(fed: fp.Federation, masses: NDArray[np.float64], m: Sequence[int], agent: int, step: Any) -> bool:
    """Whether a report of the agent moves the plan by ``step``, both plans being enough before and after."""
    report = report_own(fed, masses, agent, step, m[agent])
    if report is None:
        return False
    reported = masses.copy()
    reported[agent] = report
    start, moved, wanted = give_distributions(fed, masses), give_distributions(fed, reported), np.add(m, step)
    return bool((fp.plan(moved, "lp").m == wanted).all()) and all(
        fp.verify(truth, plan).is_feasible for truth in (start, moved) for plan in (m, wanted)
    )


def list_reached(fed: fp.Federation, m: Sequence[int]) -> list[tuple[int, tuple[int, int]]]:
    """Agents and steps, of the 8 cases of local obliviousness at ``m``, for which the construction does it.

    Examples
    --------
    >>> all_reached = list_reached(singletons_with_common_point(), [7, 7])
    >>> len(all_reached), (0, (0, 1)) in all_reached, (1, (1, 0)) in all_reached
    (6, False, False)
    """
    masses = place_own_points(fed, m)
    if masses is None or (fp.plan(give_distributions(fed, masses), "lp").m != m).any():
        return []
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
    return [case for case in itertools.product((0, 1), steps) if _is_reached(fed, masses, m, *case)]
