import itertools

import pytest

import fedpact as fp
from fedpact.explain import explain
from fedpact.planning.frontier import frontier
from fedpact.planning.plan import plan

VALUES = {"epsilon": [0.3, 0.05, 0.1, 0.2], "delta": [0.01, 0.05, 0.5, 0.2]}


@pytest.fixture(params=["alice-bob", "singletons", "price-of-stability(1/16)"])
def fed(request):
    return fp.examples.build(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("axis", VALUES)
def test_every_point_is_the_optimum_of_its_own_federation(fed, axis):
    curve = frontier(fed, **{axis: VALUES[axis]})
    assert [point.value for point in curve.points] == sorted(VALUES[axis])
    for point in curve.points:
        alone = plan(fed.replace(**{axis: point.value}), "exact")
        assert point.plan.cost == pytest.approx(alone.cost)
        assert point.plan.lower_bound <= point.plan.cost + 1e-9


@pytest.mark.parametrize("method", ["lp", "union", "tree", "auto"])
@pytest.mark.parametrize("axis", VALUES)
def test_costs_never_rise_and_every_plan_is_enough(fed, axis, method):
    curve = frontier(fed, **{axis: VALUES[axis]}, method=method, time_limit=0)
    assert all(strict >= loose for strict, loose in itertools.pairwise(curve.costs))
    bounds = [point.plan.lower_bound for point in curve.points]
    assert all(strict >= loose - 1e-9 for strict, loose in itertools.pairwise(bounds))
    for point in curve.points:
        assert fp.verify(fed.replace(**{axis: point.value}), point.plan.m).is_feasible


def test_a_looser_value_takes_over_a_cheaper_stricter_plan(monkeypatch):
    fed = fp.examples.alice_bob()
    honest = plan(fed, "exact")
    dear = fp.Plan.from_dict(honest.to_dict() | {"contributions": {"alice": 9, "bob": 9}, "cost": 18.0})
    plans = iter([dear, honest])  # loosest first
    monkeypatch.setattr("fedpact.planning.frontier.plan_from", lambda *_, **__: next(plans))
    curve = frontier(fed, delta=[0.05, 0.2])
    assert curve.costs == [5, 5]
    assert [point.planned_at for point in curve.points] == [None, 0.05]
    assert "0.05" in explain(curve).tables[0].rows[1][-1]


def test_a_point_without_a_plan_says_why_and_costs_nothing_else():
    fed = fp.Federation.from_table(
        fp.planning.classes.all_labelings(2), [[0.5, 0.5]], epsilon=0.1, delta=0.05, capacity=5, names=["alice"]
    )
    curve = frontier(fed, delta=[0.01, 0.2])
    assert curve.points[0].plan is None
    refusal = curve.points[0].refusal
    assert (refusal.code, refusal.agents) == ("capacity", ("alice",))
    assert refusal.pair is not None
    assert curve.costs == [None, 4]
    said = explain(curve)
    assert "alice still misses" in said.tables[0].rows[0][-1]
    assert "For 1 of 2 values there is no plan." in said.sentences
    strict = frontier(fed, delta=[0.01, 0.02])
    assert explain(strict).headline.startswith("There is no plan for delta 0.01 to 0.02.")
    assert explain(strict).charts == ()


def test_today_is_what_everybody_has():
    fed = fp.examples.alice_bob()
    assert frontier(fed, delta=[0.1]).today == fed.delta
    assert frontier(fed, epsilon=[0.1]).today == 0.1
    assert frontier(fed.replace(epsilon=[0.1, 0.2]), epsilon=[0.1]).today is None
    assert "Today's epsilon of 0.1 costs 5." in explain(frontier(fed, epsilon=[0.1])).sentences


def test_progress_is_told():
    seen = []
    curve = frontier(
        fp.examples.alice_bob(), delta=[0.1, 0.2], progress=lambda done, total: seen.append((done, total))
    )
    assert len(curve.points) == 2
    assert seen == [(1, 2), (2, 2)]


def test_the_figure_shows_cost_and_bound():
    figure = frontier(fp.examples.alice_bob(), delta=[0.1, 0.2, 0.4]).plot()
    cost, bound = figure.axes[0].lines
    assert cost.get_ydata().tolist() == bound.get_ydata().tolist() == [4, 3, 2]
    assert cost.get_xdata().tolist() == [0.1, 0.2, 0.4]


REFUSED = [
    ({}, "of epsilon, of delta or of noise"),
    ({"epsilon": [0.1], "delta": [0.1]}, "one of the three"),
    ({"epsilon": []}, "at least one number"),
    ({"epsilon": "0.1"}, "list"),
    ({"delta": ["x"]}, "delta"),
    ({"delta": [0.0]}, "delta must lie strictly between 0 and 1"),
]


def test_malformed_requests():
    for request_, message in REFUSED:
        with pytest.raises(fp.FederationError, match=message):
            frontier(fp.examples.alice_bob(), **request_)


def test_the_expected_objective_has_no_delta():
    with pytest.raises(fp.FederationError, match="no delta"):
        frontier(fp.examples.alice_bob().replace(objective="expected"), delta=[0.1])


def test_the_more_labels_are_wrong_the_dearer():
    fed = fp.examples.alice_bob()
    curve = fp.frontier(fed, noise=[0.1, 0, "0.05"])
    assert (curve.axis, curve.values, curve.today) == ("noise", [0.1, 0.05, 0.0], 0.0)
    assert curve.costs == [fp.plan(fed, noise=noise).cost for noise in curve.values]
    assert [(point.plan.assume, point.plan.noise) for point in curve.points] == [
        ("noisy", 0.1),
        ("noisy", 0.05),
        ("realizable", None),
    ]
    bounds = [point.plan.lower_bound for point in curve.points]
    assert bounds == sorted(bounds, reverse=True)
    assert (curve.assume, curve.noise) == ("noisy", None)
    assert "each label is wrong with probability noise at most" in str(curve)
    assert fp.Frontier.from_dict(curve.to_dict()) == curve


def test_one_noise_is_for_every_point():
    fed = fp.examples.alice_bob()
    curve = fp.frontier(fed, delta=[0.05, 0.2], noise=0.1)
    assert curve.costs == [fp.plan(fed.replace(delta=delta), noise=0.1).cost for delta in (0.05, 0.2)]
    assert (curve.assume, curve.noise) == ("noisy", 0.1)
    alone = fp.frontier(fed, epsilon=[0.1], assume="agnostic")
    assert alone.costs == [fp.plan(fed, assume="agnostic").cost]


def test_a_noisier_plan_that_is_cheaper_is_taken_over():
    curve = fp.frontier(fp.examples.alice_bob(), noise=[0, 0.05, 0.2], method="lp")
    assert curve.costs == sorted(curve.costs, reverse=True)
    assert all(
        fp.verify(fp.examples.alice_bob(), point.plan.m, noise=point.value).is_feasible for point in curve.points
    )
