"""The class is recognised by its labels, whatever its name and the order of its points."""

import numpy as np
import pytest

import fedpact as fp
from fedpact.mechanism.claims import with_distributions
from fedpact.mechanism.obliviousness.singleton_class import find_singletons, read_singletons

SINGLETONS = np.vstack([np.zeros((1, 4), dtype=int), np.eye(4, dtype=int)])


@pytest.mark.parametrize("seed", range(5))
def test_points_hypotheses_and_labels_may_be_shuffled(seed):
    rng = np.random.default_rng(seed)
    labels = np.hstack([SINGLETONS, np.zeros((5, 2), dtype=int)])[rng.permutation(5)]
    columns = rng.permutation(6)
    labels = (labels ^ rng.integers(0, 2, size=(1, 6)))[:, columns]
    found = find_singletons(labels)
    assert {int(columns[point]) for point in found.own} == {0, 1, 2, 3}
    assert {int(columns[point]) for point in found.common} == {4, 5}


OTHERS = {
    "all-labelings": fp.planning.classes.all_labelings(3).labels,
    "no-base": np.eye(4, dtype=int),
    "a-pair": np.vstack([SINGLETONS, [[1, 1, 0, 0]]]),
    "twins": np.vstack([SINGLETONS, SINGLETONS[1:2]]),
    "thresholds": fp.planning.classes.thresholds([1, 2, 3, 4]).labels,
    "two-hypotheses": np.array([[0, 0], [1, 0]]),
    "three-labels": np.array([[0, 0, 0], [1, 0, 0], [2, 1, 0]]),
}


@pytest.mark.parametrize("labels", OTHERS.values(), ids=OTHERS)
def test_other_classes_are_not_taken_for_it(labels):
    assert find_singletons(labels) is None


def test_what_is_wrong_is_said():
    with pytest.raises(fp.FederationError, match="another class: leave m out"):
        read_singletons(fp.examples.alice_bob())
    with pytest.raises(fp.FederationError, match="two agents"):
        read_singletons(fp.examples.coupon_collector(4))
    predictions = fp.Federation.from_predictions({"a": [[0, 1], [1, 1]], "b": [[1], [0]]}, epsilon=0.1, delta=0.1)
    with pytest.raises(fp.FederationError, match="given as a table"):
        read_singletons(predictions)


def test_only_the_distributions_are_replaced():
    fed = fp.examples.singletons().replace(cost=[1, 2], epsilon=[0.01, 0.02], guarantee="joint")
    other = with_distributions(fed, fed.evidence.distributions[::-1])
    assert other.agents == fed.agents
    assert (other.delta, other.objective, other.guarantee) == (fed.delta, fed.objective, fed.guarantee)
    assert (other.hypotheses, other.evidence.points) == (fed.hypotheses, fed.evidence.points)
    np.testing.assert_allclose(other.evidence.distributions, fed.evidence.distributions[::-1])
