"""A mixed equilibrium: agents draw their contributions at random, and none gains by drawing otherwise.

It exists even where no pure one does (Theorem 5 of the paper; its Assumption 2 is neither true nor needed,
ERRATA C3). QuantEcon finds it among the strategies that are not dominated; everything it says
is checked anew: the regret of every agent is against all its strategies, the dominated ones too, and comes from
best responses to every profile that the others may draw instead of the payoffs that the solver was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number
from fedpact.describe.settings import Assumed, PerAgent
from fedpact.game.best_response import read_worth
from fedpact.game.game import Game, game_of
from fedpact.game.normal_form import (
    NEVER,
    Strategies,
    are_certain,
    drop_dominated,
    others_of,
    payoffs_of,
    responses_of,
)
from fedpact.game.solve_mixed import SUPPORT, Mixture, Solver, solve
from fedpact.result import Result
from fedpact.rows import Column
from fedpact.statistics.request import ask

# Up to this share of what an agent may spend on its target, or of its worth if less, a regret is rounding.
_REGRET_TOL = 1e-6


class MixedStatus(StrEnum):
    """How good a mixed equilibrium is."""

    VERIFIED = "verified"
    """Nobody gains by deviating, up to rounding."""
    CAUTIOUS = "cautious"
    """An equilibrium of agents who count a target as met only where bounds prove it."""
    APPROXIMATE = "approximate"
    """The regret says how much somebody can gain by deviating."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedEquilibrium(Assumed, Result):
    """With which probability each agent contributes how much."""

    strategies: dict[str, dict[int, float]]
    """Agent to contribution to probability; contributions that are never drawn are left out."""
    probability_met: dict[str, float]
    """Probability that the contributions drawn meet each target."""
    expected_cost: float
    expected_contributions: dict[str, float]
    regret: dict[str, float]
    """The most that each agent would gain by deviating, found by our own check."""
    worth: dict[str, float]
    """What meeting its target is worth to each agent."""
    considered: dict[str, int]
    """How many strategies of each agent are not dominated."""
    status: MixedStatus
    method: Solver

    @property
    def is_pure(self) -> bool:
        """Whether nothing is left to chance."""
        return all(len(mixture) == 1 for mixture in self.strategies.values())

    @property
    def largest_regret(self) -> float:
        """The largest regret of any agent."""
        return max(self.regret.values())

    def own_columns(self) -> list[Column]:
        """Give a row for every contribution that somebody draws."""
        drawn = [(name, *one) for name, mixture in self.strategies.items() for one in mixture.items()]
        return [
            Column("agent", str, tuple(name for name, _, _ in drawn)),
            Column("samples", int, tuple(count for _, count, _ in drawn)),
            Column("probability", float, tuple(share for _, _, share in drawn)),
            Column("probability_met", float, tuple(self.probability_met[name] for name, _, _ in drawn)),
            Column("regret", float, tuple(self.regret[name] for name, _, _ in drawn)),
        ]


@dataclass(frozen=True, slots=True)
class _Play:
    """What a mixture means for one agent."""

    cost: float
    met: float
    regret: float
    is_certain: bool
    """Whether all its responses to the others are known, not only bounded."""


def _look_at(game: Game, strategies: Strategies, mixture: Mixture, worth: float, agent: int) -> _Play:
    """Look at one agent: expected cost, chance of meeting its target and regret, from best responses alone."""
    needs = responses_of(game, strategies, agent).ravel()
    chances = np.ones(1)
    for shares in others_of(agent, mixture):
        chances = np.multiply.outer(chances, shares).ravel()
    options = np.unique(np.append(np.where(needs == NEVER, 0, needs), [0, *strategies[agent].tolist()]))
    met = np.array([chances[needs <= option].sum() for option in options])
    cost = game.fed.agents[agent].cost(options)
    utility = worth * met - cost
    own = np.searchsorted(options, strategies[agent])
    return _Play(
        cost=float(mixture[agent] @ cost[own]),
        met=float(mixture[agent] @ met[own]),
        regret=max(0.0, float(utility.max() - mixture[agent] @ utility[own])),
        is_certain=are_certain(game, strategies, agent, needs),
    )


@takes_federation
def mixed_equilibrium(
    fed: Federation, *, worth: PerAgent[Number] | None = None, teacher: str | None = None
) -> MixedEquilibrium:
    """Find one mixed equilibrium and check it; needs ``fedpact[game]``.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    worth
        What meeting its target is worth: one number, a sequence or a mapping. By default 1 where that is more
        than the agent's largest strategy costs, else twice that cost.
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.

    Raises
    ------
    FederationError
        If there are too many profiles, or a target is worth less than it may cost.
    MissingExtraError
        If QuantEcon is not installed.

    Examples
    --------
    >>> from fedpact.describe.examples import no_pure_equilibrium
    >>> found = mixed_equilibrium(no_pure_equilibrium())
    >>> {name: {m: round(p, 6) for m, p in mix.items()} for name, mix in found.strategies.items()}["agent-1"]
    {0: 0.5, 1: 0.5}
    >>> round(found.expected_cost, 6), round(found.probability_met["agent-1"], 6)
    (0.75, 0.75)
    """
    game = game_of(ask(fed, teacher=teacher))
    worths = read_worth(game, worth)
    strategies = drop_dominated(game)
    considered = dict(zip(fed.names, [len(kept) for kept in strategies], strict=True))
    mixture, method = solve(payoffs_of(game, strategies, worths))
    used = [shares > SUPPORT for shares in mixture]
    strategies = [kept[some] for kept, some in zip(strategies, used, strict=True)]
    mixture = [shares[some] / shares[some].sum() for shares, some in zip(mixture, used, strict=True)]
    plays = [_look_at(game, strategies, mixture, float(worths[i]), i) for i in range(fed.k)]
    stakes = np.minimum(worths, fed.costs_by_agent(game.most))
    is_close = all(play.regret <= _REGRET_TOL * stake for play, stake in zip(plays, stakes, strict=True))
    known = MixedStatus.VERIFIED if all(play.is_certain for play in plays) else MixedStatus.CAUTIOUS
    return MixedEquilibrium(
        strategies={
            name: dict(zip(kept.tolist(), shares.tolist(), strict=True))
            for name, kept, shares in zip(fed.names, strategies, mixture, strict=True)
        },
        probability_met={name: play.met for name, play in zip(fed.names, plays, strict=True)},
        expected_cost=sum(play.cost for play in plays),
        expected_contributions={
            name: float(shares @ kept) for name, kept, shares in zip(fed.names, strategies, mixture, strict=True)
        },
        regret={name: play.regret for name, play in zip(fed.names, plays, strict=True)},
        worth=dict(zip(fed.names, worths.tolist(), strict=True)),
        considered=considered,
        status=known if is_close else MixedStatus.APPROXIMATE,
        method=method,
        assume=fed.assume,
        noise=fed.noise,
    )
