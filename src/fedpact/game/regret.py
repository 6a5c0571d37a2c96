"""Regret: what each agent would gain if it alone did something else.

Agent i's utility is worth_i if its target is met, less c_i(m_i) (Equation 3). Its best response (see
:mod:`fedpact.game.best_response`) is the best it can do, whatever the target is worth, as long as that is more
than any strategy of its game costs. The paper measures everything in units of a target's worth (worth 1, and
c_i n_ind(i) < 1); a cost of 1 per sample, which makes the cost of a plan its number of samples, does not fit
that. So an agent's target is worth 1 where that is enough, and twice the cost of its largest strategy otherwise;
another worth may be given.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number, read_number
from fedpact.describe.settings import Contributions, PerAgent, read_per_agent
from fedpact.errors import FederationError, Problems
from fedpact.game.best_response import best_response
from fedpact.game.check import check_profiles
from fedpact.game.game import Game, Profiles, with_count
from fedpact.game.make_game import game_of
from fedpact.result import Result
from fedpact.statistics.verification import read_contributions


class RegretStatus(StrEnum):
    """Whether a profile is an equilibrium."""

    EQUILIBRIUM = "equilibrium"
    """Nobody gains by deviating alone."""
    NO_EQUILIBRIUM = "no-equilibrium"
    """Somebody gains by deviating alone."""
    UNDECIDED = "undecided"
    """Bounds cannot tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regret(Result):
    """What each agent would gain by deviating alone."""

    DERIVED: ClassVar = ("largest", "is_equilibrium")

    regret: dict[str, float]
    """Zero for whoever plays a best response."""
    best_response: dict[str, int]
    contributions: dict[str, int]
    met: dict[str, bool]
    """Whether each target is met."""
    worth: dict[str, float]
    """What meeting its target is worth to each agent."""
    status: RegretStatus

    @property
    def largest(self) -> float:
        """The largest regret of any agent."""
        return max(self.regret.values())

    @property
    def is_equilibrium(self) -> bool:
        """Whether no agent gains; where only bounds are known, whether that is certain."""
        return self.status is RegretStatus.EQUILIBRIUM


def largest_costs(game: Game) -> NDArray[np.float64]:
    """(k,) what each agent's largest strategy costs."""
    return np.array([float(a.cost(most)) for a, most in zip(game.fed.agents, game.most.tolist(), strict=True)])


def read_worth(game: Game, worth: Any) -> NDArray[np.float64]:
    """(k,) what meeting its target is worth to each agent, checked against what it may have to spend."""
    costs = largest_costs(game)
    if worth is None:
        return np.where(costs < 1, 1.0, 2 * costs)
    problems = Problems()
    given = read_per_agent(game.fed.names, worth, "worth", lambda value: read_number(value, "worth"), problems)
    problems.raise_if_any()
    values = np.array(given)
    for name, value, cost in zip(game.fed.names, values.tolist(), costs.tolist(), strict=True):
        if not value > cost:
            raise FederationError(
                f"worth must be above what an agent may have to spend on its target, {cost:g} for {name!r}; "
                f"it is {value:g}"
            )
    return values


def _judge(game: Game, profile: Profiles) -> RegretStatus:
    (surely,), (surely_not,) = check_profiles(game, profile)
    if surely:
        return RegretStatus.EQUILIBRIUM
    return RegretStatus.NO_EQUILIBRIUM if surely_not else RegretStatus.UNDECIDED


def regret(fed: Federation, m: Contributions, *, worth: PerAgent[Number] | None = None) -> Regret:
    """Compute what each agent would gain by deviating alone from the profile ``m``.

    Parameters
    ----------
    fed
        The federation.
    m
        The profile, as for :func:`fedpact.verify`.
    worth
        What meeting its target is worth: one number, a sequence or a mapping. By default 1 where that is more
        than the agent's largest strategy costs, else twice that cost.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> seen = regret(alice_bob(), [4, 3])
    >>> seen.regret, seen.best_response
    ({'alice': 2.0, 'bob': 1.0}, {'alice': 2, 'bob': 2})
    >>> [regret(alice_bob(), m).is_equilibrium for m in ([14, 0], [2, 3], [3, 3], [2, 2])]
    [True, True, False, False]
    """
    game = game_of(fed)
    profile = read_contributions(fed, m)[None]
    worths = read_worth(game, worth)
    response = best_response(fed, profile)[0]
    regrets, met = {}, {}
    for i, agent in enumerate(fed.agents):
        met[agent.name] = bool(game.judge(profile, i)[0][0])
        would_be_met = bool(game.judge(with_count(profile, i, response[i]), i)[0][0])
        gain = float(worths[i]) * (would_be_met - met[agent.name])
        spent = float(agent.cost(profile[0, i]))
        # Against more than the others ever give, a response may cost more than the target is worth.
        by_giving_up = spent - float(worths[i]) * met[agent.name]
        regrets[agent.name] = max(0.0, gain + spent - float(agent.cost(response[i])), by_giving_up)
    return Regret(
        regret=regrets,
        best_response=dict(zip(fed.names, response.tolist(), strict=True)),
        contributions=dict(zip(fed.names, profile[0].tolist(), strict=True)),
        met=met,
        worth=dict(zip(fed.names, worths.tolist(), strict=True)),
        status=_judge(game, profile),
    )
