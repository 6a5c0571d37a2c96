import pytest

import fedpact as fp
from reproduction.values import read_positive, read_rising, read_share, read_whole_number, read_within

REFUSED = [
    (lambda: read_positive(0, "rate"), "rate must be above 0; it is 0"),
    (lambda: read_positive("-1/2", "rate"), "rate must be above 0; it is -0.5"),
    (lambda: read_within(11, "fee", 0, 10), "fee must lie between 0 and 10; it is 11"),
    (lambda: read_share("3/2", "share"), "share must lie between 0 and 1; it is 1.5"),
    (
        lambda: read_rising({"m": [50, 50]}, "m", read_whole_number),
        r"m must hold every value once, from the lowest to the highest; it is \[50, 50\]",
    ),
    (lambda: read_rising({"m": [2, 1]}, "m", read_whole_number), "m must hold every value once"),
    (lambda: read_rising({"lambdas": ["1/2", 0.5]}, "lambdas", read_share), "lambdas must hold every value"),
    (lambda: read_rising({"m": []}, "m", read_whole_number), "m must hold at least one value; it is empty"),
]


def test_what_a_parameter_may_not_be_is_said_in_one_line():
    for read, said in REFUSED:
        with pytest.raises(fp.FederationError, match=f"^{said}") as caught:
            read()
        assert "\n" not in str(caught.value)


def test_ends_are_among_what_is_read():
    assert [read_share(value, "share") for value in (0, 1)] == [0.0, 1.0]
    assert read_within(10, "fee", 0, 10) == 10.0
