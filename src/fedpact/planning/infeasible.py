"""Why there is no plan: whose target and which pair of hypotheses block it, and what to raise."""

from __future__ import annotations

import numpy as np

from fedpact.describe.arrays import Floats
from fedpact.describe.federation import Federation
from fedpact.errors import InfeasibleError, NoPlanFoundError
from fedpact.statistics.weights import JOINT


def _name(fed: Federation, pair: tuple[int, int]) -> tuple[str, str]:
    return fed.hypotheses[pair[0]], fed.hypotheses[pair[1]]


def unreachable(
    fed: Federation, requirement: int, pair: tuple[int, int], method: str | None = None
) -> InfeasibleError:
    """Say whose target and which pair the capacities leave no way to meet, at all or by one ``method``."""
    agents = fed.names if requirement == JOINT else (fed.names[requirement],)
    whose = "all agents together" if requirement == JOINT else f"{agents[0]!r}"
    truth, other = _name(fed, pair)
    if method is None:
        return InfeasibleError(
            f"no plan exists: with everybody at capacity {whose} still misses the target, because {other!r} "
            f"too often survives when {truth!r} is the truth; raise a capacity or the tolerance",
            agents=agents,
            pair=(truth, other),
            code="capacity",
        )
    why = (
        f"even with everybody at capacity it cannot rule out {other!r} for {whose} when {truth!r} is the "
        f"truth; another method may; or raise a capacity or the tolerance"
    )
    return NoPlanFoundError(method, why, agents=agents, pair=(truth, other))


def never_certain(fed: Federation, pair: tuple[int, int], p: Floats) -> InfeasibleError:
    """Say that a pair at rates ``p`` (k,) has to be told apart for certain, which no number of samples does."""
    agent = fed.names[int(np.argmax(p - fed.epsilon))]
    truth, other = _name(fed, pair)
    return InfeasibleError(
        f"no plan exists: agent {agent!r} tolerates no error and no number of samples rules out "
        f"{other!r} for certain when {truth!r} is the truth; raise its epsilon",
        agents=(agent,),
        pair=(truth, other),
        code="certainty",
    )


def too_few_for_cover(fed: Federation, requirement: int, pair: tuple[int, int]) -> InfeasibleError:
    """Say which two members of a cover the capacities do not tell apart as often as its theorem asks."""
    agent, (truth, other) = fed.names[requirement], _name(fed, pair)
    return InfeasibleError(
        f"no plan is found: with everybody at capacity too few samples tell {truth!r} from {other!r}, which "
        f"agent {agent!r} needs; raise a capacity, epsilon or delta, or plan for Federation.from_points",
        agents=(agent,),
        pair=(truth, other),
    )
