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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.settings import Contributions
from fedpact.errors import FederationError
from fedpact.game.game import Profiles, respond
from fedpact.game.make_game import game_of
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


def best_response(fed: Federation, m: Contributions | Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Best response of every agent to what the others contribute.

    Parameters
    ----------
    fed
        The federation.
    m
        One profile, as for :func:`fedpact.verify`, or (B, k) many at once.

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
    game = game_of(fed)
    answers = np.stack([respond(game, profiles, agent) for agent in range(fed.k)], axis=1)
    return answers if has_many else answers[0]
