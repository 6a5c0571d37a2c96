"""Plans from estimated rates: if the limits are right, so is the plan, whatever the true rates are."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.tree import TreeProof
from fedpact.statistics.confidence import at_confidence
from fedpact.statistics.misses import log_miss
from fedpact.statistics.per_agent_split import part_of
from fedpact.statistics.rates import rates_of
from fedpact.statistics.request import ask, truths_of


def draw_truth(rng, *, classes=2):
    """A federation over points, which nobody knows."""
    H, n, k = int(rng.integers(2, 7)), int(rng.integers(2, 9)), int(rng.integers(1, 4))
    labels = rng.integers(0, classes, (H, n))
    masses = rng.dirichlet(np.full(n, 0.5), k)
    epsilon = rng.choice([0.05, 0.1, 0.2, 0.4, 1.0], k)
    return fp.Federation.from_table(labels, masses, epsilon=epsilon, delta=0.1, cost=rng.choice([1.0, 2.0], k))


def draw_sites(truth, rng, *, points):
    """What each agent sees: its own points, drawn from its distribution."""
    seen = {}
    for name, mass in zip(truth.names, truth.evidence.distributions, strict=True):
        seen[name] = truth.evidence.labels[
            :, rng.choice(len(mass), size=int(rng.choice(points)), p=mass / mass.sum())
        ]
    costs = [agent.cost for agent in truth.agents]
    return fp.Federation.from_predictions(seen, epsilon=truth.epsilon, delta=truth.delta, cost=costs)


def limits_are_right(truth, sites):
    """Whether the true rates of all hypotheses lie within the limits."""
    all_rates = np.array(
        [
            [(masses * (truth.evidence.labels != row)).sum(axis=1) for row in truth.evidence.labels]
            for masses in truth.evidence.distributions
        ]
    )
    rates = rates_of(sites)
    low, high = rates.below.rows(slice(None)), rates.above.rows(slice(None))
    return bool((low <= all_rates + 1e-12).all() and (all_rates <= high + 1e-12).all())


SETTINGS = [
    ("pac", "per-agent", None),
    ("pac", "joint", None),
    ("expected", "per-agent", None),
    ("pac", "per-agent", "h1"),
    ("expected", "per-agent", "h1"),
]


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("objective", "guarantee", "teacher"), SETTINGS)
def test_right_limits_make_right_plans(objective, guarantee, teacher, classes):
    rng, tried = np.random.default_rng(5), 0
    for _ in range(12):
        truth = draw_truth(rng, classes=classes).replace(objective=objective, guarantee=guarantee)
        sites = draw_sites(truth, rng, points=[20, 100, 1000]).replace(objective=objective, guarantee=guarantee)
        if not limits_are_right(truth, at_confidence(sites, 0.8)):
            continue
        tried += 1
        if tried > 6:
            break
        for method in ("lp", "union", "tree", "auto"):
            plan = fp.plan(sites, method, confidence=0.8, teacher=teacher, max_nodes=30)
            assert fp.verify(truth, plan.m, teacher=teacher).is_feasible
            assert plan.federation == sites.fingerprint
            assert (plan.confidence, plan.teacher) == (0.8, teacher)
        assert plan.lower_bound <= fp.plan(truth, "exact", teacher=teacher, max_nodes=2000).cost + 1e-9
    assert tried >= 5


def test_a_plan_at_a_confidence_is_verified_at_it():
    rng = np.random.default_rng(6)
    for guarantee in ("per-agent", "joint"):
        truth = draw_truth(rng)
        sites = draw_sites(truth, rng, points=[50, 200]).replace(guarantee=guarantee)
        plan = fp.plan(sites, "tree", confidence=0.9)
        seen = fp.verify(sites, plan.m, confidence=0.9)
        assert seen.is_feasible
        assert seen.confidence == 0.9


def test_true_failures_lie_in_the_intervals():
    rng, tried = np.random.default_rng(7), 0
    for _ in range(20):
        truth = draw_truth(rng)
        sites = draw_sites(truth, rng, points=[50, 500])
        if limits_are_right(truth, at_confidence(sites, 0.8)):
            tried += 1
            m = rng.integers(0, 20, truth.k)
            exact, seen = fp.verify(truth, m, how="exact"), fp.verify(sites, m, confidence=0.8)
            for name in truth.names:
                assert seen.failure[name].low <= exact.failure[name].high + 1e-12
                assert exact.failure[name].low <= seen.failure[name].high + 1e-12
    assert tried >= 10


def test_without_any_data_everybody_can_still_plan_alone():
    """One point each: a bad hypothesis is met by epsilon of the own samples, whatever the estimates say."""
    fed = fp.Federation.from_predictions({"a": [[0], [0], [1]]}, epsilon=0.1, delta=0.05)
    plan = fp.plan(fed, "union", confidence=0.95)
    assert plan.contributions["a"] == int(np.ceil(np.log(2 / 0.05) / -np.log(0.9)))


def test_nothing_is_needed_only_if_nothing_can_be_bad():
    """No pair was seen to be bad, but on ten points one may be; on a thousand it may not."""
    few, many = ({"a": np.zeros((2, n), dtype=int)} for n in (10, 1000))
    plans = [
        fp.plan(fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.05), confidence=0.95)
        for seen in (few, many)
    ]
    assert plans[0].cost > 0
    assert plans[1].status is fp.planning.PlanStatus.NOTHING_NEEDED


def test_more_points_make_plans_cheaper_and_in_the_end_as_cheap_as_without_doubt():
    rng = np.random.default_rng(8)
    base = rng.random((1, 400)) < 0.5
    labels = base ^ (rng.random((6, 400)) < 0.2)
    certain = fp.plan(fp.Federation.from_predictions({"a": labels}, epsilon=0.15, delta=0.05), "union")
    costs = []
    for times in (1, 10, 1000):
        site = fp.report(np.repeat(labels, times, axis=1), name="a")
        fed = fp.Federation.from_reports([site], epsilon=0.15, delta=0.05)
        plan = fp.plan(fed, "union", confidence=0.95)
        costs.append(plan.cost)
        forecast = [more.cost for more in plan.more_points]
        assert forecast == sorted(forecast, reverse=True)
        assert forecast[-1] >= certain.cost - 1
    assert costs[0] > costs[1] > costs[2] >= certain.cost
    assert fp.Plan.from_dict(plan.to_dict()) == plan


def test_hidden_counts_mean_the_worst_of_their_range():
    """Half the points may differ where a hidden count says 0, so a plan is needed; taken for 0 it would not be."""
    hidden = fp.Report(name="a", n=100, n_classes=2, counts=np.array([0]), minimum_count=51)
    shown = fp.Report(name="a", n=100, n_classes=2, counts=np.array([0]))
    plans = [
        fp.plan(fp.Federation.from_reports([site], epsilon=0.1, delta=0.05), confidence=confidence)
        for site in (hidden, shown)
        for confidence in (None, 0.95)
    ]
    alone = int(np.ceil(np.log(0.05) / np.log(0.9)))
    assert [plan.contributions["a"] for plan in plans] == [alone, alone, 0, 0]


def test_nothing_is_linked_to_what_is_only_assumed_to_be_met():
    """Raised rates bound nothing of a hypothesis that is not bad, so no other's chance may lean on it."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        H, n = int(rng.integers(4, 7)), int(rng.integers(20, 60))
        labels = (rng.random((H, n)) < 0.5) & (rng.random((1, n)) < 0.3)
        fed = fp.Federation.from_predictions({"a": labels}, epsilon=0.2, delta=0.3)
        part = part_of(at_confidence(fed, 0.5), 0)
        rates = rates_of(part)
        raised = rates.is_raised(0, np.arange(1, H))
        known = rates.unraised.rows(np.array([0]))[0, 0, 1:]
        assert (raised == (known < 0.2)).all()
        m = rng.integers(1, 12, 1)
        tree = TreeProof(part)
        bad = np.flatnonzero(tree.union.weights(np.array([0]))[0, 0])
        q = np.exp(m @ log_miss(tree.union.rates.rows(np.array([0]))[:, 0, bad]))
        if len(q) and rates.is_raised(0, bad).all():
            assert next(tree.bounds(m.astype(float), 0, 0)) >= min(1.0, q.sum()) - 1e-12


