"""When is an integer contribution vector enough? Four answers, from the paper's to the exact one.

Each certificate takes many vectors (B, k) at once and proves some of them. All but ``tree`` are monotone:
more samples keep a proof. The Hunter-Worsley bound of ``tree`` can rise with m; since the true failure
cannot, a vector above a proved one is proved as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.pairs import PairProgram
from fedpact.planning.tree import TreeProof
from fedpact.planning.union import UnionProgram
from fedpact.statistics.engine import JOINT, engine_of

Certificate: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.bool_]]


def requirements_of(fed: Federation) -> list[int]:
    """Return the requirements that a plan has to meet: every agent's, or the joint one."""
    return [JOINT] if fed.guarantee == "joint" and fed.objective == "pac" else list(range(fed.k))


def prove_by_pairs(fed: Federation) -> Certificate:
    """Prove that every bad pair is missed with probability delta / H at most (the paper's constraints)."""
    return _each(PairProgram(fed).holds)


def prove_by_union(fed: Federation) -> Certificate:
    """Prove that the bad hypotheses' miss probabilities sum to delta at most, for every truth."""
    return _each(UnionProgram(fed).holds)


def prove_by_tree(fed: Federation) -> Certificate:
    """Prove that this sum less a spanning tree of pairwise intersections is delta at most."""
    return _each(TreeProof(fed).holds)


def prove_exactly(fed: Federation) -> Certificate:
    """Let the guarantee engine prove it."""
    engine = engine_of(fed)

    def certify(m: NDArray[np.int64]) -> NDArray[np.bool_]:
        met = np.ones(len(m), dtype=bool)
        for requirement in requirements_of(fed):
            left = np.flatnonzero(met)
            met[left] = engine.is_met(m[left], [requirement])[:, 0]
        return met

    return certify


def cannot_refute(fed: Federation) -> Certificate:
    """Tell which vectors may be enough: no lower bound on the failure (Dawson-Sankoff, de Caen) is too large."""
    engine, requirements = engine_of(fed), requirements_of(fed)
    limits = [engine.threshold(requirement) for requirement in requirements]
    return lambda m: np.asarray(
        ~exceeds(engine.evaluate(m, requirements, method="bounds").low, limits).any(axis=1)
    )


def _each(holds: Callable[[NDArray[np.int64]], bool]) -> Certificate:
    return lambda m: np.array([holds(row) for row in m], dtype=bool)
