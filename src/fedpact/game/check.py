"""Whether a profile is an equilibrium, and whose targets it misses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedpact.game.game import Game, Profiles, with_count


def check_profiles(game: Game, m: Profiles) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(B,) whether each profile surely is an equilibrium, and whether it surely is not."""
    surely, surely_not = np.ones(len(m), dtype=bool), np.zeros(len(m), dtype=bool)
    for agent in range(game.fed.k):
        met, missed = game.judge(m, agent)
        gives = m[:, agent] > 0
        less = with_count(m[gives], agent, m[gives, agent] - 1)
        content, unsettled = met.copy(), missed.copy()
        less_met, less_missed = game.judge(less, agent)
        content[gives] &= less_missed
        unsettled[gives] |= less_met
        if not game.is_self_sufficient[agent]:
            most_met, most_missed = game.judge(with_count(m[~gives], agent, game.most[agent]), agent)
            content[~gives] |= most_missed
            unsettled[~gives] &= most_met
        surely &= content
        surely_not |= unsettled
    return surely, surely_not


def find_unmet(game: Game, m: Profiles) -> NDArray[np.bool_]:
    """(B, k) whose target an equilibrium misses: of agents who cannot meet it alone, those who do not reach it."""
    unmet = np.zeros(m.shape, dtype=bool)
    for agent in np.flatnonzero(~game.is_self_sufficient):
        unmet[:, agent] = ~game.judge(m, int(agent))[0]
    return unmet
