from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.numbers import check_at_least, read_chance, read_number, read_whole_number, shorten
from fedpact.errors import FederationError
from refusals import check_refused

GOOD = {
    "int": (3, 3.0),
    "float": (0.25, 0.25),
    "negative": (-2, -2.0),
    "numpy-int": (np.int64(3), 3.0),
    "numpy-float": (np.float32(0.5), 0.5),
    "fraction": (Fraction(1, 3), 1 / 3),
    "fraction-in-string": ("1/3", 1 / 3),
    "spaces": (" 1/3 ", 1 / 3),
    "decimal-in-string": ("0.1", 0.1),
    "exponent-in-string": ("1e-3", 0.001),
}


@pytest.mark.parametrize(("value", "expected"), GOOD.values(), ids=GOOD)
def test_reads(value, expected):
    assert read_number(value, "epsilon") == expected
    assert type(read_number(value, "epsilon")) is float


BAD = [
    (float("nan"), "epsilon must be a finite number; it is nan"),
    (float("-inf"), "epsilon must be a finite number; it is -inf"),
    (10**400, f"epsilon must be a finite number; it is 1{'0' * 56}..."),
    (10**5000, "epsilon must be a finite number; it is a int too long to print"),
    (Fraction(10**400), "epsilon must be a finite number; it is Fraction(1"),
    (True, "epsilon must be a number or a fraction in a string; it is True"),
    (None, "epsilon must be a number or a fraction in a string; it is None"),
    ([0.1], "epsilon must be a number or a fraction in a string; it is [0.1]"),
    (1j, "epsilon must be a number or a fraction in a string; it is 1j"),
    ("", "epsilon must be a number or a fraction like \"1/3\"; it is ''"),
    ("a third", "epsilon must be a number or a fraction like \"1/3\"; it is 'a third'"),
    ("1/0", "epsilon must be a number or a fraction like \"1/3\"; it is '1/0'"),
    ("nan", "epsilon must be a number or a fraction like \"1/3\"; it is 'nan'"),
    ("1e999999999", "it is '1e999999999'"),
    ("1\n/3x", r"it is '1\n/3x'"),
]


def test_refuses():
    for value, message in BAD:
        check_refused(message, read_number, value, "epsilon")


@given(st.fractions())
def test_fraction_in_string_is_the_nearest_double(fraction):
    assert read_number(str(fraction), "mass") == float(fraction)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_repr_of_a_double_is_read_exactly(value):
    assert read_number(repr(value), "mass") == value


@given(st.integers(min_value=0, max_value=2**70))
def test_whole_numbers_stay_exact(value):
    assert read_whole_number(value, "capacity") == value


@pytest.mark.parametrize("value", [-1, 0.5, "1/2", "-3", -0.5])
def test_refuses_what_is_not_whole(value):
    with pytest.raises(FederationError, match=r"capacity must be a whole number >= 0; it is"):
        read_whole_number(value, "capacity")


def test_whole_number_in_a_string():
    assert read_whole_number("6/2", "capacity") == 3


def test_an_array_is_shown_on_one_line():
    assert shorten(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"


def test_a_whole_number_may_have_to_be_larger():
    assert read_whole_number("2", "sites", least=2) == 2
    with pytest.raises(FederationError, match=r"^sites must be 2 or more; it is 1$"):
        read_whole_number(1, "sites", least=2)
    with pytest.raises(FederationError, match=r"^sites must be a whole number >= 2; it is -1$"):
        read_whole_number(-1, "sites", least=2)


def test_a_chance_is_neither_impossible_nor_certain():
    assert read_chance("1/3", "level") == 1 / 3
    for value in (0, 1, "1/1", -0.5, 2):
        with pytest.raises(FederationError, match=r"^level must lie strictly between 0 and 1; it is "):
            read_chance(value, "level")
    with pytest.raises(FederationError, match=r"^level must be a finite number; it is nan$"):
        read_chance(float("nan"), "level")


@pytest.mark.parametrize("value", [0, 0.5, float("inf")])
def test_a_number_that_is_large_enough_is_handed_on(value):
    assert check_at_least(value, "time_limit", 0) is value


@pytest.mark.parametrize("value", [-1, -1e-9, float("nan"), float("-inf")])
def test_a_number_that_is_too_small_or_none_is_refused(value):
    with pytest.raises(FederationError, match=rf"^time_limit must be 0 or more; it is {value}$"):
        check_at_least(value, "time_limit", 0)
