"""The finite domain behind a federation: the points that matter, merged.

A table and predictions both describe finitely many points with every hypothesis' label and every agent's
mass. What decides a guarantee is only *where two hypotheses differ*, so points that nobody can draw or on
which all hypotheses agree are dropped, and points that split the class in the same way are merged, their
masses added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.arrays import Bools, Floats, Places, slices
from fedpact.describe.evidence import Reports
from fedpact.describe.federation import Federation
from fedpact.describe.memo import memoized_by_evidence
from fedpact.errors import FederationError
from fedpact.statistics.misses import merge_points

_BLOCK = 4_000_000
_FEW = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Domain:
    """Points that tell some hypotheses apart."""

    labels: NDArray[np.int32]
    """(H, n): the first hypothesis with the same label there, so that only equality carries meaning."""
    mass: Floats
    """(k, n) mass of every agent on every point; a row may sum to less than one."""

    @property
    def n(self) -> int:
        """Number of merged points."""
        return int(self.labels.shape[1])

    def differ(self, truth: int) -> Bools:
        """(H, n) where each hypothesis differs from ``truth``."""
        return np.asarray(self.labels != self.labels[truth])


@memoized_by_evidence
def find_domain(fed: Federation) -> Domain:
    """Merge the points of a table or of predictions; done once and kept with the evidence.

    Examples
    --------
    >>> from fedpact.describe.federation import Federation
    >>> fed = Federation.from_table(
    ...     [[0, 0, 0, 1], [0, 1, 0, 1], [1, 1, 0, 0]], [[0.25, 0.25, 0.25, 0.25]], epsilon=0.1, delta=0.1
    ... )
    >>> find_domain(fed).mass  # the third point separates nothing, the first and the fourth split alike
    array([[0.5 , 0.25]])
    """
    joint = fed.evidence.joint()
    if joint is None:
        raise FederationError(
            "reports hold pairwise rates only, not the joint structure; "
            'use method="bounds", or describe the federation by a table or predictions'
        )
    labels, mass = joint
    first = _first_with_same_label(labels[fed.distinct])
    useful = first.any(axis=0) & (mass > 0).any(axis=0)
    columns, merged = merge_points(first[:, useful], mass[:, useful])
    return Domain(labels=np.ascontiguousarray(columns), mass=merged)


def has_small_domain(fed: Federation) -> bool:
    """Whether the points are known and few enough to keep every agent's mass on each of them."""
    is_small = not fed.evidence.IS_COUNTED or sum(fed.evidence.sizes) * max(fed.k, fed.H) <= _FEW
    return is_small and not isinstance(fed.evidence, Reports)


def _first_with_same_label(labels: NDArray[np.integer]) -> NDArray[np.int32]:
    first = np.zeros(labels.shape, dtype=np.int32)
    for label in np.unique(labels):
        has = labels == label
        np.copyto(first, has.argmax(axis=0).astype(np.int32), where=has)
    return first


def rates_against(domain: Domain, truths: Places) -> Floats:
    """(k, T, H) rates between ``truths`` and every hypothesis, in blocks of bounded memory.

    Summed over the points where the two differ, never as one minus an agreement, so that a rate of zero is zero.
    """
    H, n = domain.labels.shape
    out = np.empty((len(domain.mass), len(truths), H))
    for block in slices(len(truths), _BLOCK // max(1, H * n)):
        differ = domain.labels[None, :, :] != domain.labels[truths[block]][:, None, :]
        out[:, block] = np.moveaxis(differ @ domain.mass.T, -1, 0)
    return out
