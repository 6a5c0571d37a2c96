"""Points of several sites, some of them public: what an experiment on private data starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedpact.errors import FederationError

PUBLIC_SHARE = 0.25


class Labelled(NamedTuple):
    """Points with their labels."""

    points: NDArray[np.float64]
    """(n, d)"""
    labels: NDArray[np.int64]
    """(n,)"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SiteData:
    """Public points, from which candidates are trained, and the points of every site."""

    name: str
    public: Labelled
    private: Mapping[str, Labelled]
    """Site -> its own points. No stage that plans looks at their labels."""

    @property
    def sizes(self) -> dict[str, int]:
        """Points of every site."""
        return {site: len(own.labels) for site, own in self.private.items()}


def draw_public(sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, NDArray[np.bool_]]:
    """Draw a quarter of every site's points, at least one, to be public; at least one stays private.

    Examples
    --------
    >>> drawn = draw_public({"north": 40, "south": 10}, np.random.default_rng(0))
    >>> {site: int(is_public.sum()) for site, is_public in drawn.items()}
    {'north': 10, 'south': 2}
    """
    drawn = {}
    for site, n in sizes.items():
        if n < 2:
            raise FederationError(f"site {site!r} must have two points or more, one of them public; it has {n}")
        is_public = np.zeros(n, dtype=bool)
        is_public[rng.permutation(n)[: max(1, round(PUBLIC_SHARE * n))]] = True
        drawn[site] = is_public
    return drawn
