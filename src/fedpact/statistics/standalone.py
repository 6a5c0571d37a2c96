"""n_ind(i): the fewest samples with which agent i alone meets its own target.

The paper bounds it by O((d + log(1/delta)) / epsilon) (Section 2, standalone bound), which fails for worst-case
ERM (ERRATA A7); here it is computed. More samples never hurt, so the least number is found by doubling and then
by cutting the bracket into many parts at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fedpact.describe.any_federation import takes_federation
from fedpact.describe.arrays import Bools, Ints
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized
from fedpact.describe.progress import Progress, count_done
from fedpact.statistics.engine import engine_of
from fedpact.statistics.request import ask

MOST = 2**40
_PARTS = 8


@memoized
def _least(fed: Federation, agent: int) -> int | None:
    engine = engine_of(fed)
    return find_least(lambda counts: engine.is_met(give_alone(fed.k, agent, counts), [agent])[:, 0])


def give_alone(k: int, agent: int, counts: Ints) -> Ints:
    """(B, k) one agent's counts (B,), and nothing of all others."""
    m = np.zeros((len(counts), k), dtype=np.int64)
    m[:, agent] = counts
    return m


def find_least(are_enough: Callable[[Ints], Bools], first: int = 1) -> int | None:
    """Least count that is enough; ``first`` is the first one to be tried after 0. None if 2^40 are too few."""
    if are_enough(np.array([0]))[0]:
        return 0
    low, high = 0, first
    while not are_enough(np.array([high]))[0]:
        low, high = high, 2 * high
        if high > MOST:
            return None
    return find_least_between(low, high, are_enough)


def find_least_between(low: int, high: int, are_enough: Callable[[Ints], Bools]) -> int:
    """Least count that is enough, where ``low`` is not and ``high`` is; many at once are asked about."""
    while high - low > 1:
        inner = np.unique(np.linspace(low, high, _PARTS + 1).astype(np.int64)[1:-1])
        inner = inner[(inner > low) & (inner < high)]
        high = min([high, *inner[are_enough(inner)].tolist()])
        low = max([low, *inner[inner < high].tolist()])
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """Why an agent cannot meet its target alone."""

    need: int | None
    """Samples that it needs; None if 2^40 are not enough."""
    capacity: int | None
    """Samples that it can label; None if there is no limit."""


def find_shortfalls(fed: Federation, needs: Mapping[str, int | None]) -> dict[str, Shortfall]:
    """Find for each agent that cannot meet its target alone, why."""
    return {
        agent.name: Shortfall(need=need, capacity=agent.capacity)
        for agent, need in zip(fed.agents, needs.values(), strict=True)
        if need is None or (agent.capacity is not None and need > agent.capacity)
    }


@takes_federation
def standalone(
    fed: Federation, *, teacher: str | None = None, progress: Progress | None = None
) -> dict[str, int | None]:
    """Fewest samples with which each agent alone meets its target, capacity aside; None if 2^40 are not enough.

    ``teacher`` is the hypothesis that labels, if that is known. ``progress`` is called with the number of agents
    done and their total. Where the failure is only bounded, the number is the least that the certified interval
    proves to be enough.

    Examples
    --------
    >>> from fedpact.describe.examples import alice_bob
    >>> standalone(alice_bob(epsilon=0.1, delta=0.05))
    {'alice': 14, 'bob': 14}
    """
    asked = ask(fed, teacher=teacher)
    return {name: _least(asked, agent) for agent, name in enumerate(count_done(fed.names, progress))}
