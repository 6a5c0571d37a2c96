"""Boxes of profiles, many at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedpact.game.game import Profiles


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Boxes of profiles."""

    low: Profiles
    high: Profiles

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.intp] | slice) -> Boxes:
        return Boxes(self.low[rows], self.high[rows])

    def __len__(self) -> int:
        return len(self.low)

    @property
    def log_size(self) -> NDArray[np.float64]:
        """(N,) logarithm of the number of profiles in each."""
        return np.asarray(np.log(self.high - self.low + 1.0).sum(axis=1))

    @property
    def is_point(self) -> NDArray[np.bool_]:
        """(N,) whether each holds one profile."""
        return np.asarray((self.low == self.high).all(axis=1))


def join(*parts: Boxes) -> Boxes:
    """Put boxes together."""
    return Boxes(np.concatenate([part.low for part in parts]), np.concatenate([part.high for part in parts]))


def split(boxes: Boxes, side: NDArray[np.intp], last: NDArray[np.int64]) -> Boxes:
    """Cut every box in two along one side, after ``last``."""
    rows = np.arange(len(boxes))
    left, right = boxes.high.copy(), boxes.low.copy()
    left[rows, side], right[rows, side] = last, last + 1
    return join(Boxes(boxes.low, left), Boxes(right, boxes.high))


def longest_side(boxes: Boxes) -> NDArray[np.intp]:
    """(N,) the agent along whose contribution each box is longest."""
    return np.asarray((boxes.high - boxes.low).argmax(axis=1))


def middle_of(boxes: Boxes, side: NDArray[np.intp]) -> NDArray[np.int64]:
    """(N,) the last count of the lower half along one side of each box."""
    rows = np.arange(len(boxes))
    return np.asarray((boxes.low[rows, side] + boxes.high[rows, side]) // 2)


def halve(boxes: Boxes) -> Boxes:
    """Cut every box in the middle of its longest side."""
    side = longest_side(boxes)
    return split(boxes, side, middle_of(boxes, side))
