"""The planners against general solvers on the same programs, their memory, and how they grow.

- `lp` against `scipy.optimize.linprog` (HiGHS) on the matrix of all pairs: many hypotheses, then many agents; and
  against the same program as one writes it in CVXPY, solved by HiGHS.
- `union` against the same convex program in CVXPY, solved by Clarabel: as it is written, and restated by hand so
  that each pair's exponential, which many constraints share, stands in it once.
- Memory at 12.5 million pairs and at 100,000 agents, each in a process of its own.

Both sides start from the counted disagreements of the same predictions and end with the fractional optimum: ours
generates rows and columns, theirs states the whole program. Both are medians, in turns; what takes many seconds
runs once. What a whole plan takes, from the predictions, with rounding, proof and lower bound, is recorded beside
it. How the planners grow is measured in `bench_growth.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

import fedpact as fp
from fedpact.planning.draft import solve_pairs, solve_union
from fedpact.planning.union import UnionProgram
from fedpact.statistics.rates import rates_of
from instances import CLASSES, DELTA, EPSILON, federation_of, noisy_models, unit_costs
from timing import Work, in_turns, repeat

Predictions = dict[str, NDArray[np.int8]]

TIE = 1e-9
TENS = 10.0
HARMLESS = -30.0
"""Added to the exponent of a hypothesis that is not bad, in place of minus infinity."""
SCALE = Path(__file__).with_name("scale.py")
PATIENCE = 300
"""Seconds after which a large plan counts as failed."""


def time_plan(predictions: Predictions, method: str) -> float:
    """Median seconds from the predictions to the plan."""
    return repeat(Work(lambda _: fp.plan(federation_of(predictions), method)), times=3).seconds


def counted(predictions: Predictions) -> fp.Federation:
    """Describe the federation, its disagreements already counted."""
    fed = federation_of(predictions)
    rates_of(fed)
    return fed


def pair_rates(predictions: Predictions) -> NDArray[np.float64]:
    """(pairs, k) how often the hypotheses of each unordered pair differ on each site."""
    first = next(iter(predictions.values()))
    h, g = np.triu_indices(len(first), 1)
    rates = np.empty((len(h), len(predictions)))
    for site, labels in enumerate(predictions.values()):
        same = np.zeros((len(labels), len(labels)), dtype=np.float32)
        for label in range(CLASSES):
            says = (labels == label).astype(np.float32)
            same += says @ says.T
        rates[:, site] = (labels.shape[1] - same[h, g]) / labels.shape[1]
    assert rates.max() < 1
    return rates


def log_misses(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """(bad pairs, k) logarithm of the chance that a sample of each site does not tell a pair apart."""
    return np.log1p(-rates[(rates > EPSILON + TIE).any(axis=1)])


def solve_by_linprog(rates: NDArray[np.float64], H: int, k: int) -> float:
    """Solve the paper's program with the rows of all bad pairs at once."""
    A = log_misses(rates)
    result = linprog(unit_costs(k), A_ub=A, b_ub=np.full(len(A), np.log(DELTA / H)), method="highs")
    assert result.status == 0, result.message
    return float(result.fun)


def solve_by_highs(rates: NDArray[np.float64], H: int, k: int) -> float:
    """Solve the same in CVXPY, as it is written."""
    m = cp.Variable(k, nonneg=True)
    program = cp.Problem(cp.Minimize(unit_costs(k) @ m), [log_misses(rates) @ m <= np.log(DELTA / H)])
    program.solve(solver=cp.HIGHS)
    assert program.status == cp.OPTIMAL
    return float(program.value)


def solve_by_sums(pairs: NDArray[np.float64], H: int, k: int) -> float:
    """Solve the union program as it is written: one `log_sum_exp` for every truth and agent, as rows of a matrix.

    Clarabel gives up on most scalings of this form; with samples counted in tens it solves these models'.
    """
    rates = np.zeros((k, H, H))
    rates[:, *np.triu_indices(H, 1)] = pairs.T
    rates += rates.transpose(0, 2, 1)
    harmless = np.where(rates > EPSILON + TIE, 0.0, HARMLESS)
    exponents = TENS * np.tile(np.log1p(-rates).reshape(k, H * H).T, (k, 1))
    m = cp.Variable(k, nonneg=True)
    terms = cp.reshape(exponents @ m + harmless.ravel(), (k * H, H), order="C")
    return solve_by_clarabel(TENS * unit_costs(k) @ m, cp.log_sum_exp(terms, axis=1) <= np.log(DELTA))