def test_a_teacher_that_was_not_seen_to_differ_from_an_earlier_hypothesis_is_still_itself():
    """Bob's counts of h2 are hidden, so that it stands between h1 and h3, which differ too often."""
    seen = {"alice": [[0] * 10 + [1] * 10, [0] * 10 + [1] * 10, [0] * 20]}
    fed = fp.Federation.from_predictions(seen, epsilon=0.1, delta=0.1)
    assert truths_of(at_confidence(ask(fed, teacher="h2"), 0.9)).tolist() == [1]
    sites = [fp.Report(name="bob", n=50, n_classes=2, counts=np.array([0, 30, 0]), minimum_count=20)]
    hidden = fp.Federation.from_reports(sites, epsilon=0.4, delta=0.1)
    assert fp.plan(hidden, teacher="h1").cost > 0
    assert fp.plan(hidden, teacher="h2").cost == 0
    assert fp.verify(hidden, [0], teacher="h2").is_feasible


def test_a_teacher_of_noisy_counts_is_found_where_being_alike_is_not_transitive():
    """By the noisy counts h1 is as h2 and h2 as h3, but h1 is not as h3; no forecast takes them for the truth."""
    noise = fp.sites.Noise(scale=1, privacy_epsilon=1, privacy_delta=1e-6)
    sites = [fp.Report(name="alice", n=50, n_classes=2, counts=np.array([0, 9, 0]), noise=noise)]
    fed = fp.Federation.from_reports(sites, epsilon=0.1, delta=0.1)
    found = fp.plan(fed, confidence=0.9, teacher="h3")
    assert [more.factor for more in found.more_points] == [2, 4, 10]
    assert fp.verify(fed, found.m, teacher="h3", confidence=0.9).is_feasible


