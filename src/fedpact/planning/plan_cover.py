"""``plan_cover``: contributions that are enough for an infinite class, through a cover of it.

Two ways lead from an infinite class to a plan. Both promise the same, for the distributions that are uniform on
the points given:

- :meth:`Federation.from_points <fedpact.Federation.from_points>` restricts the class to the points. That is
  exact, so :func:`fedpact.plan` can reach the optimum. It is the right way wherever the labelings can be
  enumerated, and practically always the cheaper one.
- ``plan_cover`` plans for a cover of the class (:mod:`fedpact.planning.build_cover`) with a theorem that pays
  for everything between its members (Theorem 3, infinite class; :mod:`fedpact.planning.cover_theorem`). It is
  for points too many to enumerate. With few points their atoms are heavier than gamma, the cover is the whole
  restriction and the plan is that of the paper's program for finite classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fedpact.describe.arrays import Floats, Ints
from fedpact.describe.classes import check_class
from fedpact.describe.costs import AnyCost
from fedpact.describe.federation import Federation, build_federation
from fedpact.describe.numbers import Number
from fedpact.describe.read_evidence import OF_FEATURES, check_by_agent, read_points, read_reports
from fedpact.describe.settings import Guarantee, HasContributions, PerAgent, Settings, read_settings
from fedpact.describe.ties import exceeds
from fedpact.errors import FederationError, InfeasibleError, Problems
from fedpact.planning.build_cover import COVERED, Cover, build_cover, find_cover, read_gamma
from fedpact.planning.cover_theorem import MARGIN, CoverProgram, most_members
from fedpact.planning.infeasible import too_few_for_cover
from fedpact.planning.rounding import capacities, polish, round_up
from fedpact.planning.row_generation import CoveringProgram, Solution, UnreachableRow
from fedpact.result import Result

ENUMERATE = 4_000
"""So many labelings are all taken instead of a cover."""
REFINE = 1_000
"""Covers finer than needed are tried up to this size."""


class CoverPlanStatus(StrEnum):
    """What a plan for an infinite class rests on."""

    COVERED = "covered"
    """A cover of the class; where the labelings can be enumerated, ``from_points`` asks for less."""
    ENUMERATED = "enumerated"
    """Every labelling of the points: the cover is all of them."""
    NOTHING_NEEDED = "nothing-needed"
    """No hypothesis of the class is bad for anybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverPlan(HasContributions, Result):
    """Contributions that meet every target for an infinite class, with what the proof rests on.

    The guarantee is joint: whichever hypothesis of the class is the truth, with probability 1 - delta at least and
    for all agents at once, every hypothesis of the class that agrees with all samples errs on at most epsilon_i
    of agent i's points.
    """

    contributions: dict[str, int]
    cost: float
    fractional: dict[str, float]
    """Optimum of the program before rounding."""
    fractional_cost: float
    gamma: float
    """The distance that the cover was asked for."""
    radius: float
    """The distance that the cover reached, with which the theorem was used."""
    cover_size: int
    vc_dimension: int
    """Upper bound on the VC dimension of the class."""
    samples_per_region: int
    """How many samples the plan puts where two members of the cover differ, so that all between are settled."""
    status: CoverPlanStatus
    hypotheses: str
    """The class."""
    delta: float
    guarantee: Guarantee


def solve_cover(fed: Federation, program: CoverProgram) -> tuple[Ints, Solution]:
    """(k,) solution over a cover, rounded up, samples dropped and moved while the rows hold; and as it was."""
    try:
        solution = CoveringProgram([agent.cost for agent in fed.agents], capacities(fed)).solve(program)
    except UnreachableRow as error:
        raise too_few_for_cover(fed, error.row.requirement, error.row.pair) from None
    m = round_up(fed, solution.m, program.proves)
    if m is None:  # the solver's tolerance allows what integers do not
        row = solution.rows[int(solution.duals.argmax())]
        raise too_few_for_cover(fed, row.requirement, row.pair)
    return polish(fed, m, program.proves), solution


