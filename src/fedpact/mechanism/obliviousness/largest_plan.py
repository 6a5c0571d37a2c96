"""How much the paper's program can ask of an agent, whatever is reported (ERRATA A6, A8).

It bounds where Lemma 1 and Corollary 1 can hold, and corrects Appendix F.2, image of the program.

Write s_i for the number of samples with which agent i alone rules out any pair that is there for its sake:

- pac: a pair is constrained if p_i > epsilon_i for some i, and needs log(H/delta). So s_i = log(H/delta) /
  (-log(1 - epsilon_i)).
- expected: the agent with the largest p_i / epsilon_i sets what the pair needs, log(2 H p_i / epsilon_i), and
  p_i > epsilon_i / 2. The number needed falls in p_i for H >= 3, so s_i = log H / (-log(1 - epsilon_i / 2)).

(One sample at least, because at p = 1 one is needed.) A row that is there for l reads a_l s_l >= b.

**Fractional plans.** Let x be optimal with duals y, and x_i > s_i. No row that is there for i can be tight, for
a_i x_i > b. So every row with y_r > 0 is there for some l other than i, and the cost is

    sum_r y_r b_r <= sum_{l != i} s_l sum_r y_r a_rl <= sum_{l != i} c_l s_l =: W_i.

Hence x_i <= max(s_i, W_i / c_i). For two agents with equal costs and targets that is x_i <= s_i, which the
construction of :mod:`fedpact.mechanism.obliviousness.rare_points` reaches.

**Rounded plans.** A plan m satisfies the rows and costs less than R more than x. Rounding up adds less than one
sample per agent. Where an entry of x is whole but for the solver's tolerance everybody may get one more, which
is then dropped again, in both orders of two agents; so R = sum_j c_j for two agents, twice that for more. What
follows only saves. Let m_i = s_i + K. Take away K samples of i and add s_l K / (K + s_i) of every other l. Rows
that are there for i still hold. A row that is there for l loses a_i K, which is made good if the added a_l s_l
K / (K + s_i) >= b K / (K + s_i) is as much, that is if a_i (K + s_i) <= b; otherwise a_i s_i + b K / (K + s_i)
> b already. So the rows hold, and x cannot cost more:

    c_i K - W_i K / (K + s_i) <= R,

a quadratic inequality that bounds K. Both need linear costs and no capacities. Plans by the other methods do
not have to satisfy the rows, but cost no more than that of ``lp``; for them only cost <= sum_l c_l s_l + R is
known.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.costs import Linear
from fedpact.describe.federation import Federation


def _rounding(rates: NDArray[np.float64]) -> float:
    """R, the most that rounding adds to the cost."""
    return float(rates.sum()) * (1 if len(rates) <= 2 else 2)


def find_enough(fed: Federation) -> NDArray[np.float64]:
    """(k,) s_i, infinite where an agent tolerates no error."""
    margin = 1 if fed.objective == "pac" else 2
    needed = math.log(fed.H_given / fed.delta) if fed.objective == "pac" else math.log(max(fed.H_given, 3))
    with np.errstate(divide="ignore"):
        return np.maximum(1.0, needed / -np.log1p(-fed.epsilon / margin))


def _rates(fed: Federation) -> NDArray[np.float64] | None:
    rates = [agent.cost.rate for agent in fed.agents if isinstance(agent.cost, Linear)]
    has_capacity = any(agent.capacity is not None for agent in fed.agents)
    return None if has_capacity or len(rates) < fed.k else np.array(rates)


def find_largest_plan(fed: Federation) -> NDArray[np.float64]:
    """(k,) more than which no plan by ``lp`` asks of an agent, whatever distributions are reported.

    Infinite where nothing is known: an agent that tolerates no error, costs that are not linear, capacities.

    Examples
    --------
    >>> from fedpact.describe.examples import singletons
    >>> find_largest_plan(singletons(epsilon=0.01)).round(1).tolist()
    [384.3, 384.3]
    """
    rates, s = _rates(fed), find_enough(fed)
    if rates is None or np.isinf(s).any():
        return np.full(fed.k, np.inf)
    rounding, others = _rounding(rates), rates @ s - rates * s
    half = (rounding + others - rates * s) / 2
    return np.asarray(s + (half + np.sqrt(half**2 + rates * rounding * s)) / rates)


def find_largest_cost(fed: Federation) -> float:
    """Return more than which no plan by any method costs, whatever distributions are reported."""
    rates = _rates(fed)
    if rates is None:
        return math.inf
    return float(rates @ find_enough(fed) + _rounding(rates))
