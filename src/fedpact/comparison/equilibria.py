"""``equilibria``: what happens if nobody coordinates, and what that costs against the optimum.

The *price of stability* is the cost of the cheapest equilibrium over that of the cheapest plan, the *price of
anarchy* that of the dearest (the paper's section 3). Both are computed here for the federation at hand; Theorem
1 of the paper bounds the first from below on one family, with a formula that is about three times too large
(ERRATA B1).

- The optimum meets every agent's target, also where the federation's guarantee is joint: in the game everyone
  looks after its own. It is the proven one or lies within bounds; an equilibrium that meets every target is a
  plan, too, so the best of them bounds it from above.
- A search that stops early leaves boxes of profiles; what they can cost bounds the prices.
- Equilibria that miss a target, which only agents can suffer that cannot meet it alone, are listed but have no
  price.
"""

from __future__ import annotations

import math

import numpy as np

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Ints
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import check_at_least
from fedpact.describe.progress import Progress
from fedpact.errors import InfeasibleError, NoPlanFoundError
from fedpact.game.game import Profiles, find_unmet, game_of
from fedpact.game.pure_equilibria import Found, find_equilibria
from fedpact.game.result import Equilibria, PricedEquilibrium
from fedpact.planning.exact import EXACT_NODES
from fedpact.planning.lower_bound import bound_below
from fedpact.planning.plan import plan
from fedpact.planning.result import ratio_of
from fedpact.statistics.request import ask
from fedpact.statistics.standalone import find_shortfalls
from fedpact.statistics.verification import Interval

MAX_COUNT = 10_000
TIME_LIMIT = 60.0


def _interval(low: float, high: float) -> Interval:
    """Make an interval that is exact up to rounding."""
    return Interval(low=low, high=low if high <= low * (1 + 1e-12) else high)


def _find_optimum(
    fed: Federation, good: Profiles, method: str, time_limit: float
) -> tuple[Ints | None, Interval | None]:
    """(k,) best known plan that meets every agent's target, and between what its cost lies; None if none exists.

    The equilibria ``good``, which meet every target, are plans, too.
    """
    apart = fed.replace(guarantee="per-agent")
    known = list(zip(fed.costs_of(good).tolist(), good, strict=True))
    try:
        found = plan(apart, method, max_nodes=EXACT_NODES, time_limit=time_limit)
        low, known = found.lower_bound, [(found.cost, found.m), *known]
    except NoPlanFoundError:
        low = bound_below(apart)
    except InfeasibleError:
        return None, None
    cost, best = min(known, key=lambda plan: plan[0], default=(math.inf, None))
    return best, _interval(low, cost)


def _price(found: Found, costs: list[float], optimum: Interval | None) -> tuple[Interval | None, Interval | None]:
    """Prices of stability and anarchy, from the costs of the equilibria that meet every target."""
    if optimum is None or not costs:
        return None, None
    low, high = found.cost_left or (math.inf, -math.inf)
    cheapest, dearest = min(costs), max(costs)
    return (
        _interval(ratio_of(min(cheapest, low), optimum.high), ratio_of(cheapest, optimum.low)),
        _interval(ratio_of(dearest, optimum.high), ratio_of(max(dearest, high), optimum.low)),
    )


def _look_at(fed: Federation, m: Ints, best: Ints | None) -> PricedEquilibrium:
    """See one equilibrium against the best known plan."""
    more = [] if best is None else (fed.costs_by_agent(m) - fed.costs_by_agent(best)).tolist()
    return PricedEquilibrium(
        contributions=dict(zip(fed.names, m.tolist(), strict=True)),
        cost=fed.cost_of(m),
        excess=dict(zip(fed.names, more, strict=False)),
    )


@takes_federation
def equilibria(
    fed: Federation,
    *,
    max_count: int | None = None,
    teacher: str | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Equilibria:
    """Find all pure equilibria and compare their cost with the optimum.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    max_count
        How many equilibria to list, 10,000 if not given. When so many are found the search goes on for the
        cheapest and dearest.
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.
    time_limit
        Seconds for the search, and again for the optimum, 60 if not given; an interrupt (Ctrl-C) also returns
        what was found.
    progress
        Called with the share of all profiles that is settled, and 1.0.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob, no_pure_equilibrium
    >>> found = equilibria(alice_bob(epsilon=0.1, delta=0.05))
    >>> found.profiles
    ((0, 14), (1, 7), (2, 3), (3, 2), (7, 1), (14, 0))
    >>> found.price_of_stability, found.price_of_anarchy
    (1.0, 2.8)
    >>> print(equilibria(no_pure_equilibrium()).status)
    none-exists
    """
    max_count = MAX_COUNT if max_count is None else check_at_least(max_count, "max_count", 1)
    time_limit = TIME_LIMIT if time_limit is None else check_at_least(time_limit, "time_limit", 0)
    fed = ask(fed, teacher=teacher)
    game = game_of(fed)
    found = find_equilibria(game, max_count=max_count, time_limit=time_limit, progress=progress)
    missing = find_unmet(game, found.profiles)
    good = found.profiles[~missing.any(axis=1)]
    method = "lp" if found.is_interrupted else "auto"  # whoever interrupts does not want to wait
    best, optimum = _find_optimum(fed, good, method, time_limit)
    costs = fed.costs_of(good)
    stability, anarchy = _price(found, costs.tolist(), optimum)
    return Equilibria(
        equilibria=tuple(dict(zip(fed.names, m, strict=True)) for m in found.profiles.tolist()),
        costs=tuple(fed.costs_of(found.profiles).tolist()),
        best=_look_at(fed, good[costs.argmin()], best) if len(good) else None,
        worst=_look_at(fed, good[costs.argmax()], best) if len(good) else None,
        unmet=tuple(tuple(np.array(fed.names)[row].tolist()) for row in missing),
        stability=stability,
        anarchy=anarchy,
        optimum=optimum,
        is_complete=found.is_complete,
        share_searched=found.share_searched,
        undecided=len(found.undecided),
        status=found.status,
        standalone=game.needs,
        dependent=find_shortfalls(fed, game.needs),
        **fed.stated(),
        name=fed.name,
        names=fed.names,
    )
