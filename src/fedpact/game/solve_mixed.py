"""Solving a game in normal form, by QuantEcon.

For two agents Lemke and Howson's pivots from every start, and all supports where they are few; of the solutions
the most mixed one is kept. For more agents McLennan and Tourky's simplicial algorithm, whose approximate answer
is sharpened by Newton's method on its support.

A sample may cost next to nothing against what a target is worth, and then what is close to an equilibrium by the
solver's measure may be far from any. So answers whose regret is more than rounding are passed over while there
are others; for more agents the algorithm is asked again for a closer one, and then for a pure one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import root

from fedpact.describe.arrays import Floats
from fedpact.errors import MissingExtraError, SolverError
from fedpact.game.normal_form import others_of

Mixture: TypeAlias = list[Floats]
"""Each agent's probabilities of its strategies."""

SUPPORT = 1e-13
"""A strategy is used if its probability is above this."""
_CLOSENESS = (1e-3, 1e-5, 1e-7)
_ROUNDING = 1e-12
_MAX_ITERATIONS = 20_000
# Up to so many strategies of two agents all supports are tried for a properly mixed equilibrium.
_FEW_STRATEGIES = 8


class Solver(StrEnum):
    """How a mixed equilibrium was found."""

    DOMINANCE = "iterated-dominance"
    """Only one strategy of each agent was left when dominated ones were struck out."""
    LEMKE_HOWSON = "lemke-howson"
    """Lemke and Howson's algorithm, for two agents."""
    SUPPORTS = "support-enumeration"
    """Every pair of supports was tried, for two agents with few strategies."""
    MCLENNAN_TOURKY = "mclennan-tourky"
    """McLennan and Tourky's algorithm, for more than two agents."""
    EVERY_PROFILE = "every-profile"
    """Every profile was tried for a pure equilibrium."""


def _as_game(payoffs: list[Floats]) -> Any:
    """Build QuantEcon's game from the payoffs of every profile."""
    from quantecon.game_theory import NormalFormGame

    return NormalFormGame(np.stack([np.moveaxis(payoff, 0, agent) for agent, payoff in enumerate(payoffs)], -1))


def _expect(payoff: Floats, others: Mixture) -> Floats:
    """Take the mean over the others' strategies."""
    for shares in reversed(others):
        payoff = payoff @ shares
    return payoff


def _largest_regret(payoffs: list[Floats], mixture: Mixture) -> float:
    utilities = [_expect(payoff, others_of(agent, mixture)) for agent, payoff in enumerate(payoffs)]
    return max(float(u.max() - own @ u) for u, own in zip(utilities, mixture, strict=True))


def _solve_two(payoffs: list[Floats]) -> tuple[Mixture, Solver]:
    """Solution with the largest support, of Lemke and Howson's algorithm from all starts and of all supports."""
    from quantecon.game_theory import lemke_howson, support_enumeration

    game = _as_game(payoffs)
    found = [lemke_howson(game, init_pivot=pivot, full_output=True) for pivot in range(sum(game.nums_actions))]
    solutions = [(list(mixture), Solver.LEMKE_HOWSON) for mixture, report in found if report.converged]
    if max(game.nums_actions) <= _FEW_STRATEGIES:
        solutions += [(list(mixture), Solver.SUPPORTS) for mixture in support_enumeration(game)]
    if not solutions:
        raise SolverError("no mixed equilibrium was found", solver_status="Lemke-Howson did not converge")
    regrets = [_largest_regret(payoffs, mixture) for mixture, _ in solutions]
    most = max(_ROUNDING, min(regrets))
    close = [solution for solution, regret in zip(solutions, regrets, strict=True) if regret <= most]
    return max(close, key=lambda solution: sum(np.count_nonzero(shares > SUPPORT) for shares in solution[0]))