@pytest.mark.parametrize("method", ["lp", "union", "tree", "auto"])
@pytest.mark.parametrize("objective", ["pac", "expected"])
def test_that_nothing_can_be_proved_does_not_mean_that_no_plan_exists(method, objective):
    """Nobody has seen h1 and h2 differ, and alice tolerates no error; if they never do, no sample is needed."""
    fed = fp.Federation.from_predictions({"alice": [[0] * 9, [0] * 9]}, epsilon=0, delta=0.1, objective=objective)
    with pytest.raises(fp.errors.NoPlanFoundError):
        fp.plan(fed, method, confidence=0.9)


@pytest.mark.parametrize("method", ["union", "tree", "auto"])
def test_a_tangent_with_vanishing_coefficients_is_no_row_for_the_solver(method):
    """Alice has seen h1 and h2 differ, but nothing of h3; what counts in the tangents is h3 alone."""
    fed = fp.Federation.from_predictions({"alice": [[0], [1], [0], [1]]}, epsilon=0, delta=0.5)
    with pytest.raises(fp.errors.NoPlanFoundError):
        fp.plan(fed, method, confidence=0.95)
    sites = [
        fp.Report(name=name, n=n, n_classes=2, counts=np.array(counts), minimum_count=minimum)
        for name, n, counts, minimum in (
            ("a", 12, [12, 0, 12], 1),
            ("b", 4, [0, 0, 0], 10),
            ("c", 8, [8, 0, 8], 1),
        )
    ]
    fed = fp.Federation.from_reports(
        sites, epsilon=[1, 0.2, 1], delta=0.01, objective="expected", cost=[3.5, 1, 1]
    )
    assert fp.plan(fed, method).contributions["b"] > 0
