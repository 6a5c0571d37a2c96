"""Solving a game in normal form, by QuantEcon.

For two agents Lemke and Howson's pivots from every start, and all supports where they are few; of the solutions
the most mixed one is kept. For more agents McLennan and Tourky's simplicial algorithm, whose approximate answer
is sharpened by Newton's method on its support.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

from fedpact.errors import MissingExtraError, SolverError
from fedpact.game.normal_form import others_of

Mixture: TypeAlias = list[NDArray[np.float64]]
"""Each agent's probabilities of its strategies."""

SUPPORT = 1e-9
"""A strategy is used if its probability is above this."""
_APPROXIMATE = 1e-3
_MAX_ITERATIONS = 20_000
# Up to so many strategies of two agents all supports are tried for a properly mixed equilibrium.
_FEW_STRATEGIES = 8


def _as_game(payoffs: list[NDArray[np.float64]]) -> Any:
    """Build QuantEcon's game, whose players see the others in turn from the next one on."""
    from quantecon.game_theory import NormalFormGame, Player

    players = []
    for agent, payoff in enumerate(payoffs):
        others = list(range(1, len(payoffs)))
        players.append(Player(np.ascontiguousarray(payoff.transpose([0, *others[agent:], *others[:agent]]))))
    return NormalFormGame(players)


def _support_size(mixture: Mixture) -> int:
    return sum(int((shares > SUPPORT).sum()) for shares in mixture)


def _solve_two(payoffs: list[NDArray[np.float64]]) -> Mixture:
    """Solution with the largest support, of Lemke and Howson's algorithm from all starts and of all supports."""
    from quantecon.game_theory import lemke_howson, support_enumeration

    game = _as_game(payoffs)
    found = [lemke_howson(game, init_pivot=pivot, full_output=True) for pivot in range(sum(game.nums_actions))]
    mixtures = [mixture for mixture, report in found if report.converged]
    if max(game.nums_actions) <= _FEW_STRATEGIES:
        mixtures += support_enumeration(game)
    if not mixtures:
        raise SolverError("no mixed equilibrium was found", solver_status="Lemke-Howson did not converge")
    return max((list(mixture) for mixture in mixtures), key=_support_size)


def _expect(payoff: NDArray[np.float64], others: Mixture) -> NDArray[np.float64]:
    """Take the mean over the others' strategies."""
    for shares in reversed(others):
        payoff = payoff @ shares
    return payoff


def _sharpen(payoffs: list[NDArray[np.float64]], mixture: Mixture) -> Mixture:
    """Make every agent indifferent between the strategies it uses, by Newton's method; unchanged if that fails.

    The residual is what decides: to the last digit no solver calls itself successful.
    """
    supports = [np.flatnonzero(shares > _APPROXIMATE) for shares in mixture]
    small = []
    for agent, payoff in enumerate(payoffs):
        order = [agent, *(other for other in range(len(payoffs)) if other != agent)]
        small.append(payoff[np.ix_(*(supports[axis] for axis in order))])
    ends = np.cumsum([len(support) for support in supports])

    def unpack(x: NDArray[np.float64]) -> Mixture:
        return np.split(x[: ends[-1]], ends[:-1])

    def residual(x: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _solve_many(payoffs: list[NDArray[np.float64]]) -> Mixture:
    """Approximate solution of McLennan and Tourky's algorithm, sharpened on its support."""
    from quantecon.game_theory import mclennan_tourky

    found, report = mclennan_tourky(
        _as_game(payoffs), epsilon=_APPROXIMATE, max_iter=_MAX_ITERATIONS, full_output=True
    )
    if not report.converged:
        raise SolverError(
            "no mixed equilibrium was found",
            solver_status=f"McLennan-Tourky did not converge in {report.num_iter} iterations",
        )
    return _sharpen(payoffs, list(found))


def solve(payoffs: list[NDArray[np.float64]]) -> tuple[Mixture, str]:
    """Find an equilibrium of the game with these payoffs, and say how.

    Parameters
    ----------
    payoffs
        One array per agent, its own strategies along the first axis and the others' in order along the next.

    Examples
    --------
    >>> matching_pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> solve([matching_pennies, -matching_pennies.T])
    ([array([0.5, 0.5]), array([0.5, 0.5])], 'Lemke-Howson')
    """
    if all(len(payoff) == 1 for payoff in payoffs):
        return [np.ones(1) for _ in payoffs], "iterated dominance"
    if len(payoffs) == 1:
        return [np.eye(len(payoffs[0]))[payoffs[0].argmax()]], "iterated dominance"
    try:
        import quantecon.game_theory  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("a mixed equilibrium", extra="game") from error
    if len(payoffs) == 2:
        return _solve_two(payoffs), "Lemke-Howson"
    return _solve_many(payoffs), "McLennan-Tourky"
