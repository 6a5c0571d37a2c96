"""``obliviousness``: whether each agent alone can report its way from a plan to every neighbour.

Definition 1 of the paper: a planner is locally oblivious at m if for every neighbour m' (one sample of one agent
more or less) there are distributions D and reports D_i' of every agent i such that the planner answers m to D
and m' to (D_i', D_-i), and both m and m' are enough for D and for every (D_i', D_-i). Where that holds no
payment that depends on the plan alone keeps agents truthful but pay-what-you-contribute (Theorem 4).

The paper says that its program is locally oblivious at all m above 2 H log H (Lemma 1, pac), and at all m up to
2 log H / epsilon (Lemma 5, expected). Neither is so (ERRATA A6, A8, B4). What is shown here, for the class of the
lemmas:

- by :mod:`fedpact.mechanism.obliviousness.rare_points`, that it holds on a bounded region, for both objectives;
- by :mod:`fedpact.mechanism.obliviousness.largest_plan`, that it cannot hold beyond;
- for an optimal planner it never holds: of two neighbours that are both enough it never takes the expensive one.

For any other table the neighbours of its own plan are searched for
(:mod:`fedpact.mechanism.obliviousness.steering`). What the paper's own construction for the expected objective
reaches, and what it cannot, is shown in ``reproduction/own_points.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import read_whole_number
from fedpact.describe.settings import Contributions
from fedpact.errors import FederationError
from fedpact.mechanism.claims import table_of
from fedpact.mechanism.obliviousness.largest_plan import find_largest_cost, find_largest_plan
from fedpact.mechanism.obliviousness.rare_points import (
    CONCENTRATED,
    DISTANCES,
    SPREAD,
    RarePoints,
    place_rare_points,
    read_singletons,
)
from fedpact.mechanism.obliviousness.result import (
    NeighbourPlan,
    Obliviousness,
    ObliviousnessStatus,
    SteeringReport,
)
from fedpact.mechanism.obliviousness.steering import N_MISREPORTS, Steering, search_neighbours
from fedpact.planning.methods import PLANNERS
from fedpact.planning.rounding import capacities
from fedpact.statistics.verification import read_contributions

CONSTRUCTIONS = ("auto", SPREAD, CONCENTRATED)
_SEARCHED = "search"
"""The federation's own distributions, other reports drawn around them."""
_SLACK = 1e-6


def _constructions(fed: Federation, m: NDArray[np.int64], construction: str) -> Iterator[RarePoints]:
    """Everything that may show it, the paper's first."""
    rests = (SPREAD, CONCENTRATED) if construction == "auto" else (construction,)
    tries = (place_rare_points(fed, m, rest=rest, distance=far) for far in DISTANCES for rest in rests)
    return (built for built in tries if built is not None)


def _conclude(
    fed: Federation, m: NDArray[np.int64], method: str, status: ObliviousnessStatus, **built: Any
) -> Obliviousness:
    """Say what is known of a plan, also where nothing was built for it."""
    largest = find_largest_plan(fed) if method == "lp" else np.full(fed.k, np.inf)
    return Obliviousness(
        contributions=dict(zip(fed.names, m.tolist(), strict=True)),
        largest=dict(zip(fed.names, np.minimum(largest, capacities(fed)).tolist(), strict=True)),
        largest_cost=find_largest_cost(fed),
        status=status,
        method=method,
        objective=fed.objective,
        guarantee=fed.guarantee,
        **built,
    )


def _is_too_large(fed: Federation, found: Obliviousness) -> bool:
    """Whether the plan or a neighbour with one sample more is proved to be no answer of the planner."""
    largest = np.array(list(found.largest.values()))
    dearest = fed.costs_of(found.m + np.eye(fed.k, dtype=np.int64)).max()
    return bool((found.m + 1 > largest + _SLACK).any() or dearest > found.largest_cost + _SLACK)


def _show(
    m: NDArray[np.int64], steering: Steering, construction: str, neighbours: tuple[NeighbourPlan, ...]
) -> Obliviousness:
    status = ObliviousnessStatus.OTHER_PLAN
    if neighbours:
        is_shown = all(neighbour.is_reached for neighbour in neighbours)
        status = ObliviousnessStatus.HOLDS if is_shown else ObliviousnessStatus.NOT_FOUND
    distributions = zip(steering.fed.names, map(steering.masses, steering.distributions), strict=True)
    return _conclude(
        steering.fed,
        m,
        steering.method,
        status,
        distributions=dict(distributions),
        neighbours=neighbours,
        reports_tried=steering.reports_tried,
        construction=construction,
    )


