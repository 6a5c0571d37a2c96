"""Who gives which samples: agent 1 is one source, agent 2 another, or a random convex combination of several.

Everything is drawn from a seed alone. The samples of a run come in a fixed order, of which a mixture takes the
first so many: with the same seed, a larger share of an agent contains the smaller one. What a source holds out for
testing is never trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
_LOOKS = 20


def count_own(m: int, share: float) -> int:
    """Count agent 1's of ``m`` samples."""
    return round(share * m)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draw:
    """The samples of one seed."""

    first: Places
    """Agent 1's for training, in the order in which they are taken."""
    second: Places
    """Agent 2's."""
    tests: tuple[Places, ...]
    """What is held out: of agent 1, then of every source of agent 2."""
    weights: NDArray[np.float64]
    """Of agent 2's sources; their sum is 1."""

    def mix(self, m: int, share: float) -> Places:
        """Take ``m`` samples, a share of them agent 1's."""
        own = count_own(m, share)
        return np.concatenate([self.first[:own], self.second[: m - own]])


def count_held_out(size: int, test_share: float) -> int:
    """Count the samples of ``size`` that are held out, one at least."""
    return max(1, round(test_share * size))


def _split(places: Places, test_share: float, rng: np.random.Generator) -> tuple[Places, Places]:
    shuffled = rng.permutation(places)
    held_out = count_held_out(len(places), test_share)
    return shuffled[held_out:], shuffled[:held_out]


def _mix_sources(sources: Sequence[Places], weights: NDArray[np.float64], rng: np.random.Generator) -> Places:
    """Order the samples of several sources as if each next one were drawn with the sources' weights.

    A source that is used up is passed over; what nobody asked for comes last.
    """
    total = sum(map(len, sources))
    asked = rng.choice(len(sources), size=_LOOKS * total, p=weights)
    ranks = np.empty(len(asked), dtype=np.int64)
    for source in range(len(sources)):
        at = asked == source
        ranks[at] = np.arange(at.sum())
    is_there = ranks < np.array([len(places) for places in sources])[asked]
    mixed = np.array(
        [sources[source][rank] for source, rank in zip(asked[is_there], ranks[is_there], strict=True)]
    )
    rest = np.setdiff1d(np.concatenate(sources), mixed)
    return np.concatenate([mixed, rng.permutation(rest)]).astype(np.int64)


def draw_samples(sources: Sequence[Places], combined: int, test_share: float, rng: np.random.Generator) -> Draw:
    """Draw the samples of both agents.

    Parameters
    ----------
    sources
        Places of the samples of agent 1, and of every source that agent 2 may be made of.
    combined
        How many of them make agent 2, drawn at random with random weights; 1 takes the first as it is.
    test_share
        Share of every source's samples that is held out.

    Examples
    --------
    >>> sources = [np.arange(10), np.arange(10, 20)]
    >>> draw = draw_samples(sources, 1, 0.2, np.random.default_rng(0))
    >>> len(draw.first), len(draw.second), [len(held_out) for held_out in draw.tests]
    (8, 8, [2, 2])
    >>> int(sum(draw.mix(8, 0.25) < 10))
    2
    """
    own, *others = sources
    first, first_test = _split(own, test_share, rng)
    chosen = [0] if combined == 1 else rng.permutation(len(others))[:combined]
    weights = np.ones(1) if combined == 1 else rng.dirichlet(np.ones(combined))
    parts = [_split(others[source], test_share, rng) for source in chosen]
    second = parts[0][0] if combined == 1 else _mix_sources([train for train, _ in parts], weights, rng)
    return Draw(first=first, second=second, tests=(first_test, *(test for _, test in parts)), weights=weights)
