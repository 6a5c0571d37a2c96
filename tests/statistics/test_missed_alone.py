"""One set missed and a few others seen, against draws that are followed one by one in fractions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.statistics import missed_alone_kernel
from fedpact.statistics.missed_alone import missed_alone
from oracle import seen_sets
from strategies import families
from uncompiled import uncompile


def enumerate_alone(family, others):
    """Probability that the first set is missed and none of the others is."""
    elsewhere = [(*row, 1 - sum(row)) for row in family.mass]
    first, *rest = (sum(1 << x for x, inside in enumerate(row) if inside) for row in family.sets)
    seen = seen_sets(elsewhere, family.m).items()
    return sum(chance for at, chance in seen if not at & first and all(at & rest[one - 1] for one in others))


def ask(family, others):
    sets = np.array(family.sets, dtype=bool)
    near = np.array([list(others)], dtype=np.int64).reshape(1, len(others))
    union, mass = np.packbits(sets[:1], axis=1), np.array(family.mass, dtype=float)
    low, high = missed_alone(union, near, np.array([len(others)]), sets, mass, np.array(family.m))
    return float(low[0]), float(high[0])


@given(families(), st.data())
@settings(max_examples=300)
def test_the_limits_hold_the_truth_and_are_a_rounding_apart(family, data):
    others = data.draw(st.lists(st.integers(1, len(family.sets)), unique=True).map(
        lambda drawn: [one for one in drawn if one < len(family.sets)]
    ))  # fmt: skip
    low, high = ask(family, others)
    truth = enumerate_alone(family, others)
    assert low <= truth <= high
    assert high - low < 1e-12


@pytest.fixture(params=["compiled", "as written"])
def loops(request, monkeypatch):
    if request.param == "as written":
        uncompile(monkeypatch, missed_alone_kernel)


@pytest.mark.usefixtures("loops")
def test_nodes_have_their_own_numbers_of_others():
    sides, mass = np.eye(4, dtype=bool), np.full((1, 4), 0.25)
    union, near = np.packbits(sides[:3], axis=1), np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3]])
    low, high = missed_alone(union, near, np.array([0, 1, 3]), sides, mass, np.array([4]))
    assert (low + high) / 2 == pytest.approx([3**4 / 4**4, (3**4 - 2**4) / 4**4, (3 * 2**4 - 4 * 3) / 4**4 * 1.0])


def test_many_samples_widen_the_limits_and_keep_the_truth():
    """A point of mass 1e-6 after a million draws; rounding of masses counts a million times."""
    sets, mass = np.array([[True, False], [False, True]]), np.array([[1e-6, 0.5]])
    low, high = missed_alone(
        np.packbits(sets[:1], axis=1), np.array([[1]]), np.array([1]), sets, mass, np.array([10**6])
    )
    truth = np.exp(10**6 * np.log1p(-1e-6))
    assert low[0] <= truth <= high[0]
    assert high[0] - low[0] < 1e-8
