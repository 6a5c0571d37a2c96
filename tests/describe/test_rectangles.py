"""Axis-parallel boxes against brute force over all sets of points."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fedpact.describe.classes import rectangles
from refusals import check_refused

points_with_ties = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=1, max_size=8)
)


def tight_boxes(points):
    """Every set of points that a box cuts out, with its bounding box: each is the one of all subsets of it."""
    x = np.array(points)
    for size in range(1, len(x) + 1):
        for chosen in itertools.combinations(range(len(x)), size):
            low, high = x[list(chosen)].min(axis=0), x[list(chosen)].max(axis=0)
            inside = ((low <= x) & (x <= high)).all(axis=1)
            box = tuple(itertools.chain.from_iterable(zip(low.tolist(), high.tolist(), strict=True)))
            yield box, tuple(inside.astype(int).tolist())


@given(points_with_ties)
@example([[0, 0], [0, 0], [1, 1]])
@example([[0, 0], [0, 1], [1, 0], [1, 1]])
@settings(deadline=None)
def test_boxes_are_those_of_brute_force_in_the_order_of_their_sides(points):
    made = rectangles(points)
    boxes = [tuple(map(int, re.findall(r"(?<!f)-?\d+\b", name))) for name in made.hypotheses[:-1]]
    labels = list(map(tuple, made.labels.tolist()))
    assert list(zip(boxes, labels[:-1], strict=True)) == sorted(set(tight_boxes(points)))
    assert (made.hypotheses[-1], set(labels[-1])) == ("never", {0})


MANY = {
    "grid": (list(itertools.product(range(4), range(5))), 10 * 15 + 1),
    "line": (np.arange(180), 180 * 181 // 2 + 1),
    "diagonal": (np.arange(180)[:, None] * [1, -1, 1, 2], 180 * 181 // 2 + 1),
    "cube": (list(itertools.product((0, 1), repeat=8)), 3**8 + 1),
    "star": (np.vstack([np.eye(5), -np.eye(5)]), 2**10),
    "two-points-of-many-features": (np.tile([[0], [1]], 2000), 4),
    "constant-features": (np.column_stack([np.zeros((3, 50)), np.arange(3)]), 7),
    "one-point": ([[1.5, 2.5]], 2),
    "minus-zero-is-zero": ([0.0, -0.0], 2),
}


@pytest.mark.parametrize(("points", "size"), MANY.values(), ids=MANY)
def test_sizes(points, size):
    made = rectangles(points)
    assert len(made.labels) == len(set(made.hypotheses)) == size


BAD = [
    (np.arange(10**6), "class rectangles would have 1,000,001 hypotheses or more"),
    (np.arange(10_000), "class rectangles would have 50,005,001 hypotheses or more"),
    (
        np.random.default_rng(0).normal(size=(60, 5)),
        "at most 16,384 are enumerated (use fewer points or features, or plan for all of them with "
        "fedpact.plan_cover)",
    ),
]


def test_refuses():
    for points, message in BAD:
        check_refused(message, rectangles, points)
