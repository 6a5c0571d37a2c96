"""Pay what you contribute (Equation 5): agent i is paid c_i(m_i) - fee_i.

The paper calls it strategyproof. The plan is made from reports and the samples are drawn from the true data, so an
agent whose fellows lie may have to lie as well (ERRATA A2): truth is a best report if the others' are true (ex
post), not whatever they are (dominant). For that any planner will do that meets the reported targets: a truthful
agent among truthful ones has utility worth_i - fee_i, the most that the rule ever gives.

**Fees** are constants, which may not depend on agent i's own report. A truthful agent is left with worth_i -
fee_i, and it would stay out if that were less than what it has alone: fee_i may be c_i(n_ind(i)) at most. But
n_ind(i) is private (ERRATA C8). A fee cut at the reported n_ind(i) would reward reporting an easier target. And
a fee that no report changes and that nobody minds, whatever its data are, is zero, because there are data for
which n_ind(i) is zero: something has to be known publicly. Here a fee rests on what the others report:

- its size is a share of v(N - i) / k, v(N - i) being what the others need without i by the union program, before
  rounding. Where no agent is hard to replace that is near the spend, and so is what comes back; where one is, the
  others' fees bring back more;
- its bound is c_i times the samples that agent i is *publicly known* to need alone at the least. If nothing was
  declared, that is what the least needy of the others would need alone for agent i's target: no proof that i
  stays, but a bound that i cannot move. Whether everybody stays is checked afterwards.
"""

from __future__ import annotations

import math
from typing import final

from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.errors import InfeasibleError
from fedpact.mechanism.payment.rule import Case, Payment, Rule, Terms, Truthful
from fedpact.planning.cost_units import rescale_costs
from fedpact.planning.draft import solve_union
from fedpact.planning.row_generation import UnreachableRow
from fedpact.statistics.standalone import standalone


@memoized
def others_of(fed: Federation, agent: int) -> Federation | None:
    """Everybody but one agent, kept with the federation; None if it is the only one."""
    names = [name for place, name in enumerate(fed.names) if place != agent]
    return fed.restrict(names) if names else None


def _cost_without(fed: Federation, agent: int) -> float:
    """Fractional cost of what the others need; zero if they have no plan, so that nobody is charged for it."""
    others = others_of(fed, agent)
    if others is None:
        return 0.0
    scaled, unit = rescale_costs(others)
    try:
        found = solve_union(scaled)
    except InfeasibleError:
        return 0.0
    return 0.0 if isinstance(found, UnreachableRow) else found.value * unit


def _least_needed_by_others(fed: Federation, agent: int) -> float:
    """Fewest samples with which any other agent would alone meet this agent's target; infinite if none can."""
    others = (name for name in fed.names if name != fed.names[agent])
    needs = [_need_alone(fed, name, float(fed.agents[agent].epsilon)) for name in others]
    return min(needs, default=0.0)


@memoized
def _need_alone(fed: Federation, name: str, epsilon: float) -> float:
    """Return how many samples an agent alone needs for ``epsilon``; nobody else's data are looked at."""
    (need,) = standalone(fed.restrict([name]).replace(epsilon=epsilon)).values()
    return math.inf if need is None else float(need)


def set_fee(fed: Federation, terms: Terms, agent: int) -> float:
    """Return what one agent pays for taking part; its own report of data never changes it."""
    if not terms.cost_recovery:
        return float(terms.fee[agent])
    declared = terms.min_standalone
    least = float(declared[agent]) if declared is not None else _least_needed_by_others(fed, agent)
    share = terms.cost_recovery * _cost_without(fed, agent) / fed.k
    return share if math.isinf(least) else min(share, float(fed.agents[agent].cost(least)))


@final
class PayWhatYouContribute(Rule):
    """Each agent is paid what its labelling costs, less a fee."""

    in_data = Truthful.EX_POST
    in_costs = Truthful.NO
    terms = ("fee", "cost_recovery", "min_standalone")

    def pay(self, case: Case, agent: int) -> Payment:
        """Pay the labelling, and take the fee."""
        return Payment(float(case.labelling[agent]), set_fee(case.fed, case.terms, agent))