def solve_by_shared_terms(rates: NDArray[np.float64], H: int, k: int) -> float:
    """Solve the union program with one exponential per pair, which all truths and agents share."""
    pair, agent = np.nonzero(rates > EPSILON + TIE)
    ends = np.stack(np.triu_indices(H, 1))[:, pair]
    rows = (agent * H + ends).ravel()
    is_bad = csr_array((np.ones(len(rows)), (rows, np.tile(pair, 2))), shape=(k * H, len(rates)))
    m = cp.Variable(k, nonneg=True)
    return solve_by_clarabel(unit_costs(k) @ m, is_bad @ cp.exp(np.log1p(-rates) @ m) <= DELTA)


def solve_by_clarabel(cost: cp.Expression, constraint: cp.Constraint) -> float:
    program = cp.Problem(cp.Minimize(cost), [constraint])
    program.solve(solver=cp.CLARABEL)
    assert program.status == cp.OPTIMAL
    return float(program.value)


def solve_lp(fed: fp.Federation) -> float:
    return float(solve_pairs(fed).value)


def solve_convex(fed: fp.Federation) -> float:
    return float(solve_union(fed, UnionProgram(fed)).value)


@pytest.mark.parametrize(
    ("H", "k", "points", "solve", "competitor", "at_least"),
    [
        pytest.param(1000, 20, 200, solve_by_linprog, "linprog on all pairs", 50, id="hypotheses"),
        pytest.param(1000, 20, 200, solve_by_highs, "CVXPY with HiGHS on all pairs", 50, id="hypotheses-cvxpy"),
        pytest.param(50, 20_000, 40, solve_by_linprog, "linprog on all pairs", 40, id="agents"),
    ],
)
def test_lp_against_general_solvers(H, k, points, solve, competitor, at_least, compare, record):
    predictions = noisy_models(H, k, points)
    rates = pair_rates(predictions)
    ours, theirs = in_turns(Work(solve_lp, lambda: counted(predictions)), Work(lambda _: solve(rates, H, k)))
    assert ours.answer == pytest.approx(theirs.answer, rel=1e-6)
    what = f"lp, {H} hypotheses, {k} agents"
    if solve is solve_by_linprog:
        record(f"{what}, the whole plan", unit="seconds", value=time_plan(predictions, "lp"))
    compare(
        what,
        unit="seconds",
        ours=ours.seconds,
        competitor=competitor,
        theirs=theirs.seconds,
        at_least=at_least,
    )


@pytest.mark.parametrize(
    ("solve", "form", "at_least"),
    [
        pytest.param(solve_by_sums, "as log_sum_exp", 20, id="as-written"),
        pytest.param(solve_by_shared_terms, "one exponential per pair", 5, id="shared-terms"),
    ],
)
def test_union_against_cvxpy(solve, form, at_least, compare):
    predictions = noisy_models(60, 8, 200)
    rates = pair_rates(predictions)
    ours, theirs = in_turns(Work(solve_convex, lambda: counted(predictions)), Work(lambda _: solve(rates, 60, 8)))
    assert ours.answer == pytest.approx(theirs.answer, rel=1e-4)
    compare(
        "union, 60 hypotheses, 8 agents",
        unit="seconds",
        ours=ours.seconds,
        competitor=f"CVXPY with Clarabel, {form}",
        theirs=theirs.seconds,
        at_least=at_least,
    )


def test_a_whole_union_plan(record):
    seconds = time_plan(noisy_models(60, 8, 200), "union")
    record("union, 60 hypotheses, 8 agents, the whole plan", unit="seconds", value=seconds)


@pytest.mark.parametrize("method", ["lp", "union"])
@pytest.mark.parametrize(
    ("H", "k", "points", "at_most"),
    [pytest.param(5000, 20, 200, 6, id="hypotheses"), pytest.param(50, 100_000, 40, 8, id="agents")],
)
def test_memory_at_scale(method, H, k, points, at_most, record):
    command = [sys.executable, str(SCALE), method, *map(str, (H, k, points))]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert answer.returncode == 0, answer.stderr[-2000:]
    measured = json.loads(answer.stdout)
    what = f"{method}, {H} hypotheses, {k} agents"
    record(what, unit="seconds", value=measured["seconds"])
    record(f"{what}, peak memory", unit="GB", value=measured["gigabytes"], at_most=at_most)
