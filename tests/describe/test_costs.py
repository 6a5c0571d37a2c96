import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.constructions import alice_bob
from fedpact.describe.costs import KINDS, Cost, Linear, PiecewiseLinear, Quadratic, read_cost
from fedpact.describe.files import load, save
from fedpact.errors import FederationError, FormatError
from fedpact.plain import from_plain
from fedpact.planning.plan import plan
from fedpact.statistics.verification import verify
from refusals import check_refused

EVERY = {
    "number": (2, Linear(2.0)),
    "fraction": ("1/2", Linear(0.5)),
    "cost": (Linear(3.0), Linear(3.0)),
    "quadratic": ({"quadratic": [1, "1/2"]}, Quadratic(1.0, 0.5)),
    "purely-quadratic": ({"quadratic": [0, 1]}, Quadratic(0.0, 1.0)),
    "piecewise": ({"breakpoints": [10], "slopes": [1, 3]}, PiecewiseLinear((10.0,), (1.0, 3.0))),
    "piecewise-early": (
        {"breakpoints": [2.5, 4], "slopes": [1, 2, 5]},
        PiecewiseLinear((2.5, 4.0), (1.0, 2.0, 5.0)),
    ),
    "piecewise-from-zero": ({"breakpoints": [0, 10], "slopes": [1, 3]}, PiecewiseLinear((10.0,), (1.0, 3.0))),
    "piecewise-of-one": ({"breakpoints": [], "slopes": [2]}, PiecewiseLinear((), (2.0,))),
}
"""Costs as a file has them, and what is read: every kind is among them."""


def test_reads_every_kind():
    assert {type(cost) for _, cost in EVERY.values()} == set(KINDS)
    assert {name: read_cost(value) for name, (value, _) in EVERY.items()} == {
        name: cost for name, (_, cost) in EVERY.items()
    }


BAD = [
    (0, "cost must be above 0; it is 0"),
    (-1, "cost must be above 0; it is -1"),
    (float("nan"), "cost must be a finite number; it is nan"),
    (float("inf"), "cost must be a finite number; it is inf"),
    (True, "cost must be a number or a fraction in a string; it is True"),
    ([1, 2], "cost must be a number or a fraction in a string; it is [1, 2]"),
    ({}, "cost must be a number, {quadratic = [a, b]}"),
    ({"cubic\n": [1]}, r"it is {'cubic\n': [1]}"),
    ({"slopes": [1]}, "cost must be a number, {quadratic = [a, b]}"),
    ({"quadratic": [1]}, "cost quadratic needs 2 numbers [a, b]; it has 1"),
    ({"quadratic": 1}, "cost quadratic must be a list of numbers; it is 1"),
    ({"quadratic": [0, 0]}, "not both 0; it is [0, 0]"),
    ({"quadratic": [1, -1]}, "cost quadratic must lie between 0 and 1e+100; it is -1"),
    ({"breakpoints": [1], "slopes": [2, 1]}, "must not fall (costs are convex); they are [2.0, 1.0]"),
    ({"breakpoints": [1], "slopes": [0, 1]}, "cost slopes must be above 0; it is 0"),
    ({"breakpoints": [1], "slopes": [1]}, "it has 1 slopes and 1 breakpoints"),
    ({"breakpoints": [2, 1], "slopes": [1, 1, 1]}, "must be above 0 and rise; they are [2.0, 1.0]"),
    ({"breakpoints": [-1], "slopes": [1, 1]}, "must be above 0 and rise; they are [-1.0]"),
    ({"breakpoints": "12", "slopes": [1]}, "cost breakpoints must be a list of numbers; it is '12'"),
]


def test_every_kind_refuses_too_few_and_too_many_numbers():
    for kind in KINDS:
        for values in ([], [1.0] * 9):
            if kind.KEYS:
                with pytest.raises(FederationError, match=r"cost .* it has"):
                    read_cost({kind.KEYS[0]: values} | dict.fromkeys(kind.KEYS[1:], [1.0] * 4))


