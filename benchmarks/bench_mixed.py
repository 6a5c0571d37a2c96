"""A mixed equilibrium of two agents, from the distributions to the mixture, against general solvers.

The competitors get the payoffs of every profile, all of an agent evaluated in one call of our own guarantee
engine: a user has no faster way to them. They are nashpy's support enumeration, vertex enumeration and
Lemke-Howson, and QuantEcon's Lemke-Howson from one start, and from all. Ours gives QuantEcon only the strategies
that are not dominated, tries every start (and every support where they are few), keeps the most mixed answer and
checks its regret against every strategy. So this compares whole ways, not pivots: on a small table one
Lemke-Howson run is faster than ours, and says so; enumeration takes exponential time; on a large table, building
it is what costs.

nashpy's Lemke-Howson stops with an error on the largest game (its tableau overflows) or goes round in circles;
that is recorded. What its enumerations list is not always an equilibrium; one that is must be among it.
"""

from __future__ import annotations

from collections.abc import Callable

import nashpy
import numpy as np
import pytest
from numpy.typing import NDArray
from quantecon.game_theory import NormalFormGame, Player, lemke_howson

import fedpact as fp
from bench_game import WORTH, payoff_tensors, rebuild
from instances import rare_cases
from timing import Work, in_turns, time_limit

Matrix = NDArray[np.float64]
Mixtures = list[tuple[Matrix, Matrix]]


def two_clinics(rare: float, delta: float) -> fp.Federation:
    """Describe two clinics, to each of which the other's frequent patients are rare."""
    labels = [[0, 0], [0, 1], [1, 0], [1, 1]]
    seen = [[1 - rare, rare], [rare, 1 - rare]]
    return fp.Federation.from_table(labels, seen, epsilon=rare / 2, delta=delta)


def quantecon_game(A: Matrix, B: Matrix) -> NormalFormGame:
    return NormalFormGame([Player(A), Player(np.ascontiguousarray(B.T))])


def pivot_once(A: Matrix, B: Matrix) -> Mixtures:
    return [lemke_howson(quantecon_game(A, B))]


def pivot_from_everywhere(A: Matrix, B: Matrix) -> Mixtures:
    game = quantecon_game(A, B)
    return [lemke_howson(game, init_pivot=start) for start in range(sum(game.nums_actions))]


def pivot_by_nashpy(A: Matrix, B: Matrix) -> Mixtures:
    return [nashpy.Game(A, B).lemke_howson(initial_dropped_label=0)]


def enumerate_supports(A: Matrix, B: Matrix) -> Mixtures:
    return list(nashpy.Game(A, B).support_enumeration())


def enumerate_vertices(A: Matrix, B: Matrix) -> Mixtures:
    return list(nashpy.Game(A, B).vertex_enumeration())


def solve(call: Callable[[Matrix, Matrix], Mixtures]) -> Callable[[fp.Federation], Mixtures]:
    """From the distributions to the mixtures."""
    return lambda fed: call(*payoff_tensors(fed))


def solve_ours(fed: fp.Federation) -> fp.game.MixedEquilibrium:
    return fp.mixed_equilibrium(rebuild(fed), worth=WORTH)


def least_regret(fed: fp.Federation, mixtures: Mixtures) -> float:
    """Most that somebody gains by deviating from the best of these: nashpy lists some that are no equilibria."""
    A, B = payoff_tensors(fed)
    return float(min(max((A @ y).max() - x @ A @ y, (x @ B).max() - x @ B @ y) for x, y in mixtures))


PATIENCE = 60
"""Seconds that nashpy is given for one answer."""
SMALL = ("6 strategies each", lambda: two_clinics(0.3, 0.2))
MIDDLE = ("60 strategies each", lambda: rare_cases(60, 2))
LARGE = ("480 strategies each", lambda: rare_cases(480, 2))


@pytest.mark.parametrize(
    ("case", "competitor", "call", "at_least"),
    [
        pytest.param(SMALL, "nashpy's support enumeration", enumerate_supports, 3, id="supports"),
        pytest.param(SMALL, "nashpy's vertex enumeration", enumerate_vertices, 3, id="vertices"),
        pytest.param(SMALL, "nashpy's Lemke-Howson, one start", pivot_by_nashpy, 0.01, id="nashpy-small"),
        pytest.param(SMALL, "QuantEcon's Lemke-Howson, one start", pivot_once, 0.01, id="quantecon-small"),
        pytest.param(MIDDLE, "nashpy's Lemke-Howson, one start", pivot_by_nashpy, 0.1, id="nashpy-middle"),
        pytest.param(MIDDLE, "QuantEcon's Lemke-Howson, one start", pivot_once, 0.1, id="quantecon-middle"),
        pytest.param(LARGE, "QuantEcon's Lemke-Howson, one start", pivot_once, 2, id="quantecon-large"),
        pytest.param(LARGE, "QuantEcon's Lemke-Howson, all starts", pivot_from_everywhere, 10, id="all-starts"),
    ],
)
def test_mixed(case, competitor, call, at_least, compare):
    size, describe = case
    fed = describe()
    solve_ours(fed), solve(pivot_once)(fed)
    ours, theirs = in_turns(Work(lambda _: solve_ours(fed)), Work(lambda _: solve(call)(fed)))
    assert ours.answer.status is fp.game.MixedStatus.VERIFIED
    assert least_regret(fed, theirs.answer) < 1e-6
    compare(
        f"a mixed equilibrium, 2 agents, {size}",
        unit="seconds",
        ours=ours.seconds,
        competitor=f"payoff table and {competitor}",
        theirs=theirs.seconds,
        at_least=at_least,
    )


def test_where_nashpy_stops(record):
    """Whether nashpy's Lemke-Howson answers; if it ever does, its time belongs into the table above."""
    size, describe = LARGE
    payoffs = payoff_tensors(describe())
    try:
        with np.errstate(all="ignore"), time_limit(PATIENCE):
            pivot_by_nashpy(*payoffs)
    except (TimeoutError, ValueError):  # round in circles, a singular matrix, or no label to drop
        does_answer = 0.0
    else:
        does_answer = 1.0
    record(f"nashpy's Lemke-Howson answers, 2 agents, {size}", unit="(1: yes)", value=does_answer)