def _attempt(fed: Federation, built: RarePoints, method: str) -> Obliviousness:
    """Try every agent's report for every neighbour, unless the construction does not even lead to the plan."""
    steering = Steering(fed, built.distributions, method)

    def steer(agent: int, m: NDArray[np.int64]) -> SteeringReport:
        report = built.report(agent, m)
        return steering.find_none(agent) if report is None else steering.try_report(agent, report, [m])

    neighbours: tuple[NeighbourPlan, ...] = ()
    if (steering.m == built.m).all():
        neighbours = steering.reach(steer)
    return _show(built.m, steering, built.name, neighbours)


@memoized
def _build(fed: Federation, counts: tuple[int, ...], method: str, construction: str) -> Obliviousness:
    """Rule the plan out, or try constructions until one shows it."""
    m = np.array(counts, dtype=np.int64)
    best = _conclude(fed, m, method, ObliviousnessStatus.NOT_BUILT)
    if method == "exact":
        return replace(best, status=ObliviousnessStatus.OPTIMAL)
    if _is_too_large(fed, best):
        return replace(best, status=ObliviousnessStatus.TOO_LARGE)
    for built in _constructions(fed, m, construction):
        attempt = _attempt(fed, built, method)
        if attempt.is_oblivious:
            return attempt
        best = attempt if attempt.reached >= best.reached else best
    return best


def _search(fed: Federation, method: str, count: int, rng: np.random.Generator) -> Obliviousness:
    """Look around the federation's own plan."""
    steering = Steering(fed, table_of(fed, "a search of reports").distributions, method)
    return _show(steering.m, steering, _SEARCHED, search_neighbours(steering, count, rng))


@takes_federation
def obliviousness(
    fed: Federation,
    *,
    m: Contributions | None = None,
    method: str = "lp",
    construction: str = "auto",
    n_misreports: int = N_MISREPORTS,
    rng: np.random.Generator | None = None,
) -> Obliviousness:
    """Say whether a planner is locally oblivious at a plan, and show the distributions and reports.

    ``is_oblivious`` is True where it is shown; otherwise ``status`` says whether it cannot hold or was not found.
    What is found for a given ``m`` is kept with the federation.

    Parameters
    ----------
    fed
        Gives the class, the targets, the costs and the objective. If ``m`` is given it has two agents and the
        class of the singletons and the all-negative hypothesis, and its own distributions are not used.
    m
        (2,) the plan. If it is not given it is the federation's own, of any class and any number of agents, and
        reports are searched for.
    method
        The planner, as for :func:`fedpact.plan`.
    construction
        "spread" or "concentrated" (two rare points, and where the rest of the mass lies), or "auto": both.
    n_misreports, rng
        How many reports of every agent are tried in a search, and what draws them;
        ``numpy.random.default_rng(0)`` if not given.

    Examples
    --------
    The plan (130, 130) with 18 hypotheses and delta = 1/2. No reports lead to (400, 400).

    >>> from fedpact.describe.examples import singletons
    >>> fed = singletons(epsilon=0.01)
    >>> found = obliviousness(fed, m=[130, 130])
    >>> found.status.name, [neighbour.is_reached for neighbour in found.neighbours]
    ('HOLDS', [True, True, True, True])
    >>> print(obliviousness(fed, m=[400, 400]).status)
    too-large
    """
    read_choice(method, "method", PLANNERS)
    read_choice(construction, "construction", CONSTRUCTIONS)
    n_misreports = read_whole_number(n_misreports, "n_misreports", least=1)
    if m is None and construction != "auto":
        raise FederationError(f"construction belongs to a given m; leave it out, it is {construction!r}")
    if m is None:
        return _search(fed, method, n_misreports, np.random.default_rng(0) if rng is None else rng)
    read_singletons(fed)
    counts = read_contributions(fed, m)
    return _build(fed, tuple(counts.tolist()), method, construction)
