import itertools

import numpy as np
import pytest

import fedpact as fp
from fedpact.planning import row_generation
from fedpact.planning.draft import solve_pairs
from fedpact.planning.plan import plan
from noisy import noisy_federation


@pytest.mark.parametrize("method", ["lp", "union"])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("has_capacity", [False, True])
def test_generated_columns_change_nothing(monkeypatch, seed, method, has_capacity):
    rng = np.random.default_rng(seed)
    predictions = {
        f"a{i}": np.where(rng.random((9, 40)) < 0.3, rng.integers(0, 3, (9, 40)), rng.integers(0, 3, 40))
        for i in range(12)
    }
    fed = fp.Federation.from_predictions(
        predictions,
        epsilon=0.2,
        delta=0.05,
        cost=rng.uniform(1, 3, 12).tolist(),
        capacity=4 if has_capacity else None,
    )
    whole = plan(fed, method)
    monkeypatch.setattr(row_generation, "MANY_AGENTS", 0)
    monkeypatch.setattr(row_generation, "_NEW_COLUMNS", 2)
    generated = plan(fed, method)
    assert generated.fractional_cost == pytest.approx(whole.fractional_cost, rel=1e-6)
    assert generated.lower_bound <= whole.lower_bound + 1e-9


def test_who_has_contributed_has_a_column_from_the_start(monkeypatch):
    fed = noisy_federation(3, k=8)
    given = [0, 5, 0, 1, 0, 0, 2, 0]
    whole = plan(fed, "union", at_least=given)
    monkeypatch.setattr(row_generation, "MANY_AGENTS", 0)
    monkeypatch.setattr(row_generation, "_NEW_COLUMNS", 1)
    generated = plan(fed, "union", at_least=given)
    assert generated.fractional_cost == pytest.approx(whole.fractional_cost, rel=1e-6)
    assert all(generated.fractional[name] >= count for name, count in zip(fed.names, given, strict=True))
    assert fed.cost_of(given) < generated.lower_bound <= whole.lower_bound + 1e-9


def test_identical_agents_are_planned_the_same_way_every_time():
    labels = list(itertools.product((0, 1), repeat=3))
    fed = fp.Federation.from_table(labels, [[0.2, 0.3, 0.5]] * 4, epsilon=0.1, delta=0.1)
    one = fp.Federation.from_table(labels, [[0.2, 0.3, 0.5]], epsilon=0.1, delta=0.1)
    for method in ("lp", "union", "tree", "exact"):
        assert plan(fed, method).contributions == plan(fed, method).contributions
        assert plan(fed, method).cost == plan(one, method).cost


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("method", ["lp", "union", "tree", "exact"])
def test_delta_near_its_ends(delta, method):
    fed = fp.examples.alice_bob().replace(delta=delta)
    found = plan(fed, method)
    assert fp.verify(fed, found.m).is_feasible
    assert found.lower_bound <= plan(fed, "exact").cost + 1e-9


def test_one_sample_kills_a_pair_that_always_differs():
    fed = fp.Federation.from_table([[0, 0], [1, 1]], [[0.5, 0.5]], epsilon=0.1, delta=1e-6)
    for method in ("lp", "union", "tree", "exact"):
        assert plan(fed, method).contributions == {"agent-1": 1}
    assert plan(fed, "lp").fractional == {"agent-1": pytest.approx(1.0)}


@pytest.mark.parametrize("p", [1e-14, 1e-10, 1e-7])
def test_rare_differences_count_where_others_are_at_capacity(p):
    """The solver takes coefficients below 1e-9 for zero."""
    fed = fp.Federation.from_table(
        [[0, 0], [1, 0]], [[p, 1 - p], [0.5, 0.5]], epsilon=[0, 0.1], delta=0.05, capacity=[None, 1]
    )
    found = plan(fed)
    assert found.contributions["agent-2"] == 1
    assert found.contributions["agent-1"] == pytest.approx(np.log(0.1) / np.log1p(-p), rel=1e-6)


def test_a_row_that_only_vanishing_coefficients_could_satisfy_is_unreachable():
    """The second agent never sees what the first is too poor to find; the union program has no solution."""
    fed = fp.Federation.from_table(
        [[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]],
        [["2/7", "1/7", "4/7"], [0, 0, 1], [1, 0, 0]],
        epsilon=0.1,
        delta=0.1,
        objective="expected",
        capacity=[4, None, 9],
        cost=[0.01, 4, 2],
    )
    with pytest.raises(fp.errors.NoPlanFoundError):
        plan(fed, "union")
    assert plan(fed).contributions == {"agent-1": 4, "agent-2": 0, "agent-3": 1}


