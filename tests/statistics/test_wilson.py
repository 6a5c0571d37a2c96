import math

import pytest

from fedpact.statistics.wilson import wilson

Z = 1.959963984540054


@pytest.mark.parametrize(("count", "trials"), [(0, 10), (1, 10), (5, 10), (10, 10), (3, 2000)])
def test_the_limits_solve_what_defines_them(count, trials):
    low, high = wilson(count, trials)
    assert 0 <= low <= count / trials <= high <= 1
    for limit, is_end in ((low, count == 0), (high, count == trials)):
        if not is_end:
            distance = Z * math.sqrt(limit * (1 - limit) / trials)
            assert abs(count / trials - limit) == pytest.approx(distance, rel=1e-9)


def test_without_a_single_case_the_upper_limit_is_known_in_closed_form():
    assert wilson(0, 1000) == (0.0, pytest.approx(Z**2 / (1000 + Z**2)))
