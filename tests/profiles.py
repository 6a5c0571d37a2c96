"""The game by trying every profile, with the inclusion and exclusion of grid.py; shares no code with the game."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

import fedpact as fp
from grid import draw_question, requirement_values

MOST_ALONE = 400


@dataclass(frozen=True)
class Played:
    """Every profile of a game and who is content with it."""

    question: object
    most: tuple[int, ...]
    """Each agent's largest strategy."""
    met: np.ndarray
    """(k, m_1 + 1, ..., m_k + 1) whether agent i's target is met."""


def targets_met(question, grid):
    """(k, B) whether each agent's own target is met."""
    k = len(question.epsilon)
    met = np.ones((k, len(grid)), dtype=bool)
    for place, (value, limit) in enumerate(requirement_values(replace(question, guarantee="per-agent"), grid)):
        met[place % k] &= value <= limit + 1e-9
    return met


def alone(question, agent):
    """Fewest samples with which an agent alone meets its target; None if MOST_ALONE are not enough."""
    grid = np.zeros((MOST_ALONE + 1, len(question.epsilon)), dtype=int)
    grid[:, agent] = np.arange(MOST_ALONE + 1)
    enough = np.flatnonzero(targets_met(question, grid)[agent])
    return int(enough[0]) if len(enough) else None


def play(question, most_profiles=20_000):
    """Try every profile; None if they are too many."""
    needs = [alone(question, agent) for agent in range(len(question.epsilon))]
    if None in needs:
        return None
    most = tuple(
        need if cap is None else min(need, cap) for need, cap in zip(needs, question.capacity, strict=True)
    )
    if np.prod([size + 1.0 for size in most]) > most_profiles:
        return None
    grid = np.array(list(product(*(range(size + 1) for size in most))))
    met = targets_met(question, grid).reshape(len(most), *(size + 1 for size in most))
    return Played(question=question, most=most, met=met)


def responses(played, agent):
    """Least contribution that is enough, or 0 where none is, broadcast over the agent's own axis."""
    met = played.met[agent]
    least = np.where(met.any(axis=agent), met.argmax(axis=agent), 0)
    return np.expand_dims(least, agent)


def equilibria(played):
    """Every profile in which each agent plays its best response, in lexicographic order."""
    k = len(played.most)
    at_rest = np.ones(played.met.shape[1:], dtype=bool)
    for agent in range(k):
        own = np.arange(played.most[agent] + 1).reshape([-1 if axis == agent else 1 for axis in range(k)])
        at_rest &= own == responses(played, agent)
    return [tuple(int(count) for count in m) for m in np.argwhere(at_rest)]


def random_game(seed):
    """Two to four agents, few enough samples for every profile to be tried."""
    return draw_question(
        seed, agents=(2, 5), points=(2, 6), most_weight=4, capacity=(1, 12), guarantees=("per-agent", "joint")
    )


def many_equilibria():
    """Three agents, more than 300 equilibria."""
    rng = np.random.default_rng(1)
    distributions = rng.dirichlet(np.full(6, 0.7), 3)
    return fp.Federation.from_table(rng.integers(0, 2, (8, 6)), distributions, epsilon=0.05, delta=0.02)
