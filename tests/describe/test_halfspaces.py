"""Halfspaces in the plane against linear separability."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.describe.classes import NAMES, halfspaces
from refusals import check_refused
from separable import separable_labelings


def labelings(points):
    return set(map(tuple, halfspaces(points).labels.tolist()))


grids = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6)
clouds = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=1, max_size=6)


@given(grids | clouds)
@settings(max_examples=50)
def test_labelings_are_the_linearly_separable_ones(points):
    assert labelings(points) == separable_labelings(points)


SHAPES = {
    "one-point": ([[1, 2]], 2),
    "the-same-point-twice": ([[1, 2], [1, 2]], 2),
    "minus-zero-is-zero": ([[0.0, 0.0], [-0.0, 0.0]], 2),
    "in-line": ([[n, 2 * n] for n in range(7)], 14),
    "many-in-line-and-one-beside": ([*([n, 0] for n in range(300)), [0, 1]], 1200),
    "vertical": ([[3, n] for n in range(5)], 10),
    "square": ([[0, 0], [0, 1], [1, 0], [1, 1]], 14),
    "triangle-with-its-centre": ([[0, 0], [3, 0], [0, 3], [1, 1]], 14),
    "tenths-in-line": ([[n / 10, n / 10] for n in range(8)], 16),
    "decimals-in-line": ([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]], 6),
    "far-away-in-line": ([[n * 1e200, n * 1e200] for n in range(4)], 8),
    "close-together": ([[n * 1e-200, n * 1e-200] for n in range(4)], 8),
}


@pytest.mark.parametrize(("points", "size"), SHAPES.values(), ids=SHAPES)
def test_sizes(points, size):
    made = halfspaces(points)
    assert len(made.labels) == len(labelings(points)) == len(set(made.hypotheses)) == size


@pytest.mark.parametrize("n", [2, 5, 20, 60])
def test_points_in_general_position_have_n_times_n_less_one_plus_two(n):
    x = np.random.default_rng(n).normal(size=(n, 2))
    assert len(halfspaces(x).labels) == n * (n - 1) + 2


def test_a_grid_is_as_collinear_as_it_looks():
    grid = np.array(list(itertools.product(range(4), range(2)))) / 10
    assert labelings(grid) == separable_labelings((grid * 10).round())


def test_names_say_what_the_labels_do():
    made = halfspaces([[0, 0], [1, 0], [2, 0]], names=["age", "dose"])
    at = made.hypotheses.index("left of (age 0, dose 0)-(age 2, dose 0), on it from (age 1, dose 0)")
    assert made.labels[at].tolist() == [0, 1, 1]
    made = halfspaces([[0, 0], [1, 0], [0, 1]])
    at = made.hypotheses.index("right of (0, 0)-(0, 1)")
    assert made.labels[at].tolist() == [0, 1, 0]


BAD = [
    (lambda: halfspaces([[1, 2]], names=["a"]), "feature_names must be 2 different strings"),
    (
        lambda: halfspaces(np.column_stack([np.arange(10**5), np.zeros(10**5)])),
        "class halfspaces would have 200,000 hypotheses or more",
    ),
    (
        lambda: halfspaces(np.random.default_rng(0).normal(size=(140, 2))),
        "at most 16,384 are enumerated (use fewer points or features, or plan for all of them with "
        "fedpact.plan_cover)",
    ),
]


def test_refuses():
    for make, message in BAD:
        check_refused(message, make)


def test_the_class_can_be_named_in_a_file():
    assert "halfspaces" in NAMES
