"""Plans from what is contributed already, against brute force over all vectors from there on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from contracts import check_plan, is_enough
from fedpact.planning.plan import plan
from fedpact.statistics.request import ask, least_of
from noisy import noisy_federation
from strategies import cases

PAIRWISE = ("lp", "union", "tree")
METHODS = (*PAIRWISE, "exact", "auto")
COSTS = (1, 2.5, {"quadratic": [1, 0.5]}, {"breakpoints": [2], "slopes": [1, 4]})
DONE = ("optimal", "nothing-needed", "one-candidate")


@st.composite
def federations(draw, objective, guarantee):
    """A federation with any costs and with capacities, and what its agents have given."""
    fed = draw(cases(draw(st.sampled_from(("table", "predictions"))), objective, guarantee)).build()
    given_already = tuple(draw(st.integers(0, 4)) for _ in range(fed.k))
    spare = [draw(st.sampled_from((None, None, 0, 1, 6))) for _ in range(fed.k)]
    capacity = [None if more is None else low + more for low, more in zip(given_already, spare, strict=True)]
    costs = [draw(st.sampled_from(COSTS)) for _ in range(fed.k)]
    teacher = draw(st.sampled_from((None, *fed.hypotheses)))
    return ask(fed.replace(cost=costs, capacity=capacity), teacher=teacher), given_already


def plan_or_none(fed, method, **options):
    try:
        return plan(fed, method, **options)
    except fp.InfeasibleError:
        return None


@pytest.mark.parametrize("guarantee", ["per-agent", "joint"])
@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=40)
def test_every_method_against_brute_force(objective, guarantee, data):
    fed, given_already = data.draw(federations(objective, guarantee))
    costs = []
    for method in METHODS:
        found = plan_or_none(fed, method, at_least=given_already)
        free = plan_or_none(fed, method)
        assert (found is None) == (free is None)
        if found is None:
            continue
        check_plan(fed, found, given_already)
        assert found.cost >= free.lower_bound - 1e-9
        costs.append(found.cost)
        if method == "exact":
            assert found.status in DONE
            assert free.status not in DONE or found.cost >= free.cost - 1e-9
        if is_enough(fed, np.array(given_already)[None])[0] and method in ("exact", "auto"):
            assert tuple(found.m) == given_already
    assert costs == sorted(costs, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=30)
def test_what_a_plan_asks_for_is_enough_to_go_on_from(objective, data):
    fed, _ = data.draw(federations(objective, "per-agent"))
    for method in METHODS:
        free = plan_or_none(fed, method)
        if free is None:
            continue
        assert plan(fed, method, at_least=[0] * fed.k) == free
        assert plan(fed, method, at_least={}) == free
        again = plan(fed, method, at_least=free.contributions)
        assert again.contributions == free.contributions
        assert again.cost == again.lower_bound == free.cost
        assert again.status in DONE


@pytest.mark.parametrize("guarantee", ["per-agent", "joint"])
@pytest.mark.parametrize("confidence", [None, 0.9])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_reports_with_and_without_confidence(seed, confidence, guarantee):
    exact = noisy_federation(seed, n=300)
    sites = [
        fp.report(labels, name=name) for labels, name in zip(exact.evidence.predictions, exact.names, strict=True)
    ]
    fed = fp.Federation.from_reports(sites, epsilon=0.15, delta=0.05, cost=[1, 2, 3], guarantee=guarantee)
    asked = fed if confidence is None else fp.planning.at_confidence(fed, confidence)
    for method in (*PAIRWISE, "auto"):
        free = plan(fed, method, confidence=confidence)
        for given_already in ([2, 0, 1], [0, 30, 0], [0, 0, 500], list(free.m)):
            found = plan(fed, method, confidence=confidence, at_least=given_already)
            assert (found.m >= given_already).all()
            assert is_enough(asked, found.m[None])[0]
            assert fed.cost_of(found.m) == found.cost >= found.lower_bound
            assert found.lower_bound >= fed.cost_of(given_already) - 1e-9
            assert found.federation == fed.fingerprint
            for agent in np.flatnonzero(found.m > given_already):
                fewer = found.m.copy()
                fewer[agent] -= 1
                assert found.status not in DONE or not is_enough(asked, fewer[None])[0]
        assert found.contributions == free.contributions
        assert not found.more_points


def test_a_forecast_counts_what_is_contributed_already():
    fed = noisy_federation(0, n=300)
    found = plan(fed, "union", confidence=0.9, at_least=[0, 12, 0])
    costs = [more.cost for more in found.more_points]
    assert fed.cost_of([0, 12, 0]) < costs[-1] < costs[0] < found.cost


@pytest.mark.parametrize("factor", [1e-9, 1e-5, 1e7])
@pytest.mark.parametrize("method", METHODS)
def test_the_currency_changes_nothing_but_the_amounts(method, factor):
    fed = noisy_federation(2)
    other = fed.replace(cost=[float(agent.cost(1)) * factor for agent in fed.agents])
    ours, theirs = plan(fed, method, at_least=[7, 0, 2]), plan(other, method, at_least=[7, 0, 2])
    assert ours.contributions == theirs.contributions
    assert theirs.at_least == ours.at_least == {"site-0": 7, "site-1": 0, "site-2": 2}
    assert theirs.lower_bound == pytest.approx(ours.lower_bound * factor, rel=1e-5)
    assert theirs.status is ours.status


def test_what_is_sunk_hides_no_gap():
    """One sample too many is less than a billionth of the cost, and yet the plan is not optimal."""
    labels = np.column_stack([fp.examples.alice_bob().evidence.labels, [0] * 4])
    masses = [[0.8, 0.2, 0], [0.2, 0.8, 0], [0, 0, 1]]
    fed = fp.Federation.from_table(labels, masses, epsilon=[0.1, 0.1, 1], delta=0.05, cost=[1, 1, 1e6])
    rough, best = (plan(fed, method, at_least=[0, 0, 5000]) for method in ("lp", "exact"))
    assert (rough.m.sum(), rough.status) == (5006, fp.planning.PlanStatus.CERTIFIED)
    assert (best.m.sum(), best.status) == (5005, fp.planning.PlanStatus.OPTIMAL)


def test_a_site_that_died_is_replaced():
    fed = fp.examples.alice_bob()
    before = plan(fed)
    dead = fed.replace(capacity={"alice": 1, "bob": None})
    after = plan(dead, at_least={"alice": 1, "bob": before.contributions["bob"]})
    assert before.contributions == {"alice": 3, "bob": 2}
    assert (after.contributions, after.status) == ({"alice": 1, "bob": 7}, fp.planning.PlanStatus.OPTIMAL)
    assert fp.verify(dead, after.m).is_feasible


@pytest.mark.parametrize("method", METHODS)
def test_what_nobody_needs_is_kept_and_nothing_is_added(method):
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.95, 0.05]], epsilon=0.1, delta=0.1, cost=2)
    found = plan(fed, method, at_least=[3])
    assert (found.m.tolist(), found.cost, found.lower_bound) == ([3], 6.0, 6.0)
    assert found.status is fp.planning.PlanStatus.OPTIMAL
    assert found.lower_bound_by == "contributed-already" or method in ("exact", "auto")


def test_a_plan_that_goes_on_is_paid_for_but_not_taken_for_the_optimum():
    fed = fp.examples.alice_bob()
    found = plan(fed, at_least=[0, 6])
    assert fp.settle(fed, found, rule="pwyc").payments == {
        "alice": float(found.contributions["alice"]),
        "bob": float(found.contributions["bob"]),
    }
    with pytest.raises(fp.errors.NotOptimalError, match="plan without at_least"):
        fp.settle(fed, found, rule="vcg")


WRONG = [
    ({"bob": 5}, "agent 'bob': at_least must be at most its capacity 4; it is 5"),
    ({"bobo": 5}, "at_least names 'bobo', who is not in the federation"),
    ([1], "at_least must have one number per agent; it has 1 for 2 agents"),
    ([1, -1], "agent 'bob': at_least must be a whole number >= 0"),
    (3, "at_least must be one whole number per agent; it is 3"),
]


def test_what_is_wrong_is_said():
    for at_least, message in WRONG:
        fed = fp.examples.alice_bob().replace(capacity=4)
        with pytest.raises(fp.FederationError) as error:
            plan(fed, at_least=at_least)
        assert str(error.value).startswith(message)
        assert "\n" not in str(error.value)


def test_what_was_given_does_not_make_the_impossible_possible():
    fed = fp.examples.alice_bob().replace(capacity=1)
    for method in METHODS:
        with pytest.raises(fp.InfeasibleError, match="everybody at capacity"):
            plan(fed, method, at_least=[1, 1])


def test_restricting_keeps_what_the_rest_gave():
    fed = ask(fp.examples.alice_bob(), at_least={"alice": 4, "bob": 7})
    assert least_of(fed.restrict(["bob"])).tolist() == [7]


@pytest.mark.parametrize("method", METHODS)
def test_a_union_program_that_is_beyond_the_solver_is_no_crash(method):
    """It raised SolverError: 10^12 samples of the first agent, at costs that grow with their square."""
    labels, masses = [[1, 1], [0, 1], [1, 0], [0, 0]], [[0, 1], [0.5, 0.5]]
    cost, capacity = [{"quadratic": [0.1, 0.02]}, 1], [None, 1]
    fed = fp.Federation.from_table(
        labels, masses, epsilon=[1, 0.25], delta=0.25, cost=cost, capacity=capacity, objective="expected"
    )
    found = plan_or_none(fed, method, at_least=[9, 0])
    assert (found is None) == (plan_or_none(fed, method) is None)
    if found is not None:
        check_plan(fed, found, [9, 0])
