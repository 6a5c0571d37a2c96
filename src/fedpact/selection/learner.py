"""What every way of labelling has in common: it draws points, learns their labels, and says what they prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from fedpact.describe.arrays import Floats, Ints, Places


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Points of one site that were drawn together."""

    site: int
    points: tuple[int, ...]
    among: tuple[int, ...] | None = None
    """The candidates that were bet on there; None where nothing is bet."""


def gather(points: Sequence[tuple[int, int]]) -> list[Drawn]:
    """Gather points, each with its site in front, by site.

    Examples
    --------
    >>> [(own.site, own.points) for own in gather([(1, 5), (0, 2), (1, 3)])]
    [(0, (2,)), (1, (5, 3))]
    """
    sites = sorted({site for site, _ in points})
    return [Drawn(site=at, points=tuple(point for site, point in points if site == at)) for at in sites]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wanted:
    """What may be drawn next."""

    n: int
    """Labels before one looks again: in all, or of every site if each decides alone."""
    total: int
    """Labels that the budget has left."""
    room: Ints
    """(k,) labels that every site can still give."""
    price: Floats
    """(k,) what the next label costs each site."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Finding:
    """What the labels prove so far."""

    chosen: Sequence[int]
    """(k,) the candidate to use at each site."""
    epsilon: Floats
    """(k,) how far it is from the best, or from the truth, at most."""
    survivors: Sequence[Places]
    """(k,) candidates that may be the best, or the truth, at each site."""
    is_certified: bool = False
    is_refuted: bool = False
    """Whether no candidate can be the truth that was assumed."""
    witness: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """Where one candidate is wanted for all and there is none: candidate -> site, and who is better there."""


class Learner(Protocol):
    """A way of labelling; it never draws a point twice at a site."""

    def draw(self, wanted: Wanted, rng: np.random.Generator) -> list[Drawn]:
        """Choose what to draw next; nothing if no label would help. Changes nothing."""
        ...

    def take(self, drawn: Drawn) -> list[int]:
        """Note what was drawn; returns the points that need a label."""
        ...

    def learn(self, site: int, labels: Mapping[int, int]) -> None:
        """Take labels of points that were asked, coded as the candidates'."""
        ...

    def find(self) -> Finding:
        """Say what is proved."""
        ...

    def trace(self, site: int) -> list[tuple[int, float, int]]:
        """List labels, the epsilon proved of the candidate to use and candidates in question, at each change."""
        ...

    def count_left(self) -> int:
        """Count, quickly, candidates that are not ruled out, over all sites; one at a site that is done."""
        ...
