import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.describe.federation import Federation
from fedpact.errors import FederationError
from fedpact.statistics.domain import find_domain
from strategies import Case, cases


@pytest.mark.parametrize("kind", ["table", "predictions"])
@given(data=st.data())
@settings(max_examples=40)
def test_merging_keeps_every_disagreement(kind, data):
    case = data.draw(cases(kind))
    fed = case.build()
    domain = find_domain(fed)
    for row, truth in enumerate(fed.distinct):
        masses = domain.differ(row) @ domain.mass.T
        expected = [[case.instance.rate(i, truth, h) for i in range(case.k)] for h in fed.distinct]
        np.testing.assert_allclose(masses, np.array(expected, dtype=float), atol=1e-15)


@given(cases())
@settings(max_examples=60)
def test_nothing_is_left_to_drop_or_merge(case):
    domain = find_domain(case.build())
    assert domain.labels.any(axis=0).all(), "a point on which all agree"
    assert (domain.mass > 0).any(axis=0).all(), "a point that nobody draws"
    assert len({column.tobytes() for column in domain.labels.T.copy()}) == domain.n, "two points that split alike"


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_names_of_labels_carry_no_meaning(case, random):
    renamed = []
    for column in zip(*case.instance.labels, strict=True):
        names = random.sample(range(-9, 9), 3)
        renamed.append([names[label] for label in column])
    fed = case.build()
    other = Federation.from_table(
        np.transpose(renamed), case.instance.distributions, epsilon=fed.epsilon, delta=fed.delta
    )
    np.testing.assert_array_equal(find_domain(fed).labels, find_domain(other).labels)
    np.testing.assert_array_equal(find_domain(fed).mass, find_domain(other).mass)


def test_one_hypothesis_needs_no_point():
    fed = Federation.from_table([[0, 1, 2]], [[0.5, 0.5, 0]], epsilon=0, delta=0.5)
    assert find_domain(fed).labels.shape == (1, 0)


@given(cases("reports"))
@settings(max_examples=5)
def test_reports_have_no_points(case: Case):
    with pytest.raises(FederationError, match=r"^reports hold pairwise rates only.*method=\"bounds\""):
        find_domain(case.build())
