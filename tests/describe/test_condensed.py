import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import squareform

from fedpact.describe import condensed
from fedpact.describe.condensed import (
    count_pairs,
    find_broken_triangle,
    find_odd_triangle,
    height_of,
    pair_at,
    to_condensed,
    to_square,
)


@pytest.mark.parametrize("H", [1, 2, 3, 7, 40])
def test_the_order_is_that_of_combinations(H):
    pairs = list(itertools.combinations(range(H), 2))
    assert count_pairs(H) == len(pairs)
    assert height_of(len(pairs)) == H
    assert [pair_at(place, H) for place in range(len(pairs))] == pairs


@pytest.mark.parametrize("H", [2, 3, 7])
def test_squares_are_those_of_scipy(H):
    values = np.arange(1, count_pairs(H) + 1, dtype=np.uint16)
    square = to_square(values)
    assert square.dtype == np.uint16
    np.testing.assert_array_equal(square, squareform(values))
    np.testing.assert_array_equal(to_condensed(square), values)


def test_places_far_out_are_exact():
    H = 100_000
    assert pair_at(count_pairs(H) - 1, H) == (H - 2, H - 1)
    assert pair_at(H - 2, H) == (0, H - 1)
    assert pair_at(H - 1, H) == (1, 2)


def symmetric(H, data, most):
    square = np.zeros((H, H), dtype=np.int64)
    for h, g in itertools.combinations(range(H), 2):
        square[h, g] = square[g, h] = data.draw(st.integers(0, most))
    return square


@given(st.integers(1, 20), st.data())
@settings(deadline=None)
def test_a_broken_triangle_is_found_if_there_is_one(H, data):
    high = symmetric(H, data, 9)
    low = high - np.minimum(high, symmetric(H, data, 2))
    broken = [
        (h, g, f) for h, g, f in itertools.product(range(H), repeat=3) if low[h, g] > high[h, f] + high[f, g]
    ]
    found = find_broken_triangle(low, high)
    assert found in broken if broken else found is None


@pytest.fixture(params=["compiled", "as written"])
def loops(request, monkeypatch):
    if request.param == "as written":
        monkeypatch.setattr(condensed, "compiled", lambda function: function)


@pytest.mark.usefixtures("loops")
def test_one_broken_triangle_among_many():
    labels = np.random.default_rng(0).integers(0, 2, (70, 40))
    counts = (labels[:, None] != labels).sum(axis=2)
    assert find_broken_triangle(counts, counts) is None
    counts[33, 51] = counts[51, 33] = counts[33].max() + counts[51].max() + 1
    assert find_broken_triangle(counts, counts)[:2] == (33, 51)


def test_counts_beyond_singles_are_compared_exactly():
    counts = np.array([[0, 2**24 + 1, 2**23], [2**24 + 1, 0, 2**23], [2**23, 2**23, 0]])
    assert find_broken_triangle(counts, counts) == (0, 1, 2)
    counts[0, 1] = counts[1, 0] = 2**24
    assert find_broken_triangle(counts, counts) is None


@given(
    hnp.arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 8)), elements=st.integers(0, 1)), st.data()
)
def test_two_labels_make_no_odd_triangle(labels, data):
    counts = (labels[:, None] != labels).sum(axis=2)
    assert find_odd_triangle(counts) is None
    if len(labels) > 2:
        h, g = sorted(data.draw(st.lists(st.integers(0, len(labels) - 1), min_size=2, max_size=2, unique=True)))
        counts[h, g] = counts[g, h] = counts[h, g] + 1
        found = find_odd_triangle(counts)
        assert sum(counts[pair] for pair in itertools.combinations(found, 2)) % 2 == 1
