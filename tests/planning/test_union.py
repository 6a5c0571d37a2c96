import numpy as np
import pytest

import fedpact as fp
from fedpact.planning.draft import solve_pairs, solve_union
from fedpact.planning.union import UnionProgram
from noisy import noisy_federation

SETTINGS = [{}, {"guarantee": "joint"}, {"epsilon": [0.1, 0.2, 0.3]}, {"delta": 0.4}]


def largest_sum(fed, m):
    """Largest sum of a requirement's bad hypotheses' miss probabilities, over all truths."""
    p = fp.planning.disagreement(fed)
    q = np.prod((1 - p) ** np.asarray(m)[:, None, None], axis=0)
    bad = p > fed.epsilon[:, None, None]
    bad = np.any(bad, axis=0, keepdims=True) if fed.guarantee == "joint" else bad
    return (bad * q).sum(axis=2).max()


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_solution_satisfies_every_constraint_and_every_row_is_valid(seed, settings):
    fed = noisy_federation(seed, **settings)
    found = solve_union(fed, UnionProgram(fed))
    assert largest_sum(fed, found.m) == pytest.approx(fed.delta, rel=1e-5)
    rng = np.random.default_rng(seed)
    enough = 0
    for _ in range(300):
        m = found.m * rng.uniform(0.8, 1.5, fed.k) + rng.uniform(0, 1, fed.k)
        if largest_sum(fed, m) <= fed.delta:
            enough += 1
            assert all(row.a @ m >= row.b - 1e-9 for row in found.rows)
    assert enough
    assert found.value <= solve_pairs(fed).value + 1e-6


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_holds_is_every_sum_at_once(settings):
    fed = noisy_federation(5, **settings)
    program, rng = UnionProgram(fed), np.random.default_rng(0)
    scale = solve_union(fed, UnionProgram(fed)).m + 1
    answers = []
    for _ in range(60):
        m = np.rint(scale * rng.uniform(0.3, 1.6, fed.k)).astype(int)
        answers.append(program.holds(m))
        assert answers[-1] == bool(largest_sum(fed, m) <= fed.delta)
    assert set(answers) == {True, False}


@pytest.mark.parametrize("seed", range(4))
def test_expected_errors_are_bounded_by_the_best_threshold(seed):
    fed = noisy_federation(seed, objective="expected", epsilon=[0.1, 0.2, 0.15])
    found = solve_union(fed, UnionProgram(fed))
    p = fp.planning.disagreement(fed)
    q = np.prod((1 - p) ** found.m[:, None, None], axis=0)
    for rates, epsilon in zip(p, fed.epsilon, strict=True):
        for row, miss in zip(rates, q, strict=True):
            least = min(theta + (np.maximum(row - theta, 0) * miss).sum() for theta in [0.0, *row])
            assert least <= epsilon + 1e-6
    assert found.value <= solve_pairs(fed).value + 1e-6


def test_a_share_next_to_nothing_leaves_a_row_finite():
    """After 1,050 samples one hypothesis is missed with probability 8e-317, whose inverse no double holds."""
    labels, mass = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0.5, 0.001, 0.499]]
    fed = fp.Federation.from_table(labels, mass, epsilon=0.0005, delta=0.05)
    rows = UnionProgram(fed)(np.array([1050.0]))
    assert [row.truth for row in rows] == [0, 2]
    for row in rows:
        assert row.a @ [1050.0] < row.b < 4
