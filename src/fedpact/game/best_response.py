"""What an agent does by itself: the least contribution that meets its own target, given the others'.

Agent i chooses m_i and cares about its own target alone (utility 1 if fail_i(m) <= delta, less c_i(m_i),
Equation 3 of the paper). Assumption 1, self-sufficiency, makes meeting the target worth what it costs alone, so
costs do not matter for what an agent does:

- its best response to the others is the least m_i with which its target is met. More data never harm
  (Assumption 2, here a theorem; ERRATA C3), so the condition is monotone in m_i and a one-dimensional search
  finds it; and the more the others give, the less it is.
- nobody contributes more than n_ind(i), what it needs alone: more is dominated (ERRATA C4).

The paper leaves out agents that are not self-sufficient. Here such an agent, whose capacity is below n_ind(i) or
for whom 2^40 samples are not enough, responds with the least m_i that is enough together with the others', and
with 0 where not even everything it has is enough. Its response is 0, then high, then falling as the others give
more.

The game is always about each agent's own target, also where the federation's guarantee is joint. Where fail_i
is only known within an interval, "met" and "missed" mean surely so; between them a question stays open.

*Regret* is what an agent would gain if it alone did something else. Agent i's utility is worth_i if its target is
met, less c_i(m_i). Its best response is the best it can do, whatever the target is worth, as long as that is more
than any strategy of its game costs. The paper measures everything in units of a target's worth (worth 1, and
c_i n_ind(i) < 1); a cost of 1 per sample, which makes the cost of a plan its number of samples, does not fit
that. So an agent's target is worth 1 where that is enough, and twice the cost of its largest strategy otherwise;
another worth may be given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Floats
from fedpact.describe.federation import Federation
from fedpact.describe.numbers import Number, read_number
from fedpact.describe.settings import Assumed, Contributions, PerAgent, read_per_agent
from fedpact.errors import FederationError
from fedpact.game.game import Game, Profiles, check_profiles, game_of, respond, with_count
from fedpact.result import Result
from fedpact.statistics.request import ask
from fedpact.statistics.verification import read_contributions


def _read_profiles(fed: Federation, m: NDArray[Any]) -> Profiles:
    """Check many contribution vectors at once, the largest of each agent as :func:`fedpact.verify` does."""
    if m.shape[1] != fed.k or m.dtype.kind not in "iu" or (m < 0).any():
        raise FederationError(
            f"m must hold a whole number >= 0 for each of {fed.k} agents in every row; it is an array of "
            f"{m.dtype} of shape {m.shape}"
        )
    if len(m):
        read_contributions(fed, m.max(axis=0))
    return m.astype(np.int64)


@takes_federation
def best_response(
    fed: Federation, m: Contributions | Sequence[Sequence[int]], *, teacher: str | None = None
) -> NDArray[np.int64]:
    """Best response of every agent to what the others contribute.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    m
        One profile, as for :func:`fedpact.verify`, or (B, k) many at once.
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.

    Returns
    -------
    ndarray
        (k,) or (B, k): the least contribution with which each agent's own target is met, the others
        as in ``m``; 0 where the agent cannot meet it.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> best_response(alice_bob(), [2, 3])
    array([2, 3])
    >>> best_response(alice_bob(), [[0, 0], [1, 7]]).tolist()
    [[14, 14], [1, 7]]
    """
    has_many = not isinstance(m, Mapping) and np.asarray(m).ndim == 2
    profiles = _read_profiles(fed, np.asarray(m)) if has_many else read_contributions(fed, m)[None]
    game = game_of(ask(fed, teacher=teacher))
    answers = np.stack([respond(game, profiles, agent) for agent in range(fed.k)], axis=1)
    return answers if has_many else answers[0]


class RegretStatus(StrEnum):
    """Whether a profile is an equilibrium."""

    EQUILIBRIUM = "equilibrium"
    """Nobody gains by deviating alone."""
    NO_EQUILIBRIUM = "no-equilibrium"
    """Somebody gains by deviating alone."""
    UNDECIDED = "undecided"
    """Bounds cannot tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regret(Assumed, Result):
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


def read_worth(game: Game, worth: Any) -> Floats:
    """(k,) what meeting its target is worth to each agent, checked against what it may have to spend."""
    costs = game.fed.costs_by_agent(game.most)
    if worth is None:
        return np.where(costs < 1, 1.0, 2 * costs)
    given = read_per_agent(game.fed.names, worth, "worth", lambda value: read_number(value, "worth"))
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


@takes_federation
def regret(
    fed: Federation, m: Contributions, *, worth: PerAgent[Number] | None = None, teacher: str | None = None
) -> Regret:
    """Compute what each agent would gain by deviating alone from the profile ``m``.

    Parameters
    ----------
    fed
        The federation, its file, or the name of an example.
    m
        The profile, as for :func:`fedpact.verify`.
    worth
        What meeting its target is worth: one number, a sequence or a mapping. By default 1 where that is more
        than the agent's largest strategy costs, else twice that cost.
    teacher
        The hypothesis that labels the samples, if that is known; else any may be the truth.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> seen = regret(alice_bob(), [4, 3])
    >>> seen.regret, seen.best_response
    ({'alice': 2.0, 'bob': 1.0}, {'alice': 2, 'bob': 2})
    >>> [regret(alice_bob(), m).is_equilibrium for m in ([14, 0], [2, 3], [3, 3], [2, 2])]
    [True, True, False, False]
    """
    fed = ask(fed, teacher=teacher)
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
        assume=fed.assume,
        noise=fed.noise,
    )
