"""When is an integer contribution vector enough? Four answers, from the paper's to the exact one.

Each certificate takes many vectors (B, k) at once and proves some of them. All but ``tree`` are monotone:
more samples keep a proof. The Hunter-Worsley bound of ``tree`` can rise with m; since the true failure
cannot, a vector above a proved one is proved as well. Where rates are estimated, a program is stated for every
part of the federation, and all have to hold at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from fedpact.describe.arrays import Bools, Floats, Ints
from fedpact.describe.federation import Federation
from fedpact.describe.ties import exceeds
from fedpact.planning.pair_lp import PairProgram
from fedpact.planning.row_generation import Row, Separator
from fedpact.planning.tree import TreeProof
from fedpact.planning.union import UnionProgram
from fedpact.statistics.bounds import MAX_WORK
from fedpact.statistics.engine import engine_of
from fedpact.statistics.per_agent_split import parts_of
from fedpact.statistics.weights import JOINT


class Program(Separator, Protocol):
    """Finds rows that a fractional vector violates, and says whether an integer one satisfies all."""

    def holds(self, m: Ints, /) -> bool:
        """Whether ``m`` satisfies the program."""
        ...


class AllOf:
    """Programs that share their variables; the one that failed last is asked first."""

    def __init__(self, programs: Sequence[Program]) -> None:
        self.programs = list(programs)

    def __call__(self, m: Floats) -> list[Row]:
        """Rows of any program that ``m`` violates."""
        return [row for program in self.programs for row in program(m)]

    def holds(self, m: Ints) -> bool:
        """Whether ``m`` satisfies all of them."""
        for place, program in enumerate(self.programs):
            if not program.holds(m):
                self.programs.insert(0, self.programs.pop(place))
                return False
        return True


def build(fed: Federation, program: Callable[[Federation], Program]) -> Program:
    """Build a program for a federation, or for every part of it where its rates are estimated."""
    parts = parts_of(fed)
    return program(parts[0]) if len(parts) == 1 else AllOf([program(part) for part in parts])


WORK_RATE = 1e9
"""How much of the engine's work fits into a second, roughly."""

Certificate: TypeAlias = Callable[[Ints], Bools]


class TimeUp(Exception):  # noqa: N818
    """The time for a search is over; never leaves the planning package."""


def requirements_of(fed: Federation) -> list[int]:
    """Return the requirements that a plan has to meet: every agent's, or the joint one."""
    return [JOINT] if fed.guarantee == "joint" and fed.objective == "pac" else list(range(fed.k))


def prove_by_pairs(fed: Federation) -> Certificate:
    """Prove that every bad pair is missed with probability delta / H at most (the paper's constraints)."""
    return _each(build(fed, PairProgram).holds)


def prove_by_union(fed: Federation) -> Certificate:
    """Prove that the bad hypotheses' miss probabilities sum to delta at most, for every truth."""
    return _each(build(fed, UnionProgram).holds)


def prove_by_tree(fed: Federation) -> Certificate:
    """Prove that this sum is delta at most, less a spanning tree of pairwise intersections.

    Where that is not enough and the joint structure is known, every hypothesis is linked to a dozen others.
    """
    proofs = [TreeProof(part) for part in parts_of(fed)]
    return _each(lambda m: all(proof.holds(m) for proof in proofs))


def _each(holds: Callable[[Ints], bool]) -> Certificate:
    return lambda m: np.array([holds(row) for row in m], dtype=bool)


class Judge:
    """Proves and refutes contribution vectors by the best that is known of the failure probabilities.

    With the joint structure that is the guarantee engine, whose intervals are exact or as narrow as it takes;
    from reports it is Hunter-Worsley above, Dawson-Sankoff and de Caen below. A vector may be neither proved
    nor refuted. After ``deadline`` (of :func:`time.monotonic`) it raises :class:`TimeUp`.
    """

    def __init__(self, fed: Federation, deadline: float = math.inf) -> None:
        self.engine = engine_of(fed)
        self.deadline = deadline
        self.requirements = requirements_of(fed)
        self._known: dict[tuple[bytes, float], tuple[bool, bool]] = {}

    def proves(self, m: Ints) -> Bools:
        """(B,) whether each vector is known to be enough."""
        return np.array([self._judge(row)[0] for row in m], dtype=bool)

    def cannot_refute(self, m: Ints) -> Bools:
        """(B,) whether each vector may be enough, as far as that is quick to tell or known already.

        A vector that is enough, but hard to prove, costs a search nothing this way.
        """
        return np.array([not self._refutes(row) for row in m], dtype=bool)

    def proves_in_time(self, m: Ints) -> Bools:
        """(B,) whether each vector is known to be enough; after the deadline nothing more is known."""
        try:
            return self.proves(m)
        except TimeUp:
            return np.zeros(len(m), dtype=bool)

    def _judge(self, m: Ints, max_work: float = 2 * MAX_WORK) -> tuple[bool, bool]:
        """Whether the vector is proved and whether it is refuted; who refuted the last one is asked first."""
        key = (m.tobytes(), max_work)
        if key not in self._known:
            self._known[key] = self._ask(m, max_work)
        return self._known[key]

    def _refutes(self, m: Ints) -> bool:
        """Whether the vector is refuted already, or at a glance."""
        is_known = (m.tobytes(), 2 * MAX_WORK) in self._known or not self.engine.has_joint_structure
        return (self._judge(m) if is_known else self._judge(m, max_work=0.0))[1]

    def _ask(self, m: Ints, max_work: float) -> tuple[bool, bool]:
        is_proved = True
        for place, requirement in enumerate(self.requirements):
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise TimeUp
            low, high = self.engine.decide(m[None], [requirement], max_work=min(max_work, left * WORK_RATE))
            limit = self.engine.threshold(requirement)
            if exceeds(float(low[0, 0]), limit):
                self.requirements.insert(0, self.requirements.pop(place))
                return False, True
            is_proved &= not exceeds(float(high[0, 0]), limit)
        return is_proved, False
