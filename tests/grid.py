"""The cheapest plan by trying every vector of a grid, with inclusion and exclusion in floats.

Shares no code with the planners or the engine: every non-empty set S of bad hypotheses adds
(-1)^(|S|+1) prod_j (1 - D_j(union of S))^m_j, for all m of the grid at once.
"""

from dataclasses import dataclass
from itertools import combinations, pairwise, product

import numpy as np

import fedpact as fp


@dataclass(frozen=True)
class Question:
    labels: np.ndarray
    """(H, n)"""
    distributions: np.ndarray
    """(k, n)"""
    epsilon: np.ndarray
    delta: float
    cost: np.ndarray
    capacity: tuple[int | None, ...]
    objective: str
    guarantee: str

    def build(self):
        return fp.Federation.from_table(
            self.labels,
            self.distributions,
            epsilon=self.epsilon,
            delta=self.delta,
            cost=self.cost,
            capacity=self.capacity,
            objective=self.objective,
            guarantee=self.guarantee,
        )


def random_question(seed):
    """One to three agents, a third of the federations under the joint guarantee."""
    return draw_question(
        seed,
        agents=(1, 4),
        points=(2, 7),
        most_weight=5,
        capacity=(3, 20),
        guarantees=("per-agent", "per-agent", "joint"),
    )


def draw_question(seed, *, agents, points, most_weight, capacity, guarantees):
    """Draw a federation; ranges are from the first up to but without the second."""
    rng = np.random.default_rng(seed)
    k, n, H = rng.integers(*agents), rng.integers(*points), rng.integers(2, 7)
    shares = rng.integers(0, most_weight, (k, n)) + (np.arange(n) == rng.integers(0, n, (k, 1)))
    has_capacity = rng.random() < 0.3
    return Question(
        labels=rng.integers(0, rng.integers(2, 4), (H, n)),
        distributions=shares / shares.sum(axis=1, keepdims=True),
        epsilon=rng.choice([0.1, 0.2, 0.25, 1 / 3, 0.5], k) if rng.random() < 0.5 else np.full(k, 0.2),
        delta=float(rng.choice([0.05, 0.1, 0.25, 0.6])),
        cost=rng.integers(1, 5, k).astype(float),
        capacity=tuple(int(c) if has_capacity else None for c in rng.integers(*capacity, k)),
        objective=str(rng.choice(["pac", "pac", "expected"])),
        guarantee=str(rng.choice(guarantees)),
    )


def some_missed(question, sets, grid):
    """(B,) probability that no draw falls into some of the sets (s, n)."""
    total = np.zeros(len(grid))
    for size in range(1, len(sets) + 1):
        for some in combinations(range(len(sets)), size):
            mass = question.distributions @ sets[list(some)].any(axis=0)
            total -= (-1) ** size * np.prod((1 - np.minimum(mass, 1)) ** grid, axis=1)
    return total


def requirement_values(question, grid):
    """Yield (B,) value and limit of every requirement against every truth."""
    for truth in question.labels:
        sets = question.labels != truth
        rates = question.distributions @ sets.T
        bad = rates > question.epsilon[:, None] + 1e-9
        if question.objective == "expected":
            for p, epsilon in zip(rates, question.epsilon, strict=True):
                yield _expected(question, sets, p, grid), epsilon
        elif question.guarantee == "joint":
            yield some_missed(question, sets[bad.any(axis=0)], grid), question.delta
        else:
            for row in bad:
                yield some_missed(question, sets[row], grid), question.delta


def _expected(question, sets, p, grid):
    levels = [0.0, *np.unique(p[p > 0])]
    return sum(
        (high - low) * some_missed(question, sets[p >= high], grid) for low, high in pairwise(levels)
    ) + np.zeros(len(grid))


def is_enough(question, grid):
    """(B,) whether each vector meets the guarantee."""
    met = np.ones(len(grid), dtype=bool)
    for value, limit in requirement_values(question, grid):
        met &= value <= limit + 1e-9
    return met


def vectors_up_to(question, cost, most=30_000):
    """Every vector within the capacities that costs at most ``cost``; None if they are too many."""
    ranges = [
        int(min(cost / c + 1e-9, np.inf if cap is None else cap))
        for c, cap in zip(question.cost, question.capacity, strict=True)
    ]
    if np.prod([size + 1.0 for size in ranges]) > most:
        return None
    grid = np.array(list(product(*(range(size + 1) for size in ranges))))
    return grid[grid @ question.cost <= cost + 1e-9]