def _sharpen(payoffs: list[Floats], mixture: Mixture, closeness: float) -> Mixture:
    """Make every agent indifferent between the strategies it uses, by Newton's method; unchanged if that fails.

    The residual is what decides: to the last digit no solver calls itself successful.
    """
    supports = [np.flatnonzero(shares > closeness) for shares in mixture]
    small = []
    for agent, payoff in enumerate(payoffs):
        order = [agent, *(other for other in range(len(payoffs)) if other != agent)]
        small.append(payoff[np.ix_(*(supports[axis] for axis in order))])
    ends = np.cumsum([len(support) for support in supports])

    def unpack(x: Floats) -> Mixture:
        return np.split(x[: ends[-1]], ends[:-1])

    def residual(x: Floats) -> Floats:
        shares, values = unpack(x), x[ends[-1] :]
        gaps = [_expect(payoff, others_of(agent, shares)) - values[agent] for agent, payoff in enumerate(small)]
        return np.concatenate([*gaps, [own.sum() - 1 for own in shares]])

    start = [shares[support] / shares[support].sum() for shares, support in zip(mixture, supports, strict=True)]
    values = [_expect(payoff, others_of(agent, start)).max() for agent, payoff in enumerate(small)]
    before = np.concatenate([*start, values])
    after = root(residual, before, tol=1e-14).x
    shares = unpack(after)
    is_closer = np.abs(residual(after)).max() <= np.abs(residual(before)).max()
    if not is_closer or min(own.min() for own in shares) < 0:
        return mixture
    sharp = [np.zeros(len(own)) for own in mixture]
    for own, support, share in zip(sharp, supports, shares, strict=True):
        own[support] = share / share.sum()
    return sharp


def _find_pure(payoffs: list[Floats]) -> list[Mixture]:
    """Give a pure equilibrium, if there is one."""
    is_best = np.ones(payoffs[0].shape, dtype=bool)
    for agent, payoff in enumerate(payoffs):
        is_best &= np.moveaxis(payoff >= payoff.max(axis=0), 0, agent)
    return [
        [np.eye(len(payoff))[at] for payoff, at in zip(payoffs, place, strict=True)]
        for place in np.argwhere(is_best)[:1]
    ]


def _solve_many(payoffs: list[Floats]) -> tuple[Mixture, Solver]:
    """Solution of McLennan and Tourky's algorithm, sharpened on its support; a pure one if that is far off."""
    from quantecon.game_theory import mclennan_tourky

    game = _as_game(payoffs)
    solutions: list[tuple[Mixture, Solver]] = []
    for closeness in _CLOSENESS:
        found, report = mclennan_tourky(game, epsilon=closeness, max_iter=_MAX_ITERATIONS, full_output=True)
        if not report.converged:
            break
        solutions.append((_sharpen(payoffs, list(found), closeness), Solver.MCLENNAN_TOURKY))
        if _largest_regret(payoffs, solutions[-1][0]) <= _ROUNDING:
            return solutions[-1]
    solutions += [(mixture, Solver.EVERY_PROFILE) for mixture in _find_pure(payoffs)]
    if not solutions:
        raise SolverError(
            "no mixed equilibrium was found",
            solver_status=f"McLennan-Tourky did not converge in {_MAX_ITERATIONS} iterations",
        )
    return min(solutions, key=lambda solution: _largest_regret(payoffs, solution[0]))


def solve(payoffs: list[Floats]) -> tuple[Mixture, Solver]:
    """Find an equilibrium of the game with these payoffs, and say how.

    Parameters
    ----------
    payoffs
        One array per agent, its own strategies along the first axis and the others' in order along the next.

    Examples
    --------
    >>> matching_pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> solve([matching_pennies, -matching_pennies.T])
    ([array([0.5, 0.5]), array([0.5, 0.5])], <Solver.LEMKE_HOWSON: 'lemke-howson'>)
    """
    if all(len(payoff) == 1 for payoff in payoffs):
        return [np.ones(1) for _ in payoffs], Solver.DOMINANCE
    if len(payoffs) == 1:
        return [np.eye(len(payoffs[0]))[payoffs[0].argmax()]], Solver.DOMINANCE
    try:
        import quantecon.game_theory  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("a mixed equilibrium", extra="game") from error
    if len(payoffs) == 2:
        return _solve_two(payoffs)
    return _solve_many(payoffs)
