import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import pdist

from fedpact.errors import FederationError
from fedpact.statistics import count_disagreements as module
from fedpact.statistics import kernels
from fedpact.statistics.count_disagreements import DisagreementCounter, count_disagreements
from uncompiled import uncompile


def slowly(labels, weights=None):
    weights = np.ones(labels.shape[1], dtype=object) if weights is None else weights.astype(object)
    H = len(labels)
    return [sum(weights[labels[h] != labels[g]]) for h in range(H) for g in range(h + 1, H)]


VALUES = st.sampled_from([(0, 1), (0, 9), (-3, 2), (0, 300), (-(2**40), 2**40)])


@given(VALUES, st.integers(1, 5), st.integers(0, 200), st.data())
@settings(deadline=None)
def test_counts_are_those_of_the_definition(span, H, n, data):
    labels = data.draw(hnp.arrays(np.int64, (H, n), elements=st.integers(*span)))
    weights = data.draw(st.none() | hnp.arrays(np.int64, (n,), elements=st.integers(0, 1000)))
    assert count_disagreements(labels, weights).tolist() == slowly(labels, weights)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int64, np.bool_])
def test_counts_are_those_of_scipy(dtype):
    labels = np.random.default_rng(0).integers(0, 2 if dtype is np.bool_ else 10, (40, 1000)).astype(dtype)
    expected = np.rint(pdist(labels.astype(float), "hamming") * 1000)
    np.testing.assert_array_equal(count_disagreements(labels), expected)


@pytest.mark.parametrize("labels", [2, 5])
def test_the_loops_count_alike_as_they_are_written(labels, monkeypatch):
    rng = np.random.default_rng(0)
    labels, weights = rng.integers(0, labels, (5, 70)), rng.integers(0, 9, 70)
    uncompile(monkeypatch, kernels)
    assert count_disagreements(labels, weights).tolist() == slowly(labels, weights)


def test_blocks_of_points_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    labels, weights = rng.integers(0, 5, (6, 3000)), rng.integers(0, 9, 3000)
    at_once = count_disagreements(labels, weights)
    monkeypatch.setattr(module, "_POINTS", 256)
    np.testing.assert_array_equal(count_disagreements(labels, weights), at_once)
    counter = DisagreementCounter(6)
    for some in np.array_split(np.arange(3000), 7):
        counter.add(labels[:, some], weights[some])
    np.testing.assert_array_equal(counter.counts, at_once)
    assert counter.n == weights.sum()


def test_counts_beyond_32_bits():
    labels = np.array([[0, 0], [0, 1]])
    assert count_disagreements(labels, np.array([1, 2**40])).tolist() == [2**40]


@pytest.mark.parametrize("weights", [[1], [1, -1], [0.5, 0.5], [[1, 1]], [2**53, 2**53]])
def test_weights_are_checked(weights):
    with pytest.raises(FederationError, match="weights must"):
        count_disagreements(np.array([[0, 1], [1, 1]]), np.array(weights))
