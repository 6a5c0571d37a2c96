"""The game by trying every profile, with the inclusion and exclusion of grid.py; shares no code with the game."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from grid import Question, requirement_values

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
    rng = np.random.default_rng(seed)
    k, n, H = rng.integers(2, 5), rng.integers(2, 6), rng.integers(2, 7)
    shares = rng.integers(0, 4, (k, n)) + (np.arange(n) == rng.integers(0, n, (k, 1)))
    has_capacity = rng.random() < 0.3
    return Question(
        labels=rng.integers(0, rng.integers(2, 4), (H, n)),
        distributions=shares / shares.sum(axis=1, keepdims=True),
        epsilon=rng.choice([0.1, 0.2, 0.25, 1 / 3, 0.5], k) if rng.random() < 0.5 else np.full(k, 0.2),
        delta=float(rng.choice([0.05, 0.1, 0.25, 0.6])),
        cost=rng.integers(1, 5, k).astype(float),
        capacity=tuple(int(c) if has_capacity else None for c in rng.integers(1, 12, k)),
        objective=str(rng.choice(["pac", "pac", "expected"])),
        guarantee=str(rng.choice(["per-agent", "joint"])),
    )