def test_a_curve_too_steep_for_the_solver_is_said_and_not_refined_for_ever():
    tiny = 1e-14
    fed = fp.Federation.from_table(
        [[2, 2, 0], [0, 1, 1], [1, 1, 2], [1, 2, 0], [1, 0, 2]],
        [[1, 0, 0], [1 - tiny, tiny, 0]],
        epsilon=[0, tiny],
        delta=0.9,
        objective="expected",
        capacity=[6, None],
        cost=[0.01, fp.costs.Quadratic(2, 0.5)],
    )
    with pytest.raises(fp.errors.NoPlanFoundError, match="more samples than the solver can count"):
        plan(fed, "union")
    with pytest.raises(fp.errors.SolverError, match="costs are too large"):
        solve_pairs(fed)
    assert plan(fed).contributions == {"agent-1": 1, "agent-2": 0}


class Rows:
    """Rows over some agents, each "so many samples of each counted so often are at least b"."""

    def __init__(self, *rows):
        one = {"truth": 0, "hypotheses": np.array([1]), "weights": np.ones(1), "requirement": 0}
        self.rows = [row_generation.Row(a=np.array(a, dtype=float), b=b, **one) for a, b in rows]

    def __call__(self, m):
        return [row for row in self.rows if row.a @ m < row.b - 1e-9]


def program(rates, capacity=np.inf, floor=None):
    costs, caps = [fp.costs.Linear(float(rate)) for rate in rates], np.full(len(rates), float(capacity))
    return row_generation.CoveringProgram(costs, caps, None if floor is None else np.array(floor))


def test_the_integer_bound_grows_with_the_rows_that_are_generated():
    rows, limits = Rows(([2, 0], 3), ([0, 2], 5)), {"seconds": 10, "nodes": 100}
    found = program([1, 1])
    assert [found.integer_bound(rows, rounds=rounds, **limits) for rounds in (1, 1, 5)] == [0, 5, 5]
    assert program([1, 1]).solve(rows).value == pytest.approx(1.5 + 2.5)


def test_a_program_without_whole_solutions_has_some_bound_and_is_as_before():
    rows, found = Rows(([2], 3)), program([1], capacity=1.5)
    assert found.solve(rows).value == pytest.approx(1.5)
    assert found.integer_bound(rows, seconds=10, nodes=100, rounds=5) >= 0
    assert found.solve(rows).value == pytest.approx(1.5)


def test_what_the_solver_cannot_solve_is_said_with_its_status():
    with pytest.raises(fp.errors.SolverError, match="without an optimum") as caught:
        program([1], capacity=1, floor=[2]).solve(Rows())
    assert caught.value.solver_status == "Infeasible"


def test_as_many_agents_enter_as_a_row_needs_and_at_the_rate_they_charge_by_then(monkeypatch):
    monkeypatch.setattr(row_generation, "MANY_AGENTS", 0)
    monkeypatch.setattr(row_generation, "_NEW_COLUMNS", 1)
    found = program([1, 2, 9, 8], capacity=1)
    found.set_rate(2, 3.0)
    solution = found.solve(Rows(([1, 1, 1, 1], 2.5)))
    assert solution.m == pytest.approx([1, 1, 0.5, 0])
    assert solution.value == pytest.approx(1 + 2 + 1.5)
    assert not found.has_all_columns


@pytest.mark.parametrize("method", ["lp", "union", "tree", "exact"])
def test_whom_a_plan_names_does_not_depend_on_the_last_digits(method):
    """With all labelings every truth has the same rows, and processors that add up otherwise named other pairs."""
    masses = np.array([[0.7, 0.25, 0.05], [0.15, 0.7, 0.15], [0.2, 0.2, 0.6]])
    labels = list(itertools.product((0, 1), repeat=3))
    named = set()
    for seed in range(5):
        nudged = masses + np.random.default_rng(seed).uniform(-1e-15, 1e-15, masses.shape)
        fed = fp.Federation.from_table(labels, nudged, epsilon=0.1, delta=0.05, cost=[2, 1, 3])
        found = plan(fed, method).duals
        named.add(tuple((pair.truth, pair.hypothesis, pair.agent, round(pair.share, 6)) for pair in found))
    assert len(named) == 1