def _plan(settings: Settings, cover: Cover) -> CoverPlan:
    reports = read_reports([cover.report_of(agent) for agent in settings.names], hypotheses=cover.hypotheses)
    fed = build_federation("federation", settings, reports, Problems())
    program = CoverProgram(fed, radius=cover.radius, d=cover.vc_dimension)
    m, solution = solve_cover(fed, program)
    status = CoverPlanStatus.COVERED if cover.radius > 0 else CoverPlanStatus.ENUMERATED
    return CoverPlan(
        contributions=dict(zip(fed.names, m.tolist(), strict=True)),
        cost=fed.cost_of(m),
        fractional=dict(zip(fed.names, solution.m.tolist(), strict=True)),
        fractional_cost=solution.value,
        gamma=cover.gamma,
        radius=cover.radius,
        cover_size=len(cover.labels),
        vc_dimension=cover.vc_dimension,
        samples_per_region=program.n,
        status=status if m.any() else CoverPlanStatus.NOTHING_NEEDED,
        hypotheses=cover.class_name,
        delta=settings.delta,
        guarantee=fed.guarantee,
    )


def _search(settings: Settings, arrays: tuple[Floats, ...], class_name: str, widest: float) -> CoverPlan:
    """Plan with every labelling if they are few, else with ever finer covers and take the cheapest plan."""
    most = most_members(len(settings.agents))
    everything = build_cover(settings.names, arrays, class_name, 0.0, min(ENUMERATE, most))
    if everything is not None:
        return _plan(settings, everything)
    gamma = widest
    cover: Cover | None = find_cover(settings.names, arrays, class_name, gamma, most)
    plans: list[CoverPlan] = []
    blocked: list[InfeasibleError] = []
    while cover is not None:
        try:
            plans.append(_plan(settings, cover))
        except InfeasibleError as error:  # a finer cover may ask for less
            blocked.append(error)
        gamma /= 2
        cover = build_cover(settings.names, arrays, class_name, gamma, min(REFINE, most)) if gamma > 0 else None
    if not plans:
        raise blocked[-1]
    return min(plans, key=lambda plan: plan.cost)


def plan_cover(
    points: Mapping[str, Any],
    hypotheses: str = "thresholds",
    *,
    epsilon: PerAgent[Number],
    delta: Number,
    cost: PerAgent[AnyCost] = 1.0,
    capacity: PerAgent[Number | None] = None,
    gamma: Number | None = None,
) -> CoverPlan:
    """Plan contributions that are enough for *every* truth of an infinite class, by a cover of it.

    With probability 1 - delta, for all agents at once, every hypothesis of the class that agrees with the
    samples has error at most epsilon_i on agent i's distribution, which is uniform on its own points. The learner
    is thus any that returns a consistent hypothesis of the class; it need not know the cover. The cost is not
    within a stated factor of the optimum: a cover only sees truths at epsilon - 2 gamma.

    Parameters
    ----------
    points
        Agent name to (n_i,) or (n_i, f) array of its own unlabelled points.
    hypotheses
        ``"thresholds"`` or ``"intervals"`` of one feature, ``"stumps"``, ``"rectangles"`` or ``"halfspaces"`` of
        two features.
    cost, epsilon, capacity
        One value for all agents, a sequence, or a mapping from agent name to value.
    gamma
        How close the cover is; a seventh of the least epsilon at most. By default every labelling of the points
        is taken if there are at most 4,000; else gamma is a seventh of the least epsilon, or half of that and so
        on while the cover has at most 1,000 members, whichever gives the cheapest plan.

    Raises
    ------
    FederationError
        Also if the cover is too large: its members are compared pair by pair, and boxes of two features and
        more take many.
    InfeasibleError
        If the capacities do not allow what the theorem asks for.

    Examples
    --------
    >>> points = {"alice": range(100_000), "bob": range(50_000, 150_000)}
    >>> found = plan_cover(points, "thresholds", epsilon=0.1, delta=0.05, gamma=0.01)
    >>> found.cover_size, found.samples_per_region, found.contributions
    (75, 26, {'alice': 711, 'bob': 711})
    """
    check_by_agent(points, "points", "(n,) or (n, f)")
    problems = Problems()
    settings = problems.read("", read_settings, tuple(points), cost, epsilon, capacity, delta, "pac", "joint")
    arrays = problems.read("", read_points, points)
    problems.read("", check_class, hypotheses, COVERED, OF_FEATURES)
    asked = None if gamma is None else problems.read("", read_gamma, gamma)
    settings, arrays = problems.insist(settings), problems.insist(arrays)
    widest = min(agent.epsilon for agent in settings.agents) / MARGIN
    if asked is None:
        return _search(settings, arrays, hypotheses, widest)
    if exceeds(asked, widest):
        raise FederationError(
            f"gamma must be a seventh of the least epsilon at most, {widest:.6g}; it is {asked:g} "
            f"(leave gamma out to have it chosen)"
        )
    asked, most = min(asked, widest), most_members(len(settings.agents))
    return _plan(settings, find_cover(settings.names, arrays, hypotheses, asked, most))
