import numpy as np
import pytest
from hypothesis import given, settings

import fedpact as fp
from fedpact.statistics.domain import find_domain
from fedpact.statistics.weights import find_truths
from strategies import cases

TRUTHS = {
    "all-labelings": (fp.planning.classes.all_labelings(5).labels, 1),
    "singletons": (fp.planning.classes.singletons(5).labels, 6),
    "opposites": ([[0, 0, 1], [1, 1, 0]], 1),
    "three-classes": ([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]], 6),
}


@pytest.mark.parametrize(("labels", "count"), TRUTHS.values(), ids=TRUTHS)
def test_truths_with_the_same_disagreements_are_tried_once(labels, count):
    n = np.shape(labels)[1]
    fed = fp.Federation.from_table(labels, [[1 / n] * n], epsilon=0.1, delta=0.1)
    assert len(find_truths(find_domain(fed))) == count


def families_of(domain, truths):
    return [frozenset(row.tobytes() for row in domain.differ(truth)) for truth in truths]


@given(cases())
@settings(max_examples=100)
def test_every_family_of_disagreements_is_tried(case):
    fed = case.build()
    domain = find_domain(fed)
    assert set(families_of(domain, find_truths(domain))) == set(families_of(domain, range(fed.H)))


@pytest.mark.parametrize("n", [64, 65])
def test_more_points_than_bits(n):
    """All labelings of two points, repeated in a hypothesis of its own at each further point."""
    labels = np.vstack([np.zeros(n, dtype=int), np.eye(n, dtype=int), 1 - np.eye(n, dtype=int)[:1]])
    fed = fp.Federation.from_table(labels, [np.full(n, 1 / n)], epsilon=0, delta=0.1)
    domain = find_domain(fed)
    found = families_of(domain, find_truths(domain))
    assert set(found) == set(families_of(domain, range(fed.H)))
