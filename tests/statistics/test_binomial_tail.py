from fractions import Fraction

import numpy as np
import pytest

from binomials import upper
from fedpact.statistics.binomial_tail import upper_tail

RATES = tuple(map(Fraction, ("0", "1/1000", "1/10", "1/3", "1/2", "7/10", "99/100", "1")))


@pytest.mark.parametrize("m", [0, 1, 2, 5, 9])
@pytest.mark.parametrize("rate", RATES, ids=str)
def test_tails_are_those_counted_out(m, rate):
    counts = np.arange(-1, m + 2)
    tails = upper_tail(m, counts, np.full(len(counts), float(rate)))
    assert tails.tolist() == pytest.approx([float(upper(m, int(x), rate)) for x in counts], rel=1e-12, abs=0)
