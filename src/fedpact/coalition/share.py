"""``share``: how agents that nobody else pays for can split the cost of their plan.

================ ============================================================================================
rule             who bears what of v(N), the cost of the plan for all
================ ============================================================================================
``core``         the most equal of the splits that no group would leave; refused if there is none
``least-core``   every group is kept as far as possible from wanting to leave; of those splits the most equal
``shapley``      what each agent adds to the cost when it arrives, averaged over all orders of arrival
``equal``        the same for everybody
``proportional`` in proportion to what each would pay alone
================ ============================================================================================

Whatever the rule, the groups that would do better by themselves are listed. Shares may be negative: agents whose
data are worth more to the others than their own target costs are paid.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fedpact.coalition.core import find_core, find_least_core
from fedpact.coalition.cost_game import CostGame, Members, Split, share_of
from fedpact.coalition.groups import MANY_AGENTS, GroupSearch
from fedpact.coalition.result import RULES, GroupsLookedAt, LeavingGroup, Share, ShareStatus
from fedpact.coalition.shapley import exact_shapley, sampled_shapley
from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Floats
from fedpact.describe.federation import Federation
from fedpact.describe.names import read_choice
from fedpact.describe.numbers import check_at_least
from fedpact.describe.progress import Progress
from fedpact.errors import InfeasibleError
from fedpact.statistics.request import ask

MAX_GROUPS = 150


def _alone(game: CostGame) -> dict[str, float | None]:
    costs = [game.value((place,)).cost for place in game.everyone]
    return {name: cost if cost < math.inf else None for name, cost in zip(game.fed.names, costs, strict=True)}


def _in_proportion(game: CostGame) -> Floats:
    alone = _alone(game)
    for place, (name, cost) in enumerate(alone.items()):
        if cost is None:
            raise InfeasibleError(
                f"rule 'proportional' is undefined: {name!r} cannot meet its target alone; use rule 'least-core' "
                f"({game.value((place,)).reason})",
                agents=(name,),
            )
    costs = np.array([cost for cost in alone.values() if cost is not None])
    return np.asarray(game.total * costs / costs.sum())


def _split(search: GroupSearch, rule: str, rng: np.random.Generator) -> Split:
    game = search.game
    if game.total == 0 or rule == "equal":
        return Split(x=np.full(game.fed.k, game.total / game.fed.k))
    if rule == "proportional":
        return Split(x=_in_proportion(game))
    if rule == "shapley":
        orders = search.max_groups // (2 * game.fed.k)  # the other half is for groups that would leave
        return exact_shapley(game) if search.is_complete else sampled_shapley(game, orders, rng)
    return find_core(search) if rule == "core" else find_least_core(search)


def _describe_group(game: CostGame, x: Floats, members: Members) -> LeavingGroup:
    found = game.value(members).plan
    assert found is not None, "who would save by leaving has a plan"
    return LeavingGroup(
        members=game.names(members),
        share=share_of(x, members),
        cost=found.cost,
        contributions=dict(found.contributions),
    )


def _report(progress: Progress | None, total: int) -> Callable[[int], None] | None:
    return None if progress is None else lambda done: progress(min(done, total), total)


@takes_federation
def share(
    fed: Federation,
    *,
    rule: str = "least-core",
    method: str = "auto",
    teacher: str | None = None,
    time_limit: float | None = None,
    max_groups: int | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> Share:
    """Split the cost of the plan for all, and say which groups would do better by leaving.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    rule
        "core", "least-core", "shapley", "equal" or "proportional".
    method, time_limit
        How every group is planned for, as for :func:`fedpact.plan`, and the seconds of each search. Without a
        limit a group's search ends after a second, that of all agents together as in :func:`fedpact.plan`. In a
        federation of more than eight agents "auto" is "union" for groups, so that twelve take minutes at most.
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.
    max_groups
        Beyond twelve agents, how many groups may be planned for, 150 if not given; what the rule itself needs,
        such as each agent alone, is planned for in any case. Up to twelve agents all groups are looked at.
    rng
        Draws groups and orders beyond twelve agents; ``numpy.random.default_rng(0)`` if not given.
    progress
        Called with the number of groups planned for and the most that there can be.

    Raises
    ------
    InfeasibleError
        If there is no plan for all agents, if the core is empty, or if the rule needs the cost of a group that has
        no plan by itself.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> split = share(alice_bob(), rule="least-core")
    >>> split.shares, split.alone, split.least_core_value
    ({'alice': 2.5, 'bob': 2.5}, {'alice': 14.0, 'bob': 14.0}, -11.5)
    >>> split.payments, split.status.name
    ({'alice': 0.5, 'bob': -0.5}, 'STABLE')
    """
    read_choice(rule, "rule", RULES)
    fed = ask(fed, teacher=teacher)
    max_groups = MAX_GROUPS if max_groups is None else check_at_least(max_groups, "max_groups", 1)
    rng = np.random.default_rng(0) if rng is None else rng
    most = 2**fed.k - 1 if fed.k <= MANY_AGENTS else max_groups
    game = CostGame(fed, method, time_limit=time_limit, tell=_report(progress, most))
    everyone = game.value(game.everyone)
    assert everyone.plan is not None, "without a plan for all an error is raised"
    search = GroupSearch(game, max_groups, rng)
    split = _split(search, rule, rng)
    x, errors = split.x, split.standard_error
    leaving = search.find_better_off(x)
    status = ShareStatus.STABLE if search.is_proved_stable(x) else ShareStatus.NOT_BEATEN
    return Share(
        shares=dict(zip(fed.names, x.tolist(), strict=True)),
        cost=everyone.cost,
        contributions=dict(everyone.plan.contributions),
        labelling=dict(zip(fed.names, fed.costs_by_agent(everyone.plan.m).tolist(), strict=True)),
        alone=_alone(game),
        leaving=tuple(_describe_group(game, x, group) for group in leaving),
        least_core_value=split.e,
        standard_errors=None if errors is None else dict(zip(fed.names, errors.tolist(), strict=True)),
        looked_at=GroupsLookedAt.ALL if search.is_complete else GroupsLookedAt.SAMPLED,
        groups_tried=game.looked_at,
        groups_planned=game.planned,
        is_proved=game.is_proved,
        status=ShareStatus.UNSTABLE if leaving else status,
        **fed.stated(),
        name=fed.name,
        rule=rule,
        method=method,
    )
