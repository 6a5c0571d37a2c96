import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.ties import TIE, exceeds, tolerance

CASES = {
    "equal": (0.1, 0.1, False),
    "third-of-the-paper": (1 - 1 / 3, 2 / 3, False),
    "sum-of-tenths": (0.1 + 0.2, 0.3, False),
    "within-the-tie": (0.1 + TIE / 2, 0.1, False),
    "beyond-the-tie": (0.1 + 2 * TIE, 0.1, True),
    "below": (0.1 - 2 * TIE, 0.1, False),
    "zero-tolerates-nothing": (1e-300, 0.0, True),
    "zero-itself": (0.0, 0.0, False),
    "tiny-threshold-means-what-it-says": (2e-10, 1e-10, True),
    "tiny-threshold-tie": (1e-10 * (1 + 1e-6), 1e-10, False),
    "one-is-never-exceeded": (1.0, 1.0, False),
}


@pytest.mark.parametrize(("value", "threshold", "expected"), CASES.values(), ids=CASES)
def test_exceeds(value, threshold, expected):
    assert exceeds(value, threshold) is expected


@given(st.floats(0, 1), st.floats(0, 1))
def test_only_the_tie_differs_from_plain_comparison(value, threshold):
    if abs(value - threshold) > 2 * TIE:
        assert exceeds(value, threshold) == (value > threshold)
    assert not (exceeds(value, threshold) and exceeds(threshold, value))


def test_arrays_broadcast():
    seen = exceeds(np.array([[0.1], [0.3]]), np.array([0.1, 0.2]))
    np.testing.assert_array_equal(seen, [[False, False], [True, True]])


def test_tolerance_never_passes_the_tie():
    assert tolerance([0.0, 1e-9, 1e-6, 1.0]) == pytest.approx([0.0, 1e-12, TIE, TIE], abs=1e-20)
