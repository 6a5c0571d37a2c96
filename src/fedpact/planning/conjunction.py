"""Several programs that have to hold at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fedpact.describe.federation import Federation
from fedpact.planning.row_generation import Row, Separator
from fedpact.statistics.per_agent_split import parts_of


class Program(Separator, Protocol):
    """Finds rows that a fractional vector violates, and says whether an integer one satisfies all."""

    def holds(self, m: NDArray[np.int64], /) -> bool:
        """Whether ``m`` satisfies the program."""
        ...


class AllOf:
    """Programs that share their variables; the one that failed last is asked first."""

    def __init__(self, programs: Sequence[Program]) -> None:
        self.programs = list(programs)

    def __call__(self, m: NDArray[np.float64]) -> list[Row]:
        """Rows of any program that ``m`` violates."""
        return [row for program in self.programs for row in program(m)]

    def holds(self, m: NDArray[np.int64]) -> bool:
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
