import numpy as np
import pytest

import fedpact as fp
from fedpact.planning import lower_bound
from fedpact.planning.lower_bound import LowerBound, bound_below
from noisy import noisy_federation


@pytest.mark.parametrize("seed", range(4))
def test_whole_samples_cost_at_least_the_relaxation_and_at_most_the_optimum(seed):
    fed = noisy_federation(seed, k=2)
    below = LowerBound(fed)
    value, how = below.best()
    assert how == "integer-pair-program"
    assert below.fractional.value - 1e-9 <= value <= fp.plan(fed, "exact").cost + 1e-9


def test_many_agents_are_bounded_by_the_relaxation(monkeypatch):
    monkeypatch.setattr(lower_bound, "_MANY_AGENTS", 1)
    below = LowerBound(noisy_federation(0))
    assert below.best() == (below.fractional.value, "pair-program")


def test_a_box_costs_at_least_its_program():
    fed = noisy_federation(0)
    below = LowerBound(fed)
    most = np.full(fed.k, 1000)
    assert below.in_box(np.zeros(fed.k, dtype=int), most) == pytest.approx(below.fractional.value)
    assert below.in_box(np.full(fed.k, 7), most) >= fed.cost_of(np.full(fed.k, 7)) - 1e-9
    assert below.in_box(np.zeros(fed.k, dtype=int), np.zeros(fed.k, dtype=int)) == np.inf


def test_a_pair_that_no_capacity_rules_out_is_named():
    fed = noisy_federation(0, capacity=1)
    with pytest.raises(fp.InfeasibleError, match="no plan exists") as raised:
        LowerBound(fed)
    assert not isinstance(raised.value, fp.errors.NoPlanFoundError)
    assert raised.value.agents[0] in fed.names


def test_an_interrupt_leaves_no_box_behind():
    below = LowerBound(noisy_federation(0))
    before = below.best()

    class Interrupted:
        def __getattr__(self, name):
            if name == "getModelStatus":
                raise KeyboardInterrupt
            return getattr(real, name)

    real = below.program._highs
    below.program._highs = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        below.in_box(np.full(3, 50), np.full(3, 100))
    below.program._highs = real
    assert below.best()[0] == pytest.approx(before[0])


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_cheap_bound_knows_every_currency(unit):
    fed = fp.examples.alice_bob()
    assert bound_below(fed.replace(cost=[unit, 2 * unit])) == pytest.approx(
        unit * bound_below(fed.replace(cost=[1, 2])), rel=1e-6
    )
