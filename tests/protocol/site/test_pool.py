from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.candidates.predicted import Predicted
from fedpact.describe.candidate_list import CandidateList
from fedpact.errors import FederationError
from fedpact.protocol.site.pool import Pool, draw, whole_weights


def pool_of(n, masses=None):
    own = Predicted(labels=np.zeros((1, n), dtype=int), candidates=CandidateList.from_names(["h"]), classes=(0, 1))
    return Pool(predicted=own, masses=None if masses is None else np.array(masses))


@given(st.integers(1, 40), st.integers(0, 2**64), st.data())
def test_parts_of_a_draw_are_the_draw(n, seed, data):
    pool = pool_of(n, [1 / n] * n) if data.draw(st.booleans()) else pool_of(n)
    cuts = sorted(data.draw(st.lists(st.integers(0, 50), max_size=4)))
    edges = [0, *cuts, 50]
    parts = [draw(pool, start, stop, seed=seed) for start, stop in pairwise(edges)]
    whole = draw(pool, 0, 50, seed=seed)
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert len(whole) == (50 if pool.size is None else n)
    if pool.size is not None:
        assert sorted(whole.tolist()) == list(range(n))


def test_points_are_drawn_as_their_masses_say():
    places = draw(pool_of(3, [0.5, 0.0, 0.5]), 0, 40_000, seed=3)
    counts = np.bincount(places, minlength=3)
    assert counts[1] == 0
    assert abs(counts[0] - 20_000) < 5 * 100


def test_every_order_of_points_is_as_likely():
    firsts = np.bincount([draw(pool_of(4), 0, 1, seed=seed)[0] for seed in range(4_000)], minlength=4)
    assert abs(firsts - 1_000).max() < 5 * 28


@pytest.mark.parametrize(
    ("masses", "line"),
    [
        ([0.5, 0.5], "masses must be a number for each of 3 points; they are float64 of shape (2,)"),
        ([[0.5], [0.25], [0.25]], "they are float64 of shape (3, 1)"),
        (["a", "b", "c"], "masses must be a number for each of 3 points"),
        ([0.5, -0.5, 1.0], "masses must be 0 or more and sum to 1; their sum is 1"),
        ([0.5, 0.5, 0.5], "masses must be 0 or more and sum to 1; their sum is 1.5"),
        ([0.0, 0.0, 0.0], "their sum is 0"),
        ([np.nan, 0.5, 0.5], "their sum is nan"),
        ([np.inf, 0.5, 0.5], "their sum is inf"),
    ],
)
def test_masses_that_are_none(masses, line):
    with pytest.raises(FederationError) as caught:
        pool_of(3, masses)
    assert line in str(caught.value)


@given(st.lists(st.integers(0, 1_000), min_size=1, max_size=6).filter(any))
def test_weights_are_in_the_proportion_of_the_masses(parts):
    masses = np.array([part / sum(parts) for part in parts])
    weights = whole_weights(masses)
    total = int(weights.sum())
    assert [Fraction(int(weight), total) for weight in weights] == [Fraction(part, sum(parts)) for part in parts]


def test_weights_of_masses_that_are_no_simple_fractions():
    masses = np.array([2**-0.5, 1 - 2**-0.5])
    weights = whole_weights(masses)
    assert weights / weights.sum() == pytest.approx(masses, abs=1e-11)
