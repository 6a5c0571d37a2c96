"""Every planner on random federations and on the catalogue, checked from scratch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from contracts import check_plan, is_enough
from fedpact.planning.plan import finish_plan, plan, plan_nothing
from fedpact.planning.result import BoundBy, Proof
from fedpact.planning.task import Draft
from noisy import noisy_federation
from oracle import answer, threshold
from strategies import cases

LADDER = ("lp", "union", "tree", "exact")


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["pac", "expected"])
@given(data=st.data())
@settings(max_examples=60)
def test_ladder_on_random_federations(objective, data):
    case = data.draw(cases(data.draw(st.sampled_from(("table", "predictions"))), objective))
    fed = case.build()
    try:
        plans = {method: plan(fed, method) for method in LADDER}
    except fp.InfeasibleError:
        assert objective == "expected"
        assert any(epsilon == 0 for epsilon in case.instance.epsilon)
        return
    for found in plans.values():
        check_plan(fed, found)
    costs = [plans[method].cost for method in LADDER]
    assert costs == sorted(costs, reverse=True)
    assert plans["exact"].status in ("optimal", "nothing-needed", "one-candidate")
    truth = answer(case.instance, plans["exact"].m.tolist())
    for agent in range(case.k):
        limit = threshold(case.instance, objective, agent)
        if case.guarantee == "per-agent" or objective == "expected":
            assert truth.worst(objective, agent) <= limit + min(1e-9, limit / 1000) + 1e-11


@pytest.mark.parametrize("method", [*LADDER, "auto"])
@pytest.mark.parametrize("name", [name for name in fp.examples.CATALOGUE if name != "arizona-hospitals"])
def test_every_planner_on_every_example(name, method):
    fed = fp.examples.build(name)
    check_plan(fed, plan(fed, method))


@pytest.mark.parametrize("guarantee", ["per-agent", "joint"])
@given(data=st.data())
@settings(max_examples=40)
def test_reports_are_planned_from_pairs(guarantee, data):
    case = data.draw(cases("reports", guarantee=guarantee))
    fed = case.build()
    known = fp.Federation.from_predictions(
        {f"agent-{i + 1}": case._own_points(i) for i in range(case.k)},
        epsilon=list(case.instance.epsilon),
        delta=case.instance.delta,
        cost=list(case.cost),
        guarantee=guarantee,
    )
    costs = []
    for method in ("lp", "union", "tree", "auto"):
        found = plan(fed, method)
        assert is_enough(known, found.m[None])[0]
        costs.append(found.cost)
    assert costs == sorted(costs, reverse=True)
    assert found.lower_bound <= plan(known, "exact").cost + 1e-9


COSTS = {
    "quadratic": {"quadratic": [1, 0.5]},
    "piecewise": {"breakpoints": [2], "slopes": [1, 4]},
}


@pytest.mark.parametrize("kind", COSTS)
@pytest.mark.parametrize("method", LADDER)
def test_convex_costs(kind, method):
    fed = fp.examples.alice_bob().replace(cost=[COSTS[kind], 1.5])
    check_plan(fed, plan(fed, method))


@pytest.mark.parametrize(
    ("name", "method", "cost"),
    [
        pytest.param("alice-bob", "exact", 5, id="B6 optimum"),
        pytest.param("price-of-stability(1/16)", "exact", 17, id="B1e optimum"),
        pytest.param("price-of-stability(1/16)", "lp", 22, id="ladder lp"),
        pytest.param("price-of-stability(1/16)", "union", 21, id="ladder union"),
        pytest.param("pwyc-not-dominant", "lp", 0.3, id="tie in the paper's program"),
        pytest.param("expected-min-counterexample", "lp", 4, id="A1 with max"),
    ],
)
def test_known_costs(name, method, cost):
    assert plan(fp.examples.build(name), method).cost == pytest.approx(cost)


def test_capacity_is_respected_and_may_force_the_dear_agent():
    capped = fp.examples.alice_bob().replace(capacity=[1, None])
    for method in LADDER:
        found = plan(capped, method)
        assert found.m[0] <= 1
        check_plan(capped, found)
    assert plan(capped, "exact").contributions == {"alice": 1, "bob": 7}


def test_a_budget_of_nothing_still_gives_a_plan_and_its_gap():
    fed = fp.examples.singletons()
    found = plan(fed, "exact", max_nodes=0, time_limit=0)
    assert found.status is fp.planning.PlanStatus.INTERRUPTED
    assert found.lower_bound < found.cost
    assert found.contributions == plan(fed, "tree").contributions
    check_plan(fed, found)


@pytest.mark.parametrize("method", [*LADDER, "auto"])
def test_nothing_is_needed_if_nothing_is_bad(method):
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[0.95, 0.05]], epsilon=0.1, delta=0.1)
    found = plan(fed, method)
    assert (found.cost, found.status) == (0, fp.planning.PlanStatus.NOTHING_NEEDED)


@pytest.mark.parametrize("method", [*LADDER, "auto"])
@pytest.mark.parametrize("rows", [1, 3])
def test_one_candidate_is_nothing_to_choose(method, rows):
    """Nor are several that predict alike; at a confidence only one can be one."""
    fed = fp.Federation.from_predictions({"a": [[0, 1, 1]] * rows, "b": [[1]] * rows}, epsilon=0.1, delta=0.1)
    found = plan(fed, method)
    assert (found.cost, found.status) == (0, fp.planning.PlanStatus.ONE_CANDIDATE)
    if rows == 1:
        assert plan(fed, confidence=0.95).status is fp.planning.PlanStatus.ONE_CANDIDATE
    else:
        assert plan(fed, confidence=0.95).cost > 0
    assert fp.settle(fed, found, "vcg" if method == "exact" else "pwyc").deficit >= 0


def test_the_same_input_gives_the_same_plan():
    assert plan(fp.examples.singletons(), "auto") == plan(fp.examples.singletons(), "auto")


def test_exact_needs_more_than_reports():
    report = fp.Report(name="a", n=10, n_classes=2, counts=np.array([5]))
    fed = fp.Federation.from_reports([report], epsilon=0.1, delta=0.1)
    with pytest.raises(fp.FederationError, match="joint structure"):
        plan(fed, "exact")


def test_an_unknown_method_is_refused():
    with pytest.raises(fp.FederationError, match="method must be one of"):
        plan(fp.examples.alice_bob(), "magic")


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1e-9, 1e-6, 1e6, 1e9])
@pytest.mark.parametrize("seed", range(6))
def test_the_currency_changes_nothing_but_the_amounts(seed, factor):
    fed = noisy_federation(seed)
    other = fed.replace(cost=[float(agent.cost(1)) * factor for agent in fed.agents])
    for method in LADDER:
        ours, theirs = plan(fed, method), plan(other, method)
        assert theirs.cost == pytest.approx(ours.cost * factor, rel=1e-6)
        assert theirs.lower_bound == pytest.approx(ours.lower_bound * factor, rel=1e-5)
        assert theirs.status is ours.status


@pytest.mark.parametrize("method", ["lp", "union", "tree"])
def test_very_small_rates_are_not_taken_for_zero(method):
    rare = 5e-10
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[1 - rare, rare]], epsilon=0, delta=0.05)
    need = np.log(0.05) / np.log1p(-rare)
    assert plan(fed, method).lower_bound == pytest.approx(need, rel=1e-6)
    assert plan(fed, "union").cost == pytest.approx(need, rel=1e-6)


def test_rates_rounded_to_singles_do_not_raise_the_lower_bound(monkeypatch):
    monkeypatch.setattr("fedpact.statistics.rates.KEEP", 0)
    fed = fp.Federation.from_table([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0.1, 0.5, 0.4]], epsilon=0.1, delta=0.05)
    assert plan(fed, "lp").lower_bound <= 5 + 1e-9


def test_a_capacity_just_too_small_for_the_proof_is_said():
    report = fp.Report(name="a", n=10**12, n_classes=2, counts=np.array([10**11]))
    fed = fp.Federation.from_reports([report], epsilon=0.05, delta=0.05, capacity=28)
    with pytest.raises(fp.InfeasibleError):
        plan(fed, "auto")
    assert plan(fp.Federation.from_reports([report], epsilon=0.05, delta=0.05), "auto").cost == 29


@pytest.mark.parametrize("cost", [[1e-9, 4.0], [4.0, 1e-9], [1.0, 1e10], [2.0, 1e9], [1e-6, 1e6]])
@pytest.mark.parametrize("method", ["lp", "union", "tree", "exact"])
def test_costs_of_very_different_size(cost, method):
    fed = fp.Federation.from_table(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
        [[0, 2 / 3, 1 / 3], [1, 0, 0]],
        epsilon=[0.4, 0.1],
        delta=0.25,
        cost=cost,
    )
    assert plan(fed, method).contributions == plan(fed.replace(cost=[1.0, 3.0]), method).contributions


def finish(cost_at_least, method="auto"):
    fed = fp.examples.alice_bob()
    final = Draft(m=np.array([3, 2]), proved_by=Proof.ENGINE)
    return finish_plan(fed, method, final, (cost_at_least, BoundBy.PAIRS))


@pytest.mark.parametrize(
    ("lower", "status", "chosen"),
    [
        (4.0, fp.planning.PlanStatus.CERTIFIED, "union-trimmed"),
        (5.0, fp.planning.PlanStatus.OPTIMAL, "exact"),
        (5.0 * (1 - 1e-12), fp.planning.PlanStatus.OPTIMAL, "exact"),
        (6.0, fp.planning.PlanStatus.OPTIMAL, "exact"),
    ],
)
def test_a_plan_that_costs_the_lower_bound_is_optimal(lower, status, chosen):
    made = finish(lower)
    assert (made.status, made.chosen) == (status, chosen)
    assert made.lower_bound == min(lower, 5.0)


def test_a_method_that_was_asked_for_is_the_one_that_was_chosen():
    assert finish(4.0, "tree").chosen == "tree"


def test_no_samples_cost_nothing():
    made = plan_nothing(fp.examples.alice_bob(), "lp")
    assert (made.cost, made.lower_bound, made.m.tolist()) == (0, 0, [0, 0])
    assert made.status is fp.planning.PlanStatus.NOTHING_NEEDED


@pytest.mark.parametrize("confidence", [None, 0.9])
@pytest.mark.parametrize("is_reported", [False, True])
def test_a_plan_says_who_has_fewer_points_than_samples_and_a_capacity_mends_it(confidence, is_reported):
    seen = {"few": [[0] * 20, [0] * 17 + [1] * 3], "many": [[0] * 500, [0] * 425 + [1] * 75]}
    terms = {"epsilon": 0.05, "delta": 0.001, "cost": [0.01, 2]}
    fed = fp.Federation.from_predictions(seen, **terms)
    if is_reported:
        fed = fp.Federation.from_reports([fp.report(rows, name=name) for name, rows in seen.items()], **terms)
    found = fp.plan(fed, confidence=confidence)
    assert found.contributions["few"] > 20
    assert found.too_few_points == {"few": 20}
    assert fp.Plan.from_dict(found.to_dict()) == found
    capped = fp.plan(fed.replace(capacity={"few": 20, "many": 500}), confidence=confidence)
    assert capped.contributions["few"] <= 20
    assert capped.too_few_points is None
    assert capped.cost > found.cost
