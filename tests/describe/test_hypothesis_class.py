"""What every named class is read and checked with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe import hypothesis_class
from fedpact.describe.hypothesis_class import keep_distinct, read_features, read_line, read_names, show
from fedpact.errors import FederationError


def test_the_first_hypothesis_of_every_labelling_is_kept_in_order():
    made = keep_distinct("few", np.array([[1, 0], [0, 0], [1, 0], [0, 1]]), ["a", "b", "c", "d"])
    assert (made.hypotheses, made.labels.tolist()) == (("a", "b", "d"), [[1, 0], [0, 0], [0, 1]])


def test_hypotheses_of_the_same_name_are_numbered_by_where_they_stand():
    made = keep_distinct("few", np.array([[0, 0], [0, 1], [1, 1]]), ["a", "b", "a"])
    assert made.hypotheses == ("a (h1)", "b", "a (h3)")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_value_is_shown_so_that_it_can_be_told_from_every_other(value):
    assert float(show(value)) == value


def test_a_value_is_shown_as_short_as_possible():
    assert [show(value) for value in (2.0, 0.1, 1e20)] == ["2", "0.1", "1e+20"]


def test_one_feature_may_be_a_row_or_a_column():
    assert read_features([1, 2], "stumps").tolist() == [[1], [2]]
    assert read_line([[1], [2]], "thresholds").tolist() == [1, 2]
    with pytest.raises(FederationError, match="needs one number per point"):
        read_line([[1, 2]], "thresholds")


def test_feature_names_must_fit():
    assert read_names(None, 2, "feature_names", "f") == ("f1", "f2")
    for names in (["x"], ["x", "x"], ["x", "y", "z"]):
        with pytest.raises(FederationError, match="feature_names must be 2 different strings"):
            read_names(names, 2, "feature_names", "f")


def test_a_class_may_have_just_so_many_hypotheses(monkeypatch):
    monkeypatch.setattr(hypothesis_class, "MAX_HYPOTHESES", 2)
    labels = np.array([[0, 0], [0, 1], [0, 1]])
    assert len(keep_distinct("few", labels, "abc").hypotheses) == 2
    with pytest.raises(FederationError, match="class few would have 3 hypotheses; at most 2 are enumerated"):
        keep_distinct("few", np.array([[0, 0], [0, 1], [1, 1]]), "abc")
