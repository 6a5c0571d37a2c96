"""Where the paper's programs are locally oblivious, computed, beside where the paper says so.

Two maps over the plans of two agents, for the class of singletons. At every plan of a grid both agents' reports
are built for all four neighbours, planned and verified; beyond some plans it is proved that no reports lead
there.

- pac, with H = 18 and delta = 1/2: the paper's lemma says all m with m_1, m_2 >= 2 H log H.
- expected, with H = 8 and epsilon = 0.1: the paper's lemma says all m in [2 + log(1/epsilon) / log(2H), 2 log(H)
  / epsilon]^2. Its own construction is built as well; and all reports of agent 1 whose masses are multiples of
  1/24 on the two agents' points, a third, and the one where all hypotheses agree are tried, to see whether one
  raises the plan's other entry (ERRATA A8).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from importlib.metadata import version

import numpy as np

from fedpact.describe.constructions import singletons
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import read_whole_number
from fedpact.errors import FederationError
from fedpact.experiments.obliviousness_map import ObliviousnessMap, ObliviousnessPoint, Region, ReportSearch
from fedpact.mechanism.audit.misreports import list_grid
from fedpact.mechanism.obliviousness.largest_plan import find_enough
from fedpact.mechanism.obliviousness.obliviousness import obliviousness
from fedpact.mechanism.obliviousness.own_points import OWN_POINTS, place_own_points
from fedpact.mechanism.obliviousness.search_neighbours import find_plans
from fedpact.mechanism.obliviousness.steering import Steering

PAC = (5, 20, 65, 130, 195, 260, 325, 355, 370, 400)
EXPECTED = (3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 38, 41, 52)
SEARCHED = (7, 7)
PARTS = 24


def singletons_with_common_point(H: int = 8, epsilon: float | str = 0.1) -> Federation:
    """Two agents, H - 1 singletons and the all-negative hypothesis, and one point at which all agree.

    Examples
    --------
    >>> singletons_with_common_point()
    Federation('singletons-with-common-point': 2 agents, 8 hypotheses, table, expected, per-agent)
    """
    labels = np.zeros((H, H), dtype=np.int64)
    labels[1:, :-1] = np.eye(H - 1, dtype=np.int64)
    return Federation.from_table(
        labels,
        np.full((2, H), 1 / H),
        epsilon=epsilon,
        delta=0.5,
        objective="expected",
        name="singletons-with-common-point",
    )


def _look(fed: Federation, m: tuple[int, int]) -> ObliviousnessPoint:
    found = obliviousness(fed, m)
    paper = obliviousness(fed, m, construction=OWN_POINTS) if fed.objective == "expected" else None
    return ObliviousnessPoint(
        m=m,
        reached=found.reached,
        reached_by_paper=None if paper is None else paper.reached,
        status=found.status,
        status_of_paper=None if paper is None else paper.status,
        construction=found.construction,
    )


def _map(fed: Federation, counts: Sequence[int], step: Callable[[], None]) -> Region:
    points = []
    for first, second in itertools.product(counts, counts):
        points.append(_look(fed, (first, second)))
        step()
    H, epsilon, end = fed.H, float(fed.epsilon[0]), float(find_enough(fed)[0])
    is_pac = fed.objective == "pac"
    least = 2 * H * math.log(H / fed.delta) if is_pac else 2 + math.log(1 / epsilon) / math.log(2 * H)
    return Region(
        objective=fed.objective,
        H=H,
        epsilon=epsilon,
        points=tuple(points),
        stated=(2 * H * math.log(H), None) if is_pac else (least, 2 * math.log(H) / epsilon),
        corrected=(least, end),
        largest=obliviousness(fed, [10**6, 10**6]).largest[fed.names[0]],
    )


def _search(fed: Federation, m: tuple[int, int], parts: int, step: Callable[[], None]) -> ReportSearch:
    built = place_own_points(fed, np.array(m))
    assert built is not None, "the paper's masses exist for small plans"
    steering = Steering(fed, built.distributions, "lp")
    points = (*built.points.own[:3], built.points.common[0])
    reports = list_grid(built.distributions.shape[1], points, parts)
    found = find_plans(steering, 0, reports, progress=lambda _: step())
    return ReportSearch(
        m=m,
        reports=steering.reports_tried,
        plans=len(found),
        highest_other=max(second for _, second in found),
        highest_own=max(first for first, _ in found),
    )


def reproduce_obliviousness(
    pac: Sequence[int] = PAC,
    expected: Sequence[int] = EXPECTED,
    *,
    parts: int = PARTS,
    progress: Callable[[int, int], None] | None = None,
) -> ObliviousnessMap:
    """Look where the paper's programs are locally oblivious.

    Parameters
    ----------
    pac, expected
        Entries of the plans that are looked at, for both agents.
    parts
        Reports of agent 1 have masses that are multiples of 1/parts.
    progress
        Called with the steps done and their number.

    Examples
    --------
    >>> found = reproduce_obliviousness([130, 400], [20], parts=2)
    >>> [(point.m, point.status.name) for point in found.pac.points][::3]
    [((130, 130), 'HOLDS'), ((400, 400), 'TOO_LARGE')]
    >>> found.search.reports, found.search.highest_other
    (10, 7)
    """
    grids = [
        [read_whole_number(count, name) for count in grid] for name, grid in (("pac", pac), ("expected", expected))
    ]
    if not all(grids):
        raise FederationError("pac and expected must hold at least one number each; one is empty")
    parts = read_whole_number(parts, "parts", least=1)
    total, done = sum(len(grid) ** 2 for grid in grids) + math.comb(parts + 3, 3), itertools.count(1)

    def step() -> None:
        if progress is not None:
            progress(next(done), total)

    fed = singletons_with_common_point()
    return ObliviousnessMap(
        pac=_map(singletons(epsilon=0.01), grids[0], step),
        expected=_map(fed, grids[1], step),
        search=_search(fed, SEARCHED, parts, step),
        version=version("fedpact"),
    )
