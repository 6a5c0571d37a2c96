import numpy as np
import pytest
from scipy.optimize import linprog

import fedpact as fp
from fedpact.planning.draft import solve_pairs
from fedpact.planning.lower_bound import LowerBound
from fedpact.planning.pair_lp import PairProgram, find_bad
from noisy import noisy_federation

OBJECTIVES = [{"objective": "pac"}, {"objective": "expected", "epsilon": [0.1, 0.2, 0.15]}]


def written_out(fed, *, is_bound):
    """All rows of the program as the paper writes them, with max for its min, and the costs."""
    p, epsilon = fp.planning.disagreement(fed), fed.epsilon[:, None, None]
    if fed.objective == "pac":
        rows = (p > epsilon).any(axis=0)
        b = np.full(rows.shape, np.log((1 if is_bound else fed.H) / fed.delta))
    else:
        over = p > (epsilon if is_bound else epsilon / 2)
        rows = over.any(axis=0)
        b = np.log(np.where(over, p / epsilon, 1e-9).max(axis=0) * (1 if is_bound else 2 * fed.H))
    A, b = -np.log1p(-p[:, rows]).T, b[rows]
    return (np.minimum(A, b[:, None]) if is_bound else A), b, [float(agent.cost(1)) for agent in fed.agents]


@pytest.mark.parametrize("settings", OBJECTIVES, ids=lambda entry: entry["objective"])
@pytest.mark.parametrize("is_bound", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_generated_rows_give_the_optimum_of_all_rows(seed, is_bound, settings):
    fed = noisy_federation(seed, **settings)
    A, b, cost = written_out(fed, is_bound=is_bound)
    theirs = linprog(cost, A_ub=-A, b_ub=-b, method="highs")
    found = LowerBound(fed).fractional if is_bound else solve_pairs(fed)
    assert found.value == pytest.approx(theirs.fun, rel=1e-6)
    assert (A @ found.m >= b - 1e-6).all()


@pytest.mark.parametrize("settings", OBJECTIVES, ids=lambda entry: entry["objective"])
@pytest.mark.parametrize("seed", range(3))
def test_holds_is_every_row_at_once(seed, settings):
    fed = noisy_federation(seed, **settings)
    A, b, _ = written_out(fed, is_bound=False)
    program = PairProgram(fed)
    rng = np.random.default_rng(seed)
    scale = solve_pairs(fed).m + 1
    answers = []
    for _ in range(40):
        m = np.rint(scale * rng.uniform(0.5, 2, fed.k)).astype(int)
        answers.append(program.holds(m))
        assert answers[-1] == bool((A @ m >= b - 1e-9).all())
    assert set(answers) == {True, False}


def test_who_finds_everything_bad_that_anybody_does():
    fed = fp.Federation.from_table(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0.5, 0.5, 0], [0.5, 0, 0.5]], epsilon=0.1, delta=0.1
    )
    bad, owner = find_bad(fed, False)
    assert bad.sum(axis=1).tolist() == [2, 2, 2]
    assert owner.tolist() == [0, 0, 0]
    alone = fp.Federation.from_table(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0.5, 0, 0.5], [0, 0.5, 0.5]], epsilon=0.1, delta=0.1
    )
    assert find_bad(alone, False)[1].tolist() == [-1, 0, 1]
