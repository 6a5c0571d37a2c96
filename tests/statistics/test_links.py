from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedpact.statistics.links import link_bound
from oracle import family_value
from strategies import families


def falling(family):
    order = np.argsort(-family.arrays["weights"], kind="stable")
    return family.arrays["sets"][order], family.arrays["weights"][order], family.arrays["mass"]


@given(family=families(), links=st.integers(0, 5))
@settings(max_examples=150)
def test_it_is_never_below_the_truth_and_exact_with_all_links(family, links):
    truth = float(family_value(family.sets, family.weights, family.mass, family.m))
    m = np.array(family.m, dtype=float)
    bounds = [link_bound(*falling(family), m, links=count) for count in (links, len(family.sets))]
    assert bounds[0] >= truth - 1e-9
    assert bounds[1] == pytest.approx(truth, abs=1e-9)


@given(family=families(equal_weights=True))
def test_every_link_cuts_off_more(family):
    m = np.array(family.m, dtype=float)
    bounds = [link_bound(*falling(family), m, links=count) for count in range(5)]
    assert all(more <= fewer + 1e-12 for fewer, more in pairwise(bounds))