def test_refuses():
    for value, message in BAD:
        check_refused(message, read_cost, value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Linear(float("inf")),
        lambda: Quadratic(float("nan"), 1.0),
        lambda: PiecewiseLinear((1.0,), (1.0, float("inf"))),
    ],
    ids=["linear", "quadratic", "piecewise"],
)
def test_a_cost_built_by_hand_is_checked_too(build):
    with pytest.raises(FederationError, match="must be a finite number"):
        build()


positive = st.floats(0.01, 100)


@st.composite
def costs(draw):
    kind = draw(st.sampled_from(["linear", "quadratic", "piecewise", *EVERY]))
    if kind in EVERY and kind != "quadratic":
        return EVERY[kind][1]
    if kind == "linear":
        return Linear(draw(positive))
    if kind == "quadratic":
        return Quadratic(draw(st.floats(0, 100)), draw(positive))
    breakpoints = sorted(draw(st.sets(st.integers(1, 50), max_size=4)))
    slopes = sorted(draw(st.lists(positive, min_size=len(breakpoints) + 1, max_size=len(breakpoints) + 1)))
    return PiecewiseLinear(tuple(map(float, breakpoints)), tuple(slopes))


@given(costs())
def test_costs_start_at_zero_rise_and_are_convex(cost):
    total = cost(np.arange(60))
    steps = np.diff(total)
    assert total[0] == 0
    assert np.isfinite(cost(2.0**40))
    assert (steps > 0).all(), "costs must rise"
    falls = np.flatnonzero(np.diff(steps) < -1e-9 * total[-1])
    assert not falls.size, f"not convex: sample {falls[0] + 2} costs less than the one before"


@given(costs())
def test_what_was_written_is_read_back(cost):
    assert read_cost(cost.to_plain()) == cost
    assert from_plain(Cost, cost.to_plain(), "agent.cost") == cost


def test_what_is_no_cost_is_refused_where_it_stands():
    with pytest.raises(FormatError, match=r"^agent\.cost: cost must be above 0; it is -1$"):
        from_plain(Cost, -1, "agent.cost")


@given(costs(), st.integers(0, 60))
def test_scalar_agrees_with_array(cost, m):
    assert cost(m).item() == cost(np.arange(61))[m]


def test_piecewise_adds_up_its_steps():
    cost = PiecewiseLinear((2.0, 4.0), (1.0, 2.0, 5.0))
    assert cost([0, 1, 2, 3, 4, 5]).tolist() == [0, 1, 2, 4, 6, 11]


@pytest.mark.parametrize("cost", [cost for _, cost in EVERY.values()], ids=EVERY)
def test_marginal_costs_sum_to_the_cost_and_never_fall(cost):
    marginal = [cost.marginal(m) for m in range(12)]
    assert np.cumsum(marginal) == pytest.approx(cost(np.arange(1, 13)))
    assert marginal == sorted(marginal)


@pytest.mark.parametrize("cost", [cost for _, cost in EVERY.values()], ids=EVERY)
def test_the_cheapest_plan_is_the_cheapest_of_all(cost, tmp_path):
    fed = alice_bob().replace(cost=[cost, 1.0])
    grid = np.indices((15, 15)).reshape(2, -1).T
    enough = [m for m in grid if verify(fed, m).is_feasible]
    assert plan(fed, method="exact").cost == pytest.approx(min(fed.cost_of(m) for m in enough))
    save(fed, tmp_path / "fed.toml")
    assert load(tmp_path / "fed.toml").agents == fed.agents


@given(costs(), st.sampled_from([0.5, 1.0, 100.0]))
def test_another_currency_is_the_same_cost(cost, factor):
    assert cost.scaled(factor)(np.arange(20)) == pytest.approx(factor * cost(np.arange(20)))


@given(costs(), st.floats(0, 60))
def test_a_tangent_touches_the_curve_and_stays_below_it(cost, at):
    slope, intercept = cost.tangent(at)
    m = np.append(np.arange(60), at)
    assert slope * at + intercept == pytest.approx(cost(at).item())
    assert (slope * m + intercept <= cost(m) * (1 + 1e-9) + 1e-9).all()
    assert cost.kinks[0] == 0
