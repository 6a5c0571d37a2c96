"""The planners against general solvers on the same programs, their memory, and how they grow.

- `lp` against `scipy.optimize.linprog` (HiGHS) on the matrix of all pairs: many hypotheses, then many agents.
- `union` against the same convex program in CVXPY, solved by Clarabel: as it is written, and restated by hand so
  that each pair's exponential, which many constraints share, stands in it once.
- Memory at 12.5 million pairs and at 100,000 agents, each in a process of its own.
- Seconds over the number of hypotheses and over the number of agents.

Both sides start from the counted disagreements of the same predictions and end with the fractional optimum: ours
generates rows and columns, theirs states the whole program. Ours is the median of some runs, theirs runs once.
What a whole plan takes, from the predictions, with rounding, proof and lower bound, is recorded beside it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

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

T, U = TypeVar("T"), TypeVar("U")
Predictions = dict[str, NDArray[np.int8]]

TIE = 1e-9
TENS = 10.0
HARMLESS = -30.0
"""Added to the exponent of a hypothesis that is not bad, in place of minus infinity."""
SCALE = Path(__file__).with_name("scale.py")
PATIENCE = 300
"""Seconds after which a large plan counts as failed."""
SLOW = 5.0
"""Seconds from which a run is not repeated."""


def timed(call: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def repeat(prepare: Callable[[], T], call: Callable[[T], U], times: int = 5) -> tuple[float, U]:
    """Median seconds of a call on freshly prepared input, and its answer."""
    seconds: list[float] = []
    while len(seconds) < times and sum(seconds) < SLOW:
        took, answer = timed(partial(call, prepare()))
        seconds.append(took)
    return statistics.median(seconds), answer


def time_plan(predictions: Predictions, method: str, times: int = 3) -> float:
    """Median seconds from the predictions to the plan."""
    return repeat(lambda: predictions, lambda given: fp.plan(federation_of(given), method), times)[0]


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


def solve_by_linprog(rates: NDArray[np.float64], H: int, k: int) -> float:
    """Solve the paper's program with the rows of all bad pairs at once."""
    A = np.log1p(-rates[(rates > EPSILON + TIE).any(axis=1)])
    result = linprog(unit_costs(k), A_ub=A, b_ub=np.full(len(A), np.log(DELTA / H)), method="highs")
    assert result.status == 0, result.message
    return float(result.fun)


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


@pytest.mark.parametrize(
    ("H", "k", "points", "at_least"),
    [pytest.param(1000, 20, 200, 50, id="hypotheses"), pytest.param(50, 20_000, 40, 5, id="agents")],
)
def test_lp_against_linprog(H, k, points, at_least, compare, record):
    predictions = noisy_models(H, k, points)
    ours, found = repeat(lambda: counted(predictions), solve_pairs)
    rates = pair_rates(predictions)
    theirs, value = timed(lambda: solve_by_linprog(rates, H, k))
    assert found.value == pytest.approx(value, rel=1e-6)
    what = f"lp, {H} hypotheses, {k} agents"
    record(f"{what}, the whole plan", unit="seconds", value=time_plan(predictions, "lp"))
    compare(what, unit="seconds", ours=ours, competitor="linprog on all pairs", theirs=theirs, at_least=at_least)


@pytest.mark.parametrize(
    ("solve", "form", "at_least"),
    [
        pytest.param(solve_by_sums, "as log_sum_exp", 20, id="as-written"),
        pytest.param(solve_by_shared_terms, "one exponential per pair", 5, id="shared-terms"),
    ],
)
def test_union_against_cvxpy(solve, form, at_least, compare, record):
    predictions = noisy_models(60, 8, 200)
    ours, found = repeat(lambda: counted(predictions), lambda fed: solve_union(fed, UnionProgram(fed)))
    rates = pair_rates(predictions)
    theirs, value = timed(lambda: solve(rates, 60, 8))
    assert found.value == pytest.approx(value, rel=1e-4)
    what = "union, 60 hypotheses, 8 agents"
    record(f"{what}, the whole plan", unit="seconds", value=time_plan(predictions, "union"))
    compare(
        what,
        unit="seconds",
        ours=ours,
        competitor=f"CVXPY with Clarabel, {form}",
        theirs=theirs,
        at_least=at_least,
    )


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


@pytest.mark.parametrize("method", ["lp", "union"])
@pytest.mark.parametrize(
    ("H", "k", "points"),
    [(H, 20, 200) for H in (125, 250, 500, 1000, 2000)] + [(50, k, 40) for k in (10, 100, 1000, 10_000)],
)
def test_growth(method, H, k, points, record):
    seconds = time_plan(noisy_models(H, k, points), method)
    record(f"{method}, {H} hypotheses, {k} agents", unit="seconds", value=seconds)
