import numpy as np
import pytest
from hypothesis import given, settings

from fedpact.statistics.misses import NEVER, MissFamily, log_miss, reduce_family
from oracle import family_value
from strategies import families

LOGS = {
    "nothing": (0.0, 0.0),
    "half": (0.5, np.log(0.5)),
    "too-small-for-one-minus-p": (1e-18, -1e-18),
    "everything": (1.0, NEVER),
    "everything-and-rounding": (1.0 + 1e-12, NEVER),
}


@pytest.mark.parametrize(("mass", "expected"), LOGS.values(), ids=LOGS)
def test_log_miss(mass, expected):
    assert log_miss(np.array(mass)) == pytest.approx(expected, rel=1e-15, abs=0)


@given(families())
@settings(max_examples=100)
def test_reducing_keeps_the_value(family):
    reduced = reduce_family(MissFamily(**family.arrays))
    value = family_value(reduced.sets, reduced.weights, reduced.mass, family.m)
    assert float(value) == pytest.approx(float(family_value(family.sets, family.weights, family.mass, family.m)))


@given(families())
@settings(max_examples=100)
def test_a_reduced_family_has_nothing_to_drop(family):
    reduced = reduce_family(MissFamily(**family.arrays))
    assert (np.diff(reduced.weights) <= 0).all()
    assert reduced.sets.any(axis=0).all(), "a point in no set"
    assert len(np.unique(reduced.sets, axis=1).T) == reduced.sets.shape[1], "two points in the same sets"
    for a, (inner, inner_weight) in enumerate(zip(reduced.sets, reduced.weights, strict=True)):
        for b, (outer, outer_weight) in enumerate(zip(reduced.sets, reduced.weights, strict=True)):
            assert a == b or (inner & ~outer).any() or inner_weight < outer_weight


def test_a_weight_of_zero_is_no_event():
    family = MissFamily(sets=np.eye(2, dtype=bool), weights=np.array([0.0, 0.5]), mass=np.array([[0.2, 0.3]]))
    reduced = reduce_family(family)
    assert reduced.weights.tolist() == [0.5]
    assert reduced.mass.tolist() == [[0.3]]
