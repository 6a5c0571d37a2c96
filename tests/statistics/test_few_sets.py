"""A few sets bound the value of all of them from below."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.statistics.expansion import expand
from fedpact.statistics.few_sets import lower_bound_from_subset
from fedpact.statistics.misses import MissFamily, reduce_family


@st.composite
def families(draw):
    sets, points, agents = draw(st.integers(1, 8)), draw(st.integers(1, 8)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    mass = rng.dirichlet(np.ones(points), size=agents)
    family = MissFamily(
        sets=rng.random((sets, points)) < 0.5, weights=rng.choice([0.25, 0.5, 1.0], size=sets), mass=mass
    )
    return reduce_family(family), rng.integers(0, 6, agents).astype(np.float64)


@given(families())
def test_fewer_sets_say_less_and_all_say_everything(case):
    family, m = case
    if not len(family.sets):
        return
    whole = expand(family).evaluate(m[None])[0]
    bounds = [lower_bound_from_subset(family, m, most) for most in range(1, len(family.sets) + 1)]
    assert bounds == pytest.approx(sorted(bounds))
    assert bounds[0] >= 0
    assert bounds[-1] == pytest.approx(whole)


def test_the_likeliest_sets_are_taken():
    family = MissFamily(
        sets=np.eye(3, dtype=bool), weights=np.ones(3), mass=np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    )
    assert lower_bound_from_subset(family, np.array([4.0, 0.0]), 1) == pytest.approx(0.9**4)
    assert lower_bound_from_subset(family, np.array([0.0, 4.0]), 1) == pytest.approx(0.9**4)
    assert lower_bound_from_subset(family, np.array([1.0, 4.0]), 1) == pytest.approx(0.8 * 0.9**4)
