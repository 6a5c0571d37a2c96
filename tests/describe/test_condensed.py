import itertools

import numpy as np
import pytest
from scipy.spatial.distance import squareform

from fedpact.describe.condensed import count_pairs, height_of, pair_at, to_condensed, to_square


@pytest.mark.parametrize("H", [1, 2, 3, 7, 40])
def test_the_order_is_that_of_combinations(H):
    pairs = list(itertools.combinations(range(H), 2))
    assert count_pairs(H) == len(pairs)
    assert height_of(len(pairs)) == H
    assert [pair_at(place, H) for place in range(len(pairs))] == pairs


@pytest.mark.parametrize("H", [2, 3, 7])
def test_squares_are_those_of_scipy(H):
    values = np.arange(1, count_pairs(H) + 1, dtype=np.uint16)
    square = to_square(values, H)
    assert square.dtype == np.uint16
    np.testing.assert_array_equal(square, squareform(values))
    np.testing.assert_array_equal(to_condensed(square), values)


def test_places_far_out_are_exact():
    H = 100_000
    assert pair_at(count_pairs(H) - 1, H) == (H - 2, H - 1)
    assert pair_at(H - 2, H) == (0, H - 1)
    assert pair_at(H - 1, H) == (1, 2)
