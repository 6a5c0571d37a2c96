import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedpact as fp
from fedpact.statistics import domain
from strategies import KINDS, cases


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=40)
def test_rates_are_those_of_the_oracle(kind, data):
    case = data.draw(cases(kind))
    fed = case.build()
    found = fp.planning.disagreement(fed)
    expected = [[[case.instance.rate(i, h, g) for g in fed.distinct] for h in fed.distinct] for i in range(case.k)]
    assert found.shape == (fed.k, fed.H, fed.H)
    np.testing.assert_allclose(found, np.array(expected, dtype=float), atol=1e-15)
    np.testing.assert_array_equal(found == 0, np.array(expected, dtype=float) == 0)


def test_hypotheses_that_nobody_can_tell_apart_count_once():
    fed = fp.Federation.from_table([[0, 0], [0, 1], [0, 0], [0, 1]], [[1, 0], [0.5, 0.5]], epsilon=0, delta=0.5)
    assert fp.planning.disagreement(fed).tolist() == [[[0, 0], [0, 0]], [[0, 0.5], [0.5, 0]]]


def test_a_rate_far_below_rounding_is_kept():
    fed = fp.Federation.from_table([[0, 0], [0, 1]], [[1, 1e-200]], epsilon=0, delta=0.5)
    assert fp.planning.disagreement(fed)[0, 0, 1] == 1e-200


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (7, 9))
    fed = fp.Federation.from_table(labels, rng.dirichlet(np.ones(9), 2), epsilon=0.1, delta=0.1)
    at_once = fp.planning.disagreement(fed)
    monkeypatch.setattr(domain, "_BLOCK", 1)
    np.testing.assert_array_equal(fp.planning.disagreement(fed), at_once)
    some = domain.rates_against(domain.find_domain(fed), np.array([4, 1]))
    np.testing.assert_array_equal(some, at_once[:, [4, 1]])
