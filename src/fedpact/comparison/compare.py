"""``compare``: what it costs to go alone, to count samples only, to leave it to everyone, and to plan.

====================== ======================================================================================
row                    who contributes
====================== ======================================================================================
``alone``              everyone its own standalone need n_ind(i)
``exchangeable``       the cheapest agents, as many samples as the neediest agent needs alone: the plan of
                       someone who believes that data are exchangeable
``worst-equilibrium``  nobody coordinates: the dearest pure equilibrium
``best-equilibrium``   the cheapest pure equilibrium
``lp``                 the paper's program
``union``              the union program
``tree``               the union program, trimmed with Hunter-Worsley
``exact``              branch and bound, to the optimum or the end of its budget
``auto``               the same with what pairwise rates prove and refute, where only reports are known
====================== ======================================================================================

Every contribution vector is verified anew, whatever its method claims, with all samples pooled. Pooling never
harms an agent, so it takes nothing from those who go alone; under the joint guarantee it flatters them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from fedpact.coded import Refusal, refusal_of
from fedpact.comparison.result import ComparedRow, Comparison, RowStatus
from fedpact.describe.any_federation import takes_federation
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number
from fedpact.describe.progress import Progress, count_done, on_interrupt
from fedpact.errors import InfeasibleError, NoPlanFoundError
from fedpact.game.game import find_unmet, game_of
from fedpact.game.pure_equilibria import Found, find_equilibria
from fedpact.planning.exchangeable import plan_exchangeable
from fedpact.planning.methods import PLANNERS
from fedpact.planning.plan import plan
from fedpact.statistics.request import ask
from fedpact.statistics.standalone import Shortfall, find_shortfalls, standalone
from fedpact.statistics.verification import Verification, verify

_EQUILIBRIUM_SECONDS = 10.0
# Up to so many are listed before only the extremes are looked for, so that in small games ties end the same way.
_MOST_EQUILIBRIA = 1000


def _verified_row(
    method: str, seen: Verification, status: RowStatus = RowStatus.RULE, lower_bound: float | None = None
) -> ComparedRow:
    return ComparedRow(
        method=method,
        contributions=dict(seen.contributions),
        cost=seen.cost,
        met=dict(seen.met),
        is_feasible=seen.is_feasible,
        lower_bound=lower_bound,
        status=status,
        verification=seen,
    )


def _go_alone(fed: Federation, needs: Mapping[str, int | None], dependent: Mapping[str, Shortfall]) -> ComparedRow:
    if not dependent:
        return _verified_row("alone", verify(fed, {name: need or 0 for name, need in needs.items()}))
    return ComparedRow(
        method="alone",
        contributions=dict(needs),
        met={name: name not in dependent for name in fed.names},
        status=RowStatus.REFUSED,
        refusal=Refusal(code="not-alone", agents=tuple(dependent)),
    )


def _count_only(fed: Federation, needs: Mapping[str, int | None]) -> ComparedRow:
    try:
        return _verified_row("exchangeable", verify(fed, plan_exchangeable(fed, needs)))
    except InfeasibleError as error:
        return ComparedRow(method="exchangeable", status=RowStatus.REFUSED, refusal=refusal_of(error))


def _leave_it_to_everyone(fed: Federation, found: Found, method: str) -> ComparedRow:
    """Row of the dearest or the cheapest equilibrium that meets every target; of any one if none does."""
    if not len(found.profiles):
        return ComparedRow(method=method, status=RowStatus(found.status))
    is_met = ~find_unmet(game_of(fed), found.profiles).any(axis=1)
    if not is_met.any():
        known = RowStatus.FOUND_MISS if found.cost_left else RowStatus.ALL_MISS
        return _verified_row(method, verify(fed, found.profiles[0]), known)
    some = found.profiles[is_met]
    costs = fed.costs_of(some)
    m = some[costs.argmax() if method == "worst-equilibrium" else costs.argmin()]
    return _verified_row(method, verify(fed, m), RowStatus.OF_FOUND if found.cost_left else RowStatus.OF_ALL)


def _make_plan(fed: Federation, method: str, max_nodes: int | None, time_limit: float | None) -> ComparedRow:
    try:
        found = plan(fed, method, max_nodes=max_nodes, time_limit=time_limit)
    except NoPlanFoundError as error:
        return ComparedRow(method=method, status=RowStatus.REFUSED, refusal=refusal_of(error))
    return _verified_row(method, verify(fed, found.m), RowStatus(found.status), found.lower_bound)


def _list_planners(fed: Federation) -> list[str]:
    """Name the planners, the most thorough last; "auto" only where it is more than one of them."""
    has_pairs_only = isinstance(fed.evidence, Reports)
    left_out = {name for name, planner in PLANNERS.items() if planner.needs_joint} if has_pairs_only else {"auto"}
    if fed.assume != "realizable":
        left_out = {"auto"}
    return [name for name in reversed(PLANNERS) if name not in left_out and fed.assume in PLANNERS[name].holds_for]


@takes_federation
@on_interrupt("raise")
def compare(
    fed: Federation,
    *,
    teacher: str | None = None,
    assume: str | None = None,
    noise: Number | None = None,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare going alone, counting samples only, leaving it to everyone, and every planner.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.
    assume, noise
        What is assumed of labels, as for :func:`fedpact.plan`; planners that do not hold for it are left out.
    max_nodes, time_limit
        Budget of the exact search (see :func:`fedpact.plan`); the time is also that of the search for equilibria.
    progress
        Called with the number of rows done and their total.

    Raises
    ------
    InfeasibleError
        If no contribution vector within the capacities meets the targets. A method that finds none where
        others do is a row that says so.
    KeyboardInterrupt
        If interrupted from the keyboard: one search of several ends them all.

    Examples
    --------
    >>> from fedpact.describe.examples import singletons
    >>> table = compare(singletons())
    >>> for method in ("alone", "exchangeable", "exact"):
    ...     row = table.row(method)
    ...     print(row.method, row.cost, row.met)
    alone 108.0 {'agent-1': True, 'agent-2': True}
    exchangeable 54.0 {'agent-1': True, 'agent-2': False}
    exact 66.0 {'agent-1': True, 'agent-2': True}
    >>> table.best
    'exact'
    """
    fed = ask(fed, teacher=teacher, assume=assume, noise=noise)
    needs = standalone(fed)
    dependent = find_shortfalls(fed, needs)
    seconds = _EQUILIBRIUM_SECONDS if time_limit is None else time_limit
    found = find_equilibria(game_of(fed), max_count=_MOST_EQUILIBRIA, time_limit=seconds)
    ways: list[Callable[[], ComparedRow]] = [
        partial(_go_alone, fed, needs, dependent),
        partial(_count_only, fed, needs),
        partial(_leave_it_to_everyone, fed, found, "worst-equilibrium"),
        partial(_leave_it_to_everyone, fed, found, "best-equilibrium"),
        *(partial(_make_plan, fed, method, max_nodes, time_limit) for method in _list_planners(fed)),
    ]
    rows = [way() for way in count_done(ways, progress)]
    # Every plan is held against the best lower bound that any of them found: all are for the same targets.
    bound = max((row.lower_bound for row in rows if row.lower_bound is not None), default=None)
    return Comparison(
        rows=tuple(row if row.lower_bound is None else replace(row, lower_bound=bound) for row in rows),
        standalone=needs,
        dependent=dependent,
        **fed.stated(),
        name=fed.name,
    )
