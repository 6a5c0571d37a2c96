"""Halfspaces in any number of features against linear separability, the plane, closed forms and their names."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fedpact.describe.classes import halfspaces, stumps
from fedpact.describe.halfspaces import halfspaces_in_plane
from fedpact.describe.halfspaces_by_contraction import _to_double, independent_features, separate
from fedpact.errors import FederationError
from separable import separable_labelings


def labelings(made):
    return set(map(tuple, made.labels.tolist()))


def names_of(d):
    return [f"f{feature}" for feature in range(1, d + 1)]


def lists_of(d, low, high, most):
    return st.lists(st.lists(st.integers(low, high), min_size=d, max_size=d), min_size=1, max_size=most)


@given(lists_of(3, 0, 2, 6) | lists_of(3, -50, 50, 6) | lists_of(4, 0, 1, 6))
@example([[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 4]])
@settings(max_examples=40, deadline=None)
def test_labelings_are_the_linearly_separable_ones(points):
    assert labelings(halfspaces(points)) == separable_labelings(points)


@given(lists_of(2, 0, 4, 14) | lists_of(2, -50, 50, 14))
@settings(max_examples=60, deadline=None)
def test_in_the_plane_they_are_those_of_the_lines_through_two_points(points):
    x = np.array(points, dtype=float)
    assert labelings(separate(x, names_of(2))) == labelings(halfspaces_in_plane(x))


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=12))
def test_on_the_line_they_are_the_stumps(values):
    x = np.array(values, dtype=float)
    assert labelings(separate(x[:, None], names_of(1))) == labelings(stumps(x)) == labelings(halfspaces(x))


def holds(name, point):
    """Whether the inequality that a name prints is true of a point, strictly, in fractions."""
    if name in ("always", "never"):
        return name == "always"
    left, side, right = re.fullmatch(r"(.*) ([<>]=) (\S+)", name).groups()
    value = -Fraction(right)
    for sign, size, feature in re.findall(r"([+-]?) ?(?:(\d[\d.e/+-]*) )?f(\d+)", left):
        value += int(f"{sign}1") * Fraction(size or 1) * Fraction(repr(float(point[int(feature) - 1])))
    assert value != 0
    return (value > 0) == (side == ">=")


CLOUDS = {
    "general": np.random.default_rng(0).normal(size=(12, 3)),
    "four-features": np.random.default_rng(1).normal(size=(8, 4)),
    "tenths": np.array(list(itertools.product(range(3), range(3), range(2)))) / 10,
    "units-of-many-sizes": np.random.default_rng(2).normal(size=(8, 3)) * [1e-12, 1, 1e9],
    "far-too-large-for-doubles": np.vstack([np.zeros(3), np.eye(3), 1 - np.eye(3)]) * [1e-200, 1e200, 1e300],
    "closer-than-doubles-can-prove": np.vstack([np.eye(3), np.eye(3) + 1e-15]),
}


@pytest.mark.parametrize("x", CLOUDS.values(), ids=CLOUDS)
def test_names_are_inequalities_that_are_true(x):
    made = separate(x, names_of(x.shape[1]))
    assert len(set(made.hypotheses)) == len(made.labels)
    for name, row in zip(made.hypotheses, made.labels, strict=True):
        assert [holds(name, point) for point in x] == row.astype(bool).tolist(), name


@pytest.mark.parametrize(("n", "d"), [(5, 3), (14, 3), (10, 4), (9, 5), (8, 7)])
def test_points_in_general_position_have_as_many_as_cover_counts(n, d):
    x = np.random.default_rng(n).normal(size=(n, d))
    assert len(halfspaces(x).labels) == 2 * sum(math.comb(n - 1, i) for i in range(d + 1))


SHAPES = {
    "one-point": ([[1, 2, 3]], 2),
    "the-same-point-twice": ([[1, 2, 3], [1, 2, 3]], 2),
    "minus-zero-is-zero": ([[0.0, 0.0, 1.0], [-0.0, 0.0, 1.0]], 2),
    "in-line": ([[n, 2 * n, 5 - n] for n in range(7)], 14),
    "tenths-in-line": ([[n / 10, n / 10, 0.3 * n] for n in range(3)], 6),
    "in-a-plane": ([[a, b, a + b] for a in range(2) for b in range(2)], 14),
    "tenths-in-a-plane": ([[0, 0, 0], [0.1, 0, 0.1], [0, 0.2, 0.2], [0.1, 0.2, 0.3]], 14),
    "cube": (list(itertools.product((0, 1), repeat=3)), 104),
    "cube-of-four": (list(itertools.product((0, 1), repeat=4)), 1882),
    "a-line-and-two-points": ([*([n, 0, 0] for n in range(40)), [0, 1, 0], [0, 0, 1]], 8 * 40),
}


@pytest.mark.parametrize(("points", "size"), SHAPES.values(), ids=SHAPES)
def test_sizes(points, size):
    made = halfspaces(points)
    assert len(made.labels) == len(labelings(made)) == len(set(made.hypotheses)) == size
    assert made.name == "halfspaces"


def test_features_that_follow_from_others_are_left_out():
    x = np.random.default_rng(0).integers(0, 9, size=(9, 2)).astype(float)
    assert independent_features(np.column_stack([np.ones(9), x, x.sum(axis=1)])) == [1, 2]


BAD = {
    "points": np.random.default_rng(0).normal(size=(500, 3)),
    "features": np.random.default_rng(0).normal(size=(30, 200)),
    "both": np.random.default_rng(0).normal(size=(200, 8)),
    "line": np.arange(9000),
}


@pytest.mark.parametrize("x", BAD.values(), ids=BAD)
def test_refuses_what_is_too_large(x):
    with pytest.raises(
        FederationError, match=r"class halfspaces would have .* hypotheses or more; at most 16,384"
    ):
        halfspaces(x)


def test_refuses_names_of_other_features():
    with pytest.raises(FederationError, match="feature_names must be 3 different strings"):
        halfspaces([[1, 2, 3]], names=["a"])


def test_a_threshold_beyond_all_numbers_is_infinite():
    assert _to_double(Fraction(10**400, 3)) == math.inf
    assert _to_double(Fraction(1, 3)) == 1 / 3
