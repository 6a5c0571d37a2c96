"""The plan by counts only, against buying one sample at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.planning.exchangeable import plan_exchangeable

COSTS = st.one_of(
    st.sampled_from([0.1, 0.25, 1, 3]),
    st.builds(lambda a, b: {"quadratic": [a, b]}, st.sampled_from([0, 0.5, 2]), st.sampled_from([0.1, 1])),
    st.sampled_from([{"breakpoints": [3], "slopes": [0.25, 2]}, {"breakpoints": [1.5, 7], "slopes": [1, 1, 4]}]),
)


def build(cost, capacity):
    k = len(cost)
    return fp.Federation.from_table([[0], [1]], [[1.0]] * k, epsilon=0.1, delta=0.1, cost=cost, capacity=capacity)


def buy_one_at_a_time(fed, total):
    """Buy the cheapest next sample, ``total`` times; of equally cheap ones the first agent's."""
    m = [0] * fed.k
    for _ in range(total):
        open_ = [j for j, agent in enumerate(fed.agents) if agent.capacity is None or m[j] < agent.capacity]
        m[min(open_, key=lambda j: (fed.agents[j].cost.marginal(m[j]), j))] += 1
    return m


def cheapest_cost(fed, total):
    """Least cost of ``total`` samples, by dynamic programming over agents."""
    least = {0: 0.0}
    for agent in fed.agents:
        room = total if agent.capacity is None else min(total, agent.capacity)
        cost = agent.cost(np.arange(room + 1))
        after = {}
        for given_, spent in least.items():
            for more in range(min(room, total - given_) + 1):
                after[given_ + more] = min(after.get(given_ + more, np.inf), spent + cost[more])
        least = after
    return least[total]


@given(data=st.data())
def test_is_the_greedy_and_the_cheapest(data):
    cost = data.draw(st.lists(COSTS, min_size=1, max_size=5))
    total = data.draw(st.integers(0, 40))
    capacity = [data.draw(st.one_of(st.none(), st.integers(0, 15))) for _ in cost]
    fed = build(cost, capacity)
    needs = dict.fromkeys(fed.names, 0) | {fed.names[-1]: total}
    if sum(total if room is None else room for room in capacity) < total:
        with pytest.raises(fp.InfeasibleError, match="capacities"):
            plan_exchangeable(fed, needs)
        return
    m = plan_exchangeable(fed, needs)
    assert m.tolist() == buy_one_at_a_time(fed, total)
    assert fed.cost_of(m) == pytest.approx(cheapest_cost(fed, total))


def test_linear_costs_fill_the_cheapest_first():
    fed = build([0.3, 0.1, 0.2], [None, 10, 5])
    assert plan_exchangeable(fed, {"agent-1": 20, "agent-2": 1, "agent-3": 7}).tolist() == [5, 10, 5]


def test_many_samples_are_spread_quickly():
    fed = build([{"quadratic": [0, 1]}] * 3, None)
    m = plan_exchangeable(fed, dict.fromkeys(fed.names, 3 * 2**38))
    assert m.tolist() == [2**38] * 3


def test_who_can_never_make_it_alone_is_named():
    fed = build([1, 1], None)
    with pytest.raises(fp.InfeasibleError, match="'agent-2' alone") as raised:
        plan_exchangeable(fed, {"agent-1": 3, "agent-2": None})
    assert raised.value.agents == ("agent-2",)
