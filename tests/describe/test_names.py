import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedpact.describe.names import make_slugs, nearest, read_choice
from fedpact.errors import FederationError

METHODS = ("lp", "union", "exact")


def test_the_nearest_name_is_suggested_and_only_a_near_one():
    assert nearest("exakt", METHODS) == "did you mean 'exact'?"
    assert nearest("zzz", METHODS) == "known: 'lp', 'union', 'exact'"


def test_of_many_names_ten_are_listed():
    assert nearest("?", map(str, range(100))) == f"known: {', '.join(repr(str(n)) for n in range(10))}"


@pytest.mark.parametrize("known", [METHODS, dict.fromkeys(METHODS)], ids=["tuple", "mapping"])
def test_a_known_name_is_read(known):
    assert read_choice("union", "method", known) == "union"


@pytest.mark.parametrize("value", ["Union", "", "lp, union", None, 1, ["lp"]])
def test_anything_else_is_refused_with_what_is_known(value):
    with pytest.raises(FederationError) as caught:
        read_choice(value, "method", dict.fromkeys(METHODS))
    assert str(caught.value) == f"method must be one of lp, union, exact; it is {value!r}"


@given(st.lists(st.text(), max_size=20), st.lists(st.sampled_from(["agent", "a", "b", "con"])))
def test_slugs_are_plain_distinct_and_not_taken(names, taken):
    slugs = make_slugs(names, taken=taken)
    assert len(set(slugs)) == len(names)
    assert not set(slugs) & set(taken)
    assert all(re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", slug) and len(slug) < 50 for slug in slugs)


def test_a_number_that_a_name_has_itself_is_passed_over():
    assert make_slugs(["alice-2", "alice", "Alice"]) == ["alice-2", "alice", "alice-3"]
