"""Plans for labels that may be wrong."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fedpact as fp
from fedpact.describe.examples import alice_bob
from fedpact.planning.lower_bound import LowerBound
from fedpact.planning.result import Proof
from fedpact.statistics.simulate_labels import count_failures
from noisy import noisy_federation
from oracle import chance_of_bad_choice, count_mistakes, noise_towards
from strategies import KINDS, cases


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), noise=st.sampled_from([0.05, 0.2]), guarantee=st.sampled_from(["per-agent", "joint"]))
def test_plans_are_proved_and_cost_more_the_more_is_wrong(kind, data, noise, guarantee):
    fed = data.draw(cases(kind, guarantee=guarantee)).build()
    right = fp.plan(fed, "union")
    plans = {method: fp.plan(fed, method, noise=noise) for method in ("lp", "union", "auto")}
    for found in plans.values():
        seen = fp.verify(fed, found.m, noise=noise)
        assert seen.is_feasible
        assert found.lower_bound <= found.cost
        assert found.lower_bound >= LowerBound(fed).fractional.value * (1 - 1e-9) - 1e-9
    assert plans["union"].cost <= plans["lp"].cost + 1e-9
    assert plans["auto"].contributions == plans["union"].contributions
    assert plans["union"].cost >= LowerBound(fed).best()[0] - 1e-9
    assert plans["lp"].cost >= fp.plan(fed, "lp").cost - 1e-9 or right.cost == 0


@given(case=cases(), noise=st.sampled_from([Fraction(1, 10), Fraction(3, 10)]))
def test_nothing_that_meets_the_targets_costs_less_than_the_bound(case, noise):
    """Noise between any two candidates alone: enumerated, whatever is enough for it."""
    instance = case.instance
    assume(sum(case.m) <= 4 and len(instance.labels) <= 4)
    fed = case.build()
    truths = range(len(instance.labels))
    for truth in truths:
        bad = [[h for h in truths if instance.rate(i, truth, h) > instance.epsilon[i]] for i in range(case.k)]
        for other in truths:
            chances = noise_towards(instance.labels, truth, other, noise)
            states = count_mistakes(instance.labels, instance.distributions, case.m, chances)
            if any(chance_of_bad_choice(states, own) > instance.delta for own in bad):
                return
    assert fed.cost_of(case.m) >= fp.plan(fed, "lp", noise=noise).lower_bound - 1e-9


def test_more_noise_raises_the_bound_beyond_that_of_right_labels():
    far = fp.Federation.from_table([[0, 0], [0, 1]], [[0.8, 0.2]], epsilon=0.05, delta=0.05)
    bounds = [fp.plan(far, "union", noise=noise).lower_bound for noise in (0, 0.05, 0.2, 0.3)]
    costs = [fp.plan(far, "union", noise=noise).cost for noise in (0, 0.05, 0.2, 0.3)]
    assert bounds == sorted(set(bounds))
    assert all(low <= cost <= 2.2 * low for low, cost in zip(bounds, costs, strict=True))
    near = far.replace(epsilon=0.15)  # something between them might be good for both
    assert fp.plan(near, "union", noise=0.3).lower_bound == fp.plan(near, "union").lower_bound


def test_the_terms_save_what_one_chernoff_bound_wastes():
    fed = noisy_federation(0)
    found, paper = (fp.plan(fed, method, noise=0.1) for method in ("union", "lp"))
    assert found.proved_by is Proof.UNION
    assert found.cost < 0.6 * paper.cost


def test_noise_of_the_federation_and_of_the_request_are_the_same():
    fed = alice_bob()
    assert fp.plan(fed.replace(noise=0.1)).contributions == fp.plan(fed, noise=0.1).contributions
    assert fp.plan(fed.replace(noise=0.1), noise=0).contributions == fp.plan(fed).contributions
    assert (fp.plan(fed, noise=0.1).assume, fp.plan(fed, noise=0.1).noise) == ("noisy", 0.1)


def test_a_teacher_and_what_is_there_already_are_minded():
    fed = alice_bob()
    assert fp.plan(fed, noise=0.1, teacher="xA").cost <= fp.plan(fed, noise=0.1).cost
    assert fp.plan(fed, noise=0.1, at_least={"bob": 9}).contributions["bob"] >= 9


def test_capacities_that_are_too_small_are_said():
    with pytest.raises(fp.errors.NoPlanFoundError, match="cannot prove any plan within the capacities"):
        fp.plan(alice_bob().replace(capacity=3), noise=0.1)


def test_confidence_and_noise_go_together():
    fed = noisy_federation(1)
    found = fp.plan(fed, noise=0.05, confidence=0.9)
    assert (found.status, found.noise) == ("confident", 0.05)
    assert found.more_points[0].cost <= found.cost
    assert found.cost > fp.plan(fed, noise=0.05).cost


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.05, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_targets_are_missed_at_most_as_often_as_promised(seed, noise):
    fed = noisy_federation(seed, H=6).replace(noise=noise)
    m, runs = fp.plan(fed).m, 2000
    for truth in range(fed.H):
        failed = count_failures(fed, m, truth, draws=runs, rng=np.random.default_rng(seed))
        assert failed.max() <= 0.05 * runs + 4 * np.sqrt(0.05 * runs)


@pytest.mark.slow
def test_of_four_candidates_the_promise_is_used_up():
    """Four candidates, two points and one agent: the plan misses nearly as often as it may."""
    fed = fp.Federation.from_table(
        [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]], [[0.6, 0.2, 0.2]], epsilon=0.1, delta=0.05, noise=0.1
    )
    m, runs = fp.plan(fed, "union").m, 50_000
    failed = [count_failures(fed, m, t, draws=runs, rng=np.random.default_rng(t))[0] / runs for t in range(4)]
    assert 0.03 < max(failed) <= 0.05


@pytest.mark.parametrize("noise", [1e-12, 0.45, 0.49])
def test_noise_of_any_size_is_planned_for(noise):
    found = fp.plan(alice_bob(), "union", noise=noise)
    assert fp.verify(alice_bob(), found.m, noise=noise).is_feasible
    assert found.lower_bound <= found.cost <= fp.plan(alice_bob(), "lp", noise=noise).cost
